#!/bin/sh
# The key "memory" with programs that never do the same thing twice (tests/memory/many.c): the
# process stays within it, nothing is lost from the counts, ranks agree, and it is said once.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/memory.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

many=$work/many
$MPICC -g -O1 tests/memory/many.c -o "$many" || exit 2

# run KIND COUNT ARGUMENTS...: traced on two ranks
run() {
    kind=$1 count=$2
    shift 2
    dir=$work/run.$kind
    rm -rf "$dir"
    (cd "$work" && timeout 300 $MPIRUN -np 2 "$tool" run -o "$dir" \
        --interval 10ms "$@" "$many" "$kind" "$count" >out 2>err)
    same "$kind: exit code" 0 $?
}

# graph RANK EXPRESSION: a value of Python for the graph g of the rank
graph() {
    "$tool" graph --format json --rank "$1" "$dir" | "$python" -c "
import json, sys
g = json.load(sys.stdin)
print($2)"
}

# within KIND KILOBYTES: what the process took on, and what it says itself
within() {
    grown=$(sed -n 's/^grown \([0-9]*\) kB$/\1/p' "$work/out")
    verdict "$1: $grown kB of $2" "$([ "${grown:-999999}" -le "$2" ] || echo "more")"
}

# whole KIND CALLS: none of the calls of a rank is missing, nor the way from one to the next
whole() {
    for rank in 0 1; do
        same "$1: calls of rank $rank" "$2" "$(graph $rank "sum(n['count'] for n in g['nodes'])")"
        same "$1: transitions of rank $rank" $(($2 - 1)) \
            "$(graph $rank "sum(e['count'] for e in g['edges'])")"
    done
}

# Names of what rank 1 does: rank 0, which is the root of the last reduction, does more.
names() { # RANK
    graph "$1" "sorted(n['hash'] for n in g['nodes'] if n['call'] in ('MPI_Bcast', 'MPI_Allreduce'))" |
        tr -d "[],'" | tr ' ' '\n' | sort >"$work/names.$1"
}

# A rank that hears of it from the other one before it has used up its own memory has nothing to say.
said_once() { # KIND
    said=$(sed -n 's/^efgtrace: \(rank [01]\): the memory of .* is used up.*/\1/p' "$work/err")
    verdict "$1: it is said" "$([ -n "$said" ] || tail -n 3 "$work/err")"
    verdict "$1: a rank says it once" "$(echo "$said" | sort | uniq -d)"
}

# Calls: COUNT less its last tenth, a sum after each step, and one at the end. A shorter run may be over before the
# ranks have a pivot.
run sizes 3000000 --memory 4M --signature path,size
within sizes 4096
whole sizes 2701001
said_once sizes
same "sizes: the steps are the iterations" 1000 \
    "$(graph 0 "round(g['pivot']['visits'], -1) if g['pivot'] else 'no pivot'")"
same "sizes: the summary" 1 "$(grep -c 'sizes not told apart, for want of memory' "$dir/summary.txt")"

# Whole stacks are walked, however few of their frames are left: that is above the limit.
run paths 1000000 --memory 4M --overhead none
within paths 4096
whole paths 901001
said_once paths
same "paths: the summary" 1 \
    "$(grep -c 'inner frames of call paths not told apart' "$dir/summary.txt")"

if in_full; then
    # One rank needs less than the other: in the end their graphs have the same names.
    run uneven 400000 --memory 4M --signature path,size
    whole uneven 361001
    names 0
    names 1
    same "uneven: rank 1 does two things" 2 "$(wc -l <"$work/names.1")"
    verdict "uneven: rank 0 calls them the same" "$(comm -13 "$work/names.0" "$work/names.1")"
fi

# A window whose log is full ends with its last whole iteration, on all ranks.
run sizes 1000000 --signature path --log-limit 1M --iterations 1000
same "log limit: it is said" 2 "$(grep -c '^efgtrace: .*the log ended early' "$work/err")"
same "log limit: a part of the iterations is there" 1 \
    "$(grep -c '^Traced .* iterations*, number' "$dir/summary.txt")"
verdict "log limit: otf2-print accepts the trace" \
    "$(unreadable "$dir/traces.otf2")"

# Requests beyond half of the memory are not followed; the program does not notice.
run requests 50000 --memory 4M
same "requests: it is said" 2 "$(grep -c '^efgtrace: .*requests found no memory' "$work/err")"
whole requests 101002

# What was made of a communicator is forgotten with it.
run comms 20000
within comms 500

finish
