#!/bin/bash
#SBATCH --job-name=hardround
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Searches an interval for hard-to-round cases with MPI: one job, whose ranks all search. The command
# must be built with --features mpi.
#
#   sbatch hardround_mpi.sh exp --func exp --from 0x1p0 --to 0x1p1 --bits 44
#
# The first word names the files: exp.checkpoint and exp.tsv. exp.tsv is complete if it exists. A
# job that was stopped continues from the checkpoint when it is requeued or submitted again, with
# any number of ranks.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Searches/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
cpus=${SLURM_CPUS_PER_TASK:-1}
srun --cpus-per-task="$cpus" hotloops hardround search "$@" --threads "$cpus" \
    --checkpoint "$name.checkpoint" --out "$name.tsv"
