#!/bin/sh
# That the benchmark measures what it says: its statistics; that bench/calls.c makes as many calls, from
# as many call paths, of such a depth, as it was asked to. No times.
# Of two levels: in_full is what only `make check-all` has.

. "$(dirname "$0")/frame.sh"

verdict "statistics" "$(cd bench && "$python" -B -m doctest spread.py 2>&1 | head -n 20)"
$MPICC -std=gnu11 -O2 -g bench/calls.c -o "$work/calls" || exit 2

# traced FUNCTION ARGUMENTS...: of the calls that FUNCTION of calls.c made, as the graph has them:
# how many, from how many call paths, of which depths (without the C library's frames)
traced() {
    rm -rf "$work/trace"
    function=$1
    shift
    ranks 1 "$tool" run --mode graph --summary off -o "$work/trace" "$work/calls" "$@" \
        >"$work/out" 2>&1 || cat "$work/out" >&2
    "$tool" graph --format json "$work/trace" | "$python" -c '
import json, sys
inlined, libc = ("call", "measure"), 3
nodes = [n for n in json.load(sys.stdin)["nodes"] if n["path"][0]["function"] == sys.argv[1]]
depths = {sum(f["function"] not in inlined for f in n["path"]) - libc for n in nodes}
print(sum(n["count"] + n["polls"] for n in nodes), len(nodes), *depths)' "$function"
}

for depth in $(in_full && echo 2 8) 16; do
    same "depth $depth" "300 1 $depth" "$(traced sendrecv Sendrecv $depth 1 300 1 0)"
done
for paths in $(in_full && echo 10) 1000; do
    same "$paths call paths" "2000 $paths 16" "$(traced sendrecv Sendrecv 16 $paths 2000 1 0)"
done
for kind in Test $(in_full && echo Send_null Waitall Allreduce) ring; do
    function=$(echo $kind | tr A-Z a-z)
    paths=1
    [ $kind = Waitall ] && paths=3
    [ $kind = ring ] && paths=4
    same "calls of a turn of $kind" "300 $paths 5" "$(traced "$function" $kind 5 1 300 1 0)"
done

# The document of the papers, of the smallest kernel.
if ! in_full; then
    :
elif command -v gnuplot >/dev/null && command -v dot >/dev/null; then
    BUILD=$build "$python" bench/papers.py -o "$work/papers" stencil >"$work/out" 2>&1
    same "papers: they are made" "0 README.md graph.svg growth.svg steps.svg" "$? $(ls "$work/papers" | paste -sd ' ')$(grep -A 3 Error "$work/out")"
    row=$(sed -n '/^## Compression/,/^## Size/s/^| stencil | //p' "$work/papers/README.md")
    same "papers: calls, nodes and edges of the stencil" "80012 | 14 | 15" "${row%% | 5715*}"
    same "papers: its halo, of a plane of 2 x 2: two neighbours, from two sides each" 2 "$(sed -n '/^## Halos/,/^## Gr/p' "$work/papers/README.md" | grep -c '| stencil | grid ([-+0-9, ]*) | 16000 |')"
    if EFGTRACE_COUNTERS=task-clock "$tool" check | grep -q "here: task-clock"; then
        has "papers: what was counted" "| stencil | page-faults | " "$work/papers/README.md"
    fi
    same "papers: ten iterations of it" "2000 | 10" "$(sed -n '/^## Ten/,/^## Rep/s/^| stencil | \([0-9]* | [0-9]*\) .*/\1/p' "$work/papers/README.md")"
else
    skip "papers" "no gnuplot, no graphviz"
fi

finish
