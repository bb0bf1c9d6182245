#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Polls that found nothing are in MPI, in all that is said of a run: against a trace of it (polls.py).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/polls.sh       environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile polling spinning || exit 2
cd "$work" || exit 2

for number in $(in_full && echo 2) 4; do
    for program in $(in_full && echo polling) spinning; do
        traced_by $number $program.$number --mode full -- "$programs/$program" 200 2000
        agrees "$program on $number ranks: in MPI" polls.py $program.$number
        agrees "$program on $number ranks: by call site" representative.py $program.$number --full
        agrees "$program on $number ranks: waiting" waiting.py $program.$number
    done
done

"$tool" report spinning.4 >text
has "whom they wait for" "rank 1 for rank 0" text
verdict "spins wait for what ends them" "$("$tool" report --json spinning.4 | "$python" -c '
import json, sys
pairs = json.load(sys.stdin)["waiting"]["pairs"]
unknown = sum(time for _, other, time, _ in pairs if other is None)
assert unknown < sum(time for *_, time, _ in pairs) / 2, pairs' 2>&1 | tail -n 1)" # 64 polls in a row are explained

# The spins of two call sites by turns are a call for each, not one for each poll.
in_full && verdict "a spin of thousands of polls is two calls" "$("$python" -c '
import json, subprocess, sys
report = json.loads(subprocess.check_output([sys.argv[1], "report", "--json", "spinning.2"]))
polls = sum(node["polls"] for node in report["graph"]["nodes"])
calls = report["waiting"]["all"]["calls"]
assert polls > 20 * calls, (polls, calls)' "$tool" 2>&1 | tail -n 1)"

traced_by 2 some -- "$programs/spinning" 300 2000
agrees "some iterations: how well they stand for the run" representative.py some
"$tool" report some >text
verdict "what never finds anything has a time, and no longest" \
    "$(grep -qE ' +- +MPI_Iprobe  spinning.c:[0-9]+ look_for_others' text || grep MPI_Iprobe text)"
has "in the main loop, too" "     polls " text
"$tool" graph --all some >dot
verdict "and polls in the picture" "$(grep -qE 'look_for_others\\nfound nothing: [0-9]+ x ' dot || grep MPI_Iprobe dot)"

finish
