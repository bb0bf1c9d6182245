#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The checker of traces, lib/check_trace.py, by which the other tests judge: it finds what is wrong with traces
# that are broken on purpose (checker.py), and nothing in those of programs, here those of several windows and of
# several programs; of single ones: programs.sh. CHECK_TRACE, if there is one, says the same, figure by figure.
# Of two levels: in_full is what only `make check-all` has.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
compile stencil2d || exit 2
$MPICC -g -O1 "$root/tests/half/any.c" -o "$work/any" || exit 2
cd "$work" || exit 2

# --- broken ones ---

verdicts() {
    local name why
    while IFS=$'\t' read -r name why; do verdict "$name" "$why"; done
}
verdicts < <("$python" "$root/tests/checker.py" $(in_full || echo --few) "$CHECK_TRACE" 2>err ||
    printf 'checker.py\tit failed: %s\n' "$(tail -n 1 err)")

# --- right ones ---

# right NAME DIR OPTION...
right() {
    local name=$1 trace=$2/traces.otf2
    shift 2
    faults "$trace" "$@" >found
    agreed "$name"
    verdict "$name: it is right" "$(head -n 2 found)"
}

traced windows --interval 20ms --windows 2 -- "$programs/stencil2d"
right "two windows" windows
counted "two windows" windows
traced_by 2 mpmd -m full "$programs/stencil2d" : -np 2 "$tool" run -o mpmd -m full "$programs/stencil2d"
right "two programs" mpmd --full --iterations 0

# Half of a message is not there, if its other end is not traced.
ranks 2 env LD_PRELOAD="$library" EFGTRACE_OUTPUT="$work/half" EFGTRACE_MODE=full ./any : -np 2 ./any >out 2>err ||
    verdict "half of the ranks: the run" "exit code $?: $(tail -n 3 err)"
faults half/traces.otf2 --full --iterations 0 >found
agreed "half of the ranks"
same "half of the ranks: what is missing is found" "messages collectives" \
    "$(sed -n 's/^FAIL \([a-z]*\).*/\1/p' checked | xargs)"
finish
