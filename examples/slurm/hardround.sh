#!/bin/bash
#SBATCH --job-name=hardround
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
# Searches an interval for hard-to-round cases as an array of Slurm, and joins its parts.
#
#   hotloops hardround search --func exp --from 0x1p0 --to 0x1p1 --bits 44 --estimate
#   array=$(sbatch --parsable hardround.sh part exp --func exp --from 0x1p0 --to 0x1p1 --bits 44)
#   sbatch --dependency=afterok:"$array" --array=1 --cpus-per-task=1 hardround.sh merge exp
#
# The first word after the step names the files: exp.1.tsv, exp.2.tsv, .. with their checkpoints
# beside them, and exp.tsv, the whole. A task that was stopped continues from its checkpoint when it
# is requeued or submitted again: `sbatch --array=7,12 hardround.sh part ..` submits two tasks. A
# finished task writes the same file again within seconds. The merge refuses missing and foreign
# parts, so exp.tsv is complete if it exists.
set -euo pipefail

# Number of parts of the search: the number of tasks of the array above, also if single tasks are
# submitted again.
parts=64

[ $# -ge 2 ] || { sed -n '/^# Searches/,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
step=$1 name=$2
shift 2
case $step in
    part)
        hotloops hardround search "$@" --shard "$SLURM_ARRAY_TASK_ID/$parts" \
            --threads "${SLURM_CPUS_PER_TASK:-1}" \
            --checkpoint "$name.$SLURM_ARRAY_TASK_ID.checkpoint" --out "$name.$SLURM_ARRAY_TASK_ID.tsv"
        ;;
    merge)
        files=()
        for ((part = 1; part <= parts; part++)); do files+=("$name.$part.tsv"); done
        hotloops hardround merge --out "$name.tsv" "${files[@]}"
        ;;
    *)
        echo "$0: $step: expected part or merge" >&2
        exit 2
        ;;
esac
