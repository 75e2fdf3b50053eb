#!/bin/bash
#SBATCH --job-name=correlation
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Computes the correlations of 64 frames of a film, one a task.
#
#   sbatch correlation.sh film POINTS --bins 0:50:0.25 --neighbours 6
#
# The first word names the files: film.1.csv, film.2.csv, .. of the frames 1, 2, .. A file is
# complete if it exists. A task that was stopped begins again when it is requeued or submitted again;
# a finished one does nothing.
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Computes/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
task=$SLURM_ARRAY_TASK_ID
[ ! -e "$name.$task.csv" ] || exit 0
hotloops correlation "$@" --frame "$task" --threads "${SLURM_CPUS_PER_TASK:-1}" --out "$name.$task.csv"
