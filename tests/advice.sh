#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Hints of the summary: a run that follows one does what it said. Each that summaries of these programs have is
# tried (advice.py), and those of the runs that follow a level or a mode.
# Of two levels: in_full is what only `make check-all` has.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
compile nested_solver stencil2d || exit 2
$MPICC -g -O1 "$root/bench/kernels/multigrid.c" -o "$work/multigrid" -lm || exit 2
$MPICC -g -O1 "$root/tests/advice/chain.c" -o "$work/chain" || exit 2
$MPICC -g -O1 -I"$root/tests/programs" "$root/tests/phases/phases.c" -o "$work/phases" || exit 2
cd "$work" || exit 2

# followed NAME HINTS KEY=VALUE... -- PROGRAM...: at least these are given, and all hold
followed() {
    local name=$1 hints=$2 given=
    shift 2
    while IFS=$'\t' read -r hint why; do
        given="$given $hint"
        verdict "$name: $hint" "$why"
    done < <("$python" "$root/tests/advice.py" $MPIRUN -np 2 "$tool" run -- "$@" 2>&1)
    for hint in $hints; do
        verdict "$name: there is the hint $hint" "$(grep -q -e " $hint\\b" <<<"$given" || echo "only$given")"
    done
}

followed nested "loop=[0-9a-f]* level=finer" -- "$programs/nested_solver" 150
in_full && followed multigrid "level=finer level=auto" mode=full -- ./multigrid 800
in_full && followed late "interval=1ms" interval=1h -- "$programs/stencil2d" 300
followed phases "loop=[0-9a-f]*" -- ./phases 2000 22:300 23:600
followed graph "mode=adaptive" mode=graph -- "$programs/stencil2d" 300
in_full && followed spread "" -- ./chain uneven
followed bursts "level=finer" -- ./chain bursts
followed places "signature=none" -- ./chain places
finish
