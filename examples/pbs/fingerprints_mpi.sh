#!/bin/bash
#PBS -N fingerprints
#PBS -l select=4:ncpus=16:mpiprocs=16
#PBS -l walltime=12:00:00
#PBS -r y
# Compares all fingerprints of a database with MPI: one job, whose ranks all search. The command must be
# built with --features mpi.
#
#   name=db options='DB.hlfp --tanimoto 0.7' qsub -v name,options fingerprints_mpi.sh
#
# `name` names the files: db.checkpoint and db.tsv, all similar pairs. db.tsv is complete if
# it exists. A job that was stopped continues from the checkpoint when it is requeued or submitted
# again, with any number of ranks. `search` and `cluster` run like this too, without checkpoint.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
mpirun hotloops fingerprints matrix "$@" --threads 1 \
    --checkpoint "${name:?}.checkpoint" --out "$name.tsv"
