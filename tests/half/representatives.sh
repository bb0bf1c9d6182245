# SPDX-License-Identifier: BSD-3-Clause
# One rank of each group with the same graph is in the trace.

# in_trace RANK WHAT: how many events of this kind the trace has of the rank
in_trace() {
    print_trace --location $1 "$folder/traces.otf2" 2>/dev/null | grep -c "^$2 "
}

as_bare "representatives" $bare -- -np 4 $with EFGTRACE_RANKS=representatives $any
says "representatives" "it has 1 of 4 ranks, one of each group with the same graph: 0; messages with other" \
    "10 iterations" "(100%)"
recorded "representatives" "0" "1 2 3"
sends=$(in_trace 0 MPI_SEND)
verdict "representatives: the ends of messages that this rank has stay" "$([ "$sends" -ge 30 ] || echo "$sends sends in ten iterations with 3 each")"
same "representatives: no logs stay" "none" "$(ls trace/logs 2>/dev/null || echo none)"
for what in report "report --json" "export -f json" "export -f perfetto"; do
    "$tool" $what trace >said 2>told
    same "representatives: efgtrace $what" "0 " "$? $(cat told)"
done

if in_full; then
    as_bare "representatives, logs kept" $bare -- -np 4 $with EFGTRACE_RANKS=representatives EFGTRACE_KEEP_LOGS=on $any
    same "representatives, logs kept: of all ranks" 4 "$(ls trace/logs | grep -c 'log$')"
    "$tool" trace -o trace.all trace >said 2>told
    folder=trace.all
    verdict "representatives, logs kept: all ranks can be traced afterwards" "$([ -n "$(iterations 3)" ] && [ "$(iterations 3)" = "$(iterations 0)" ] || cat said told)"
    rm -rf trace.all

    as_bare "representatives, all of the run" $bare -- -np 4 $with EFGTRACE_RANKS=representatives EFGTRACE_MODE=full $any
    same "representatives, all of the run: sends of one" "1800 0" "$(in_trace 0 MPI_SEND) $(in_trace 2 MPI_SEND)"
fi
