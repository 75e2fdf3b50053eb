#!/bin/bash
#SBATCH --job-name=fingerprints
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Searches a database for the targets of many queries: each of 64 tasks has a part of the queries,
# which are FPS text, not compressed.
#
#   sbatch fingerprints.sh hits QUERIES.fps DB.hlfp --tanimoto 0.7 --top 10
#
# The first word names the files: hits.1.tsv, hits.2.tsv, .. A file is complete if it exists. A task
# that was stopped begins its part again when it is requeued or submitted again; a finished one does
# nothing. The lines of all parts, without the heads of all but the first, are those of one search:
#   { cat hits.1.tsv; for ((part = 2; part <= 64; part++)); do tail -n +2 "hits.$part.tsv"; done; } >hits.tsv
set -euo pipefail

[ $# -ge 2 ] || { sed -n '/^# Searches/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=$1
shift
# Number of parts: the number of tasks of the array above, also if single tasks are submitted again.
parts=64
task=$SLURM_ARRAY_TASK_ID
queries=$1
shift
[ ! -e "$name.$task.tsv" ] || exit 0
# The head, which names the number of bits, and the lines of this part.
lines=$(grep -vc '^#' "$queries")
awk -v first=$((lines * (task - 1) / parts)) -v last=$((lines * task / parts)) \
    '/^#/ || (n++ >= first && n <= last)' "$queries" >"$name.$task.fps"
hotloops fingerprints search "$name.$task.fps" "$@" --threads "${SLURM_CPUS_PER_TASK:-1}" --out "$name.$task.tsv"
rm "$name.$task.fps"
