#!/bin/bash
#SBATCH --job-name=correlation
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Computes the correlations of a film with MPI: one job, whose ranks count the pairs of different frames,
# or of parts of a single one. The command must be built with --features mpi.
#
#   sbatch correlation_mpi.sh film POINTS --bins 0:50:0.25 --neighbours 6 --average
#
# The first word names the file: film.csv. It is complete if it exists. A job that was stopped begins
# again when it is requeued or submitted again.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Computes/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
[ ! -e "$name.csv" ] || exit 0
cpus=${SLURM_CPUS_PER_TASK:-1}
srun --cpus-per-task="$cpus" hotloops correlation "$@" --threads "$cpus" --out "$name.csv"
