#!/bin/bash
#SBATCH --job-name=ising
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Samples a problem with MPI: one job, whose ranks share the runs of an anneal or the rungs of an
# exchange. The command must be built with --features mpi.
#
#   sbatch ising_mpi.sh glass MODEL --method exchange --replicas 64 --sweeps 100000
#
# The first word names the files: glass.json, glass.samples and glass.checkpoint. glass.json is
# complete if it exists. A job that was stopped continues from the checkpoint when it is requeued or
# submitted again, with any number of ranks.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Samples/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
[ ! -e "$name.json" ] || exit 0
cpus=${SLURM_CPUS_PER_TASK:-1}
srun --cpus-per-task="$cpus" hotloops ising "$@" --threads "$cpus" \
    --samples "$name.samples" --checkpoint "$name.checkpoint" --format json --out "$name.json"
