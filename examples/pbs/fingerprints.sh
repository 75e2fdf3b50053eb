#!/bin/bash
#PBS -N fingerprints
#PBS -J 1-64
#PBS -l select=1:ncpus=8
#PBS -l walltime=12:00:00
#PBS -r y
# Searches a database for the targets of many queries: each of 64 tasks has a part of the queries,
# which are FPS text, not compressed.
#
#   name=hits options='QUERIES.fps DB.hlfp --tanimoto 0.7 --top 10' qsub -v name,options fingerprints.sh
#
# `name` names the files: hits.1.tsv, hits.2.tsv, .. A file is complete if it exists. A task
# that was stopped begins its part again when it is requeued or submitted again; a finished one does
# nothing. The lines of all parts, without the heads of all but the first, are those of one search:
#   { cat hits.1.tsv; for ((part = 2; part <= 64; part++)); do tail -n +2 "hits.$part.tsv"; done; } >hits.tsv
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
# Number of parts: the number of tasks of the array above, also if single tasks are submitted again.
parts=64
task=$PBS_ARRAY_INDEX
queries=$1
shift
[ ! -e "${name:?}.$task.tsv" ] || exit 0
# The head, which names the number of bits, and the lines of this part.
lines=$(grep -vc '^#' "$queries")
awk -v first=$((lines * (task - 1) / parts)) -v last=$((lines * task / parts)) \
    '/^#/ || (n++ >= first && n <= last)' "$queries" >"$name.$task.fps"
hotloops fingerprints search "$name.$task.fps" "$@" --threads "${NCPUS:-1}" --out "$name.$task.tsv"
rm "$name.$task.fps"
