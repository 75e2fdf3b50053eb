#!/bin/bash
#PBS -N hardround
#PBS -l select=4:ncpus=16:mpiprocs=16
#PBS -l walltime=12:00:00
#PBS -r y
# Searches an interval for hard-to-round cases with MPI: one job, whose ranks all search. The command
# must be built with --features mpi.
#
#   name=exp options='--func exp --from 0x1p0 --to 0x1p1 --bits 44' qsub -v name,options hardround_mpi.sh
#
# `name` names the files: exp.checkpoint and exp.tsv. exp.tsv is complete if it exists. A
# job that was stopped continues from the checkpoint when it is requeued or submitted again, with
# any number of ranks.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
mpirun hotloops hardround search "$@" --threads 1 \
    --checkpoint "${name:?}.checkpoint" --out "$name.tsv"
