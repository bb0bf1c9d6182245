#!/bin/sh
# The limit of what watching may take. It is so low here that any machine exceeds it: what is left out then is said,
# no call is lost without being counted, and what is asked for explicitly is kept.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/limit.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

dir=$work/trace
low=0.01%
$MPICC -O1 -g bench/limit.c -o "$work/limit" || exit 2

$MPICC -O1 -g tests/limit/asking.c -o "$work/asking" || exit 2
program=$work/limit

# limited RANKS WHAT OPTION...: calls of the program, those in the graph and those that were not seen
limited() {
    number=$1
    what=$2
    shift 2
    rm -rf "$dir"
    ranks "$number" "$tool" run -o "$dir" --patience 100s "$@" "$program" $what >"$work/out" 2>"$work/err"
    made=$(sed 's/.* //' "$work/out")
    "$tool" report --json "$dir" >"$work/report.json"
    counts=$("$python" -c '
import json, sys
o = json.load(open(sys.argv[1]))["overview"]
print(o["calls"], o["cost"]["unwatched"], o["cost"]["paused"] > 0, any("were watched for" in f for f in o["findings"]))
' "$work/report.json")
    set -- $counts
    seen=$1 unseen=$2 pauses=$3 found=$4
}

verdict "bench/limit.py finds how many iterations take so long" "$("$python" bench/limit.py --check 2>&1 | tail -n 1)"

# Each call passes, so that it is counted.
export EFGTRACE_BYPASS=off
limited 2 "messages 1.5s" --overhead $low
same "messages: each call was seen or is counted" "$made" "$((seen + unseen))"
same "messages: watching has paused, and the report says so" "True True" "$pauses $found"
has "messages: the summary says so" "Limit        of 0.01% of the time" "$dir/summary.txt"
has "messages: and that it was not kept" "             not kept: watching took " "$dir/summary.txt"
# One count for the main loop, as it was watched; the number of all its iterations is beside it.
if grep -q "^Main loop    in" "$dir/summary.txt"; then
    watched=$(sed -n 's/^Main loop    in .*, \([0-9]*\) iterations that were watched, of about [0-9].*/\1/p' "$dir/summary.txt")
    COLUMNS=1000 "$tool" report "$dir" | tr -s "\n " "  " >"$work/said"
    same "messages: the summary's table has as many" "$watched" "$(sed -n 's/^ *\([0-9]*\) .* \* *in .*/\1/p' "$dir/summary.txt")"
    speaker=$(sed -n 's/^ repetitions .* loops of rank \([0-9]*\) .*, watched for .*% of the time$/\1/p' "$dir/summary.txt")
    verdict "messages: the table says of what it is" "$([ -n "$speaker" ] || grep "^ repetitions" "$dir/summary.txt")"
    same "messages: the number of all is said once" 1 "$(grep -c "of about" "$dir/summary.txt")"
    has "messages: so the first lines of the report" "iterations of the main loop, $watched were watched" "$work/said"
    "$tool" profile --rank "$speaker" "$dir" >"$work/profile"
    has "messages: the profile says of what it is" "of the time, the order of calls until the first pause" "$work/profile"
    ordered=$(sed -n 's/^.* for \([0-9]*\) times in .*\* main loop/\1/p' "$work/profile")
    verdict "messages: it has as many, or fewer if watching went on" "$([ "${ordered:-1}" -le "$watched" ] || echo "$ordered of $watched")"
fi
"$tool" compare "$dir" "$dir" >"$work/compared"
has "messages: compare says of what its times are" "B was watched for " "$work/compared"
"$tool" compare "$dir" "$dir" "$dir" >"$work/compared"
has "messages: of three runs, too" "($dir was watched for " "$work/compared"
has "messages: all have their window" "on all 2 ranks" "$dir/summary.txt"
verdict "messages: the trace is right" "$(faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2)"
verdict "messages: the order ends with the first pause" "$(
    lines=$("$tool" expand -r 0 "$dir" 2>/dev/null | wc -l)
    [ "$lines" -gt 100 ] && [ "$lines" -lt "$made" ] || echo "$lines calls")"

if in_full; then
    limited 2 "messages 1.5s" --overhead $low --select first,slow
    has "ring: it is said that it was given up" "slow iterations were looked for at the beginning only" "$dir/summary.txt"
    same "ring: each call was seen or is counted" "$made" "$((seen + unseen))"
fi

limited 1 "polls 1s" --overhead $low
has "polls: some stand for others" "one of 61 to 509 is measured" "$dir/summary.txt"
same "polls: each was seen or is counted" "$made" "$((seen + unseen))"

# What these find is known of: the windows that come later are whole.
program=$work/asking
limited 2 2000 --overhead 20% --select spread
has "asking: some stand for others" "one of 61 to 509 is measured" "$dir/summary.txt"
same "asking: each was seen or is counted" "$made" "$((seen + unseen))"
verdict "asking: the trace is right" "$(faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2)"
has "asking: all messages in its windows are matched" "matched (100%)" "$dir/summary.txt"
program=$work/limit

if in_full; then
    limited 1 "messages 0.5s" --overhead $low -m graph
    same "graph: each call was seen or is counted" "$made" "$((seen + unseen))"
    same "graph: watching has paused" "True" "$pauses"

    EFGTRACE_SEQUENCE=on limited 1 "messages 0.5s" --overhead $low
    same "an order that was asked for: no call is missing" "$made 0" "$seen $unseen"
    has "an order that was asked for: the limit is exceeded" "exceeded: watching does not pause" "$dir/summary.txt"
fi

# In pauses the program calls MPI itself: calls are estimated then, and seen again when the pause is over.
unset EFGTRACE_BYPASS
# near NAME FACTOR: the number of calls is right but for that
near() {
    verdict "$1" "$([ $(((seen + unseen) * $2)) -gt "$made" ] && [ $((seen + unseen)) -lt $((made * $2)) ] ||
        echo "$seen and $unseen, not about $made")"
}
limited 2 "messages 1.5s" --overhead $low
near "bypass: about as many calls are said to have been, even of ranks that take turns on a processor" 8
has "bypass: the summary says that this is an estimate" "with pauses: about " "$dir/summary.txt"
verdict "bypass: and the report" "$(grep -q "and about [0-9.]* [a-z ]*calls a rank were not" "$work/report.json" || echo "no about")"
verdict "bypass: the trace is right" "$(faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2)"
if in_full; then
    limited 1 "polls 8s messages 9s" --overhead 5% -m graph
    near "bypass: about as many calls, with pauses that end" 2
    has "bypass: it began" "with pauses: about " "$dir/summary.txt"
    verdict "bypass: what comes later is seen" "$(grep -q MPI_Sendrecv "$work/report.json" || echo "no MPI_Sendrecv")"

    limited 1 "messages 0.5s" --overhead none
    same "no limit: no call is missing" "$made 0" "$seen $unseen"
    hasnt "no limit: nothing is said" "Limit " "$dir/summary.txt"
fi

limited 1 "messages 0.3s"
same "by default, no call of a short run is missing" "$made 0" "$seen $unseen"
has "by default, the summary says why a short run took more" "runs below 200 s count as 200 s" "$dir/summary.txt"

limited 1 "messages 0.3s" -m full
hasnt "a full trace has no limit" "Limit " "$dir/summary.txt"
finish
