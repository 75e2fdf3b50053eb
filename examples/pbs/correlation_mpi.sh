#!/bin/bash
#PBS -N correlation
#PBS -l select=4:ncpus=16:mpiprocs=16
#PBS -l walltime=12:00:00
#PBS -r y
# Computes the correlations of a film with MPI: one job, whose ranks count the pairs of different frames,
# or of parts of a single one. The command must be built with --features mpi.
#
#   name=film options='POINTS --bins 0:50:0.25 --neighbours 6 --average' qsub -v name,options correlation_mpi.sh
#
# `name` names the file: film.csv. It is complete if it exists. A job that was stopped begins
# again when it is requeued or submitted again.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
[ ! -e "${name:?}.csv" ] || exit 0
mpirun hotloops correlation "$@" --threads 1 --out "$name.csv"
