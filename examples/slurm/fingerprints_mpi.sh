#!/bin/bash
#SBATCH --job-name=fingerprints
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Compares all fingerprints of a database with MPI: one job, whose ranks all search. The command must be
# built with --features mpi.
#
#   sbatch fingerprints_mpi.sh db DB.hlfp --tanimoto 0.7
#
# The first word names the files: db.checkpoint and db.tsv, all similar pairs. db.tsv is complete if
# it exists. A job that was stopped continues from the checkpoint when it is requeued or submitted
# again, with any number of ranks. `search` and `cluster` run like this too, without checkpoint.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Compares/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
cpus=${SLURM_CPUS_PER_TASK:-1}
srun --cpus-per-task="$cpus" hotloops fingerprints matrix "$@" --threads "$cpus" \
    --checkpoint "$name.checkpoint" --out "$name.tsv"
