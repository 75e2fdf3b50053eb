#!/bin/bash
#PBS -N ising
#PBS -J 1-64
#PBS -l select=1:ncpus=8
#PBS -l walltime=12:00:00
#PBS -r y
# Samples a problem with 64 seeds, one a task.
#
#   name=glass options='MODEL --sweeps 100000' qsub -v name,options ising.sh
#
# `name` names the files: glass.1.json, glass.2.json, .. A file is complete if it exists. A
# task that was stopped continues from its checkpoint when it is requeued or submitted again; a
# finished one does nothing.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
task=$PBS_ARRAY_INDEX
part=${name:?}.$task
[ ! -e "$part.json" ] || exit 0
hotloops ising "$@" --seed "$task" --threads "${NCPUS:-1}" \
    --checkpoint "$part.checkpoint" --format json --out "$part.json"
