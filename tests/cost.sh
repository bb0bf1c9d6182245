#!/bin/sh
# What the summary says that a call costs, against what it costs: a program of many calls that
# do next to nothing (tests/cost/cheap.c) measures the CPU time of one, traced and not.
#
# Medians of several runs, in turns; the statement may be off by a factor of two.
#
# usage: tests/cost.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

$MPICC -g -O1 tests/cost/cheap.c -o "$work/cheap" || exit 2
cd "$work" || exit 2

median() { sort -n "$1" | sed -n "$((($(wc -l <"$1") + 1) / 2))p"; }

for run in 1 2 3 4 5; do
    $MPIRUN -np 1 ./cheap | sed -n 's/^each //p' >>bare
    $MPIRUN -np 1 "$tool" run -m graph -o run.$run ./cheap 2>err | sed -n 's/^each //p' >>traced
    sed -n 's/^ .* calls, \([0-9.]*\) ns each$/\1/p' run.$run/summary.txt >>stated
done
measured=$(($(median traced) - $(median bare)))
stated=$(median stated)
verdict "a call costs $measured ns, the summary says $stated" \
    "$(awk -v m="$measured" -v s="${stated:-0}" 'BEGIN {
        if (s < m / 2 || s > 2 * m) print "not within a factor of two" }')"
verdict "each run has said it" "$([ "$(wc -l <stated)" -eq 5 ] || cat err)"
grep ' ns each$' run.5/summary.txt >line
verdict "so many calls" "$(grep -q ': 2.00 million calls, ' line || cat line)"

# No call of the calibration is in the graph: one Test, one Wait, each a million times.
"$tool" graph --format json run.5 >graph.json
verdict "the graph has what the program did" "$("$python" -c '
import json
nodes = sorted((n["call"], n["count"]) for n in json.load(open("graph.json"))["nodes"])
wanted = [("MPI_Test", 1000000), ("MPI_Wait", 1000000)]
print("" if nodes == wanted else nodes)')"

finish
