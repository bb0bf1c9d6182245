# SPDX-License-Identifier: BSD-3-Clause
# Only some ranks are traced.

as_bare "all" $bare -- -np 4 $with $any
says "all" "4 ranks on" "on all 4 ranks"
hasnt "all: nobody is said to be untraced" "ntraced" trace/summary.txt
recorded "all" "0 1 2 3"

as_bare "the first half" $bare -- -np 2 $with $any : -np 2 $any
says "the first half" "2 of 4 ranks ran without efgtrace: rank 2-3" "on all 2 ranks" "(100%)"
recorded "the first half" "0 1" "2 3"

if in_full; then
    as_bare "the second half" $bare -- -np 2 $any : -np 2 $with $any
    says "the second half" "2 of 4 ranks ran without efgtrace: rank 0-1" "on all 2 ranks" "(100%)"
    recorded "the second half" "2 3" "0 1"

    as_bare "in between" -np 6 $any -- -np 1 $any : -np 1 $with $any : -np 2 $any : -np 2 $with $any
    says "in between" "3 of 6 ranks ran without efgtrace: rank 0, 2, 3" "on all 3 ranks"
    recorded "in between" "1 4 5" "0 2 3"

    as_bare "one" $bare -- -np 3 $any : -np 1 $with $any
    says "one" "3 of 4 ranks ran without efgtrace: rank 0-2"
    recorded "one" "3" "0 1 2"

    as_bare "the untraced one is late" -np 4 $any 100 2 5 -- -np 3 $with $any 100 2 5 : -np 1 $any 100 2 5
    says "the untraced one is late" "1 of 4 ranks ran without efgtrace: rank 3"
fi

as_bare "mode off on some" $bare -- -np 1 $with EFGTRACE_MODE=off $any : -np 3 $with $any
says "mode off on some" "1 of 4 ranks ran without efgtrace: rank 0" "on all 3 ranks"
recorded "mode off on some" "1 2 3" "0"

as_bare "the runtime is missing on some" $bare -- -np 2 $with $any : -np 2 env LD_PRELOAD=$work/alone/libefgtrace.so $any
says "the runtime is missing on some" "2 of 4 ranks ran without efgtrace: rank 2-3"
has "the runtime is missing on some: said there" "this process runs untraced" err
recorded "the runtime is missing on some" "0 1" "2 3"

if in_full; then
    as_bare "all of it, of some" $bare -- -np 2 $with EFGTRACE_MODE=full $any : -np 2 $any
    says "all of it, of some" "2 of 4 ranks ran without efgtrace: rank 2-3"
    verdict "all of it, of some: otf2-print accepts the trace" "$(unreadable trace/traces.otf2)"
fi
