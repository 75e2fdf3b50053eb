#!/bin/bash
#PBS -N hardround
#PBS -J 1-64
#PBS -l select=1:ncpus=8
#PBS -l walltime=12:00:00
#PBS -r y
# Searches an interval for hard-to-round cases as an array of PBS, and joins its parts.
#
#   name=exp options='--func exp --from 0x1p0 --to 0x1p1 --bits 44' qsub -v name,options hardround.sh
#
# `name` names the files: exp.1.tsv, exp.2.tsv, .. with their checkpoints beside them. A task that was
# stopped continues from its checkpoint when it is requeued or submitted again. Then this joins all parts; it
# refuses missing and foreign ones, so exp.tsv is complete if it exists:
#   hotloops hardround merge exp.?.tsv exp.??.tsv --out exp.tsv
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
# Number of parts of the search: the number of tasks of the array above, also if single tasks are
# submitted again.
parts=64
part=${name:?}.$PBS_ARRAY_INDEX
hotloops hardround search "$@" --shard "$PBS_ARRAY_INDEX/$parts" --threads "${NCPUS:-1}" \
    --checkpoint "$part.checkpoint" --out "$part.tsv"
