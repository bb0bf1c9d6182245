#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Wrong programs get the same verdict with efgtrace as without (tests/wrong/wrong.py says more).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/wrong.sh                  one run each, and more where they differ
#   tests/wrong.sh --runs 20        as many of each, bare and in both modes; what is left must be readable
#   tests/wrong.sh --every          each with all handlers of errors
#   tests/wrong.sh --table FILE [NAME...]      NAME: of a program
#
# environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
sources=$root/tests/wrong
$MPICC -g -O1 "$sources"/*.c -o "$work/program" -lpthread || exit 2
$MPIFORT -g -O1 -w -std=legacy -fallow-argument-mismatch "$sources/fortran.f90" -o "$work/fortran" || exit 2
in_full || set -- --share 4
"$python" "$sources/wrong.py" --build "$build" --work "$work" "$@"
