#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The key accuracy: iterations are spread over the run until shares of the time in them are as accurate as asked
# for; and the summary says whether they are. No share is off by 100 points, and none ever by less than 0.01, so
# what is recorded does not depend on the machine.
#
# usage: tests/accuracy.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

dir=$work/trace
compile slow || { verdict "it compiles" "see above"; finish; }

# recorded OPTION...: how many iterations were spread
recorded() {
    rm -rf "$dir"
    ranks 4 "$tool" run -o "$dir" "$@" "$programs/slow" 1200 300 >"$work/out" 2>"$work/err"
    verdict "$*: the program ends" "$([ $? -eq 0 ] || tail -n 2 "$work/err")"
    count=$(sed -n 's/.* \([0-9]*\) iterations, spread over the run.*/\1/p' "$dir/summary.txt")
    verdict "$*: the checker accepts the trace" "$(faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2)"
}

recorded --accuracy 100%
verdict "easy: as many as spread has" "$([ "$count" -ge 10 ] && [ "$count" -lt 20 ] || echo "it has $count")"
has "easy: the summary says so" "with 95% confidence: better than the 100 asked for" "$dir/summary.txt"
has "easy: the first ones are there, too" "Traced       10 iterations, number" "$dir/summary.txt"

recorded --accuracy 0.01% --select spread
verdict "hard: it goes on" "$([ "$count" -ge 40 ] || echo "it has $count")"
has "hard: the summary says why not" "with 95% confidence, not 0.01: the run was too short" "$dir/summary.txt"

recorded --select spread
same "without: as many as are asked for" 10 "$count"
hasnt "without: nothing is said" "Accuracy" "$dir/summary.txt"
finish
