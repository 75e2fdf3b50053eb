#!/bin/bash
#SBATCH --job-name=ising
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Samples a problem with 64 seeds, one a task.
#
#   sbatch ising.sh glass MODEL --sweeps 100000
#
# The first word names the files: glass.1.json, glass.2.json, .. A file is complete if it exists. A
# task that was stopped continues from its checkpoint when it is requeued or submitted again; a
# finished one does nothing.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Samples/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
task=$SLURM_ARRAY_TASK_ID
part=$name.$task
[ ! -e "$part.json" ] || exit 0
hotloops ising "$@" --seed "$task" --threads "${SLURM_CPUS_PER_TASK:-1}" \
    --checkpoint "$part.checkpoint" --format json --out "$part.json"
