#!/bin/bash
#PBS -N correlation
#PBS -J 1-64
#PBS -l select=1:ncpus=8
#PBS -l walltime=12:00:00
#PBS -r y
# Computes the correlations of 64 frames of a film, one a task.
#
#   name=film options='POINTS --bins 0:50:0.25 --neighbours 6' qsub -v name,options correlation.sh
#
# `name` names the files: film.1.csv, film.2.csv, .. of the frames 1, 2, .. A file is
# complete if it exists. A task that was stopped begins again when it is requeued or submitted again;
# a finished one does nothing.
set -euo pipefail

# shellcheck disable=SC2086 # options are words
set -- ${options:?}
cd "${PBS_O_WORKDIR:-.}"
task=$PBS_ARRAY_INDEX
[ ! -e "${name:?}.$task.csv" ] || exit 0
hotloops correlation "$@" --frame "$task" --threads "${NCPUS:-1}" --out "$name.$task.csv"
