#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The checker of traces, lib/check_trace.py, by which the other tests judge: it finds what is wrong with traces
# that are broken on purpose (checker.py), and nothing in those of programs. CHECK_TRACE, if there is one, says the
# same, figure by figure.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
compile stencil2d pingpong persistent comms collectives waitany wavefront probes threads || exit 2
$MPICC -g -O1 "$root/tests/half/any.c" -o "$work/any" || exit 2
cd "$work" || exit 2

# --- broken ones ---

verdicts() {
    local name why
    while IFS=$'\t' read -r name why; do verdict "$name" "$why"; done
}
verdicts < <("$python" "$root/tests/checker.py" "$CHECK_TRACE" 2>err ||
    printf 'checker.py\tit failed: %s\n' "$(tail -n 1 err)")

# --- right ones ---

comparable() { sed 's/ | .*//; s/, call sites [0-9]*$//' "$1"; }

# agreed NAME DIR OPTION...: what the checker says, as the other one does; in $work/checked
agreed() {
    local name=$1 trace=$2/traces.otf2
    shift 2
    faults "$trace" "$@" >found
    [ -n "$CHECK_TRACE" ] || return
    # Which fault is the first one, of several, they may see in another way. Call sites are those defined here and
    # those of events there; behind a window that was cut, some are of calls that are not in it.
    verdict "$name: the other checker says the same" "$(diff <(comparable checked) <(comparable checked.second) | head -n 3)"
}

# right NAME DIR OPTION...
right() {
    agreed "$@"
    verdict "$1: it is right" "$(head -n 2 found)"
}

for program in stencil2d persistent comms collectives waitany threads; do
    traced $program -m full -- "$programs/$program"
    right "$program, full" $program --full --iterations 0
done
for program in stencil2d pingpong probes comms; do
    traced window.$program --interval 20ms -- "$programs/$program"
    right "$program, a window" window.$program --iterations 10 --min-matched 0.5
done
traced windows --interval 20ms --windows 2 -- "$programs/stencil2d"
right "two windows" windows
traced_by 2 mpmd -m full "$programs/stencil2d" : -np 2 "$tool" run -o mpmd -m full "$programs/stencil2d"
right "two programs" mpmd --full --iterations 0

# Half of a message is not there, if its other end is not traced.
ranks 2 env LD_PRELOAD="$library" EFGTRACE_OUTPUT="$work/half" EFGTRACE_MODE=full ./any : -np 2 ./any >out 2>err ||
    verdict "half of the ranks: the run" "exit code $?: $(tail -n 3 err)"
agreed "half of the ranks" half --full --iterations 0
same "half of the ranks: what is missing is found" "messages collectives" \
    "$(sed -n 's/^FAIL \([a-z]*\).*/\1/p' checked | xargs)"
finish
