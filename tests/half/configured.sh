# SPDX-License-Identifier: BSD-3-Clause
# Ranks that are configured differently.

if in_full; then
    as_bare "other windows" $bare -- -np 2 $with EFGTRACE_WINDOWS=2 $any : -np 2 $with $any
    has "other windows: said" "rank 2 is configured differently (windows)" err
    recorded "other windows" "0 1 2 3"

    as_bare "other saves" $bare -- -np 2 $with EFGTRACE_SAVE=0s $any : -np 2 $with $any
    has "other saves: said" "rank 2 is configured differently (save)" err
    recorded "other saves" "0 1 2 3"

    as_bare "other keep-logs" $bare -- -np 3 $with $any : -np 1 $with EFGTRACE_KEEP_LOGS=1 $any
    has "other keep-logs: said" "rank 3 is configured differently (keep-logs)" err
    recorded "other keep-logs" "0 1 2 3"
    same "other keep-logs: those of the first rank" "" "$(ls trace/logs 2>/dev/null)"

    as_bare "another mode" $bare -- -np 2 $with EFGTRACE_MODE=graph $any : -np 2 $with EFGTRACE_MODE=full $any
    has "another mode: said" "rank 2 is configured differently (mode)" err
    same "another mode: that of the first rank" "" "$(ls trace/traces.otf2 2>/dev/null)"
fi

as_bare "all else" $bare -- -np 1 $with EFGTRACE_SEQUENCE=off EFGTRACE_CLOCK=system EFGTRACE_DEPTH=5 \
    EFGTRACE_SYMBOLS=off $any : -np 3 $with EFGTRACE_ITERATIONS=5 $any
has "all else: said" "rank 1 is configured differently (iterations, depth, sequence, clock, symbols)" err
says "all else" "10 iterations"
recorded "all else" "0 1 2 3"
