#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The key accuracy: iterations are spread over the run until shares of the time in them are as accurate as asked
# for; and the summary says whether they are. No share is off by 100 points, and none ever by less than 0.01, so
# what is recorded does not depend on the machine.
# Of two levels: in_full is what only `make check-all` has.
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

# says FILE HEAD: what it says of the accuracy behind HEAD, as one line
says() {
    sed -n "/^$2/,/^[A-Z0-9]/p" "$1" | sed '1!{/^[A-Z0-9]/d}' | tr -s ' \n' ' ' | sed 's/^Accuracy:* //; s/ $//'
}

# alike NAME: summary, report and JSON say the same of it
alike() {
    "$tool" report "$dir" >"$work/text"
    verdict "$1: the report says what the summary says" "$("$tool" report --json "$dir" | "$python" -c '
import json, sys
said, summary, text = json.load(sys.stdin)["representative"]["accuracy"], *sys.argv[1:]
if not summary or said["sentence"] != summary: print("JSON:", said, "summary:", summary)
if text != summary: print("text:", text, "summary:", summary)
if "%.3g points" % (100 * said["error"]) not in summary: print("error:", said["error"])' "$(says "$dir/summary.txt" "Accuracy  ")" \
        "$(says "$work/text" "Accuracy: ")")"
}

if in_full; then
    recorded --accuracy 100%
    verdict "easy: as many as spread has" "$([ "$count" -ge 10 ] && [ "$count" -lt 20 ] || echo "it has $count")"
    verdict "easy: the summary says so" "$(says "$dir/summary.txt" Accuracy |
    grep -v "with 95% confidence: better than the 100 asked for$")"
    alike easy
    has "easy: the first ones are there, too" "Traced       10 iterations, number" "$dir/summary.txt"
fi

recorded --accuracy 0.01% --select spread
verdict "hard: it goes on" "$([ "$count" -ge 40 ] || echo "it has $count")"
verdict "hard: the summary says why not" "$(says "$dir/summary.txt" Accuracy |
    grep -v "with 95% confidence, not 0.01: the run was too short")"
alike hard

if in_full; then
    recorded --select spread
    same "without: as many as are asked for" 10 "$count"
    hasnt "without: nothing is said" "Accuracy" "$dir/summary.txt"
fi
finish
