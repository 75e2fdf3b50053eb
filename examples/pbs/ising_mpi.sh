#!/bin/bash
#PBS -N ising
#PBS -l select=4:ncpus=16:mpiprocs=16
#PBS -l walltime=12:00:00
#PBS -r y
# Samples a problem with MPI: one job, whose ranks share the runs of an anneal or the rungs of an
# exchange. The command must be built with --features mpi.
#
#   name=glass options='MODEL --method exchange --replicas 64 --sweeps 100000' qsub -v name,options ising_mpi.sh
#
# `name` names the files: glass.json, glass.samples and glass.checkpoint. glass.json is
# complete if it exists. A job that was stopped continues from the checkpoint when it is requeued or
# submitted again, with any number of ranks.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
[ ! -e "${name:?}.json" ] || exit 0
mpirun hotloops ising "$@" --threads 1 --samples "$name.samples" \
    --checkpoint "$name.checkpoint" --format json --out "$name.json"
