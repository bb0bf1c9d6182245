# SPDX-License-Identifier: BSD-3-Clause
# A log that is full.

of_steps 5000 100
traced -o limit -m full --log-limit 1M
same "log limit: exit code and output" "0 ok stencil2d: 5000 steps" "$code $(cat out)"
has "log limit: the summary says it" "the log ended early: log_limit is reached" limit/summary.txt
# Its first half or so is no whole run, whoever writes the trace.
traced -o kept -m full --log-limit 1M --keep-logs on
"$tool" trace -o made kept >said 2>&1
has "log limit: the summary does not say that all was traced" \
    "Traced       the run (mode full), on all 4 ranks only to where the log ended: see Note" limit/summary.txt
for trace in limit kept made; do
    same "log limit: $trace: the description" "the run, up to where its logs end" \
        "$(print_trace -I $trace/traces.otf2 | sed -n 's/^Description .*: //p')"
    same "log limit: $trace: messages are not complete" "false" \
        "$(print_trace -I $trace/traces.otf2 | sed -n 's/^Property value  *//p')"
done
traced -o all -m full --keep-logs on
"$tool" trace -o made.all all >said 2>&1
for trace in all made.all; do
    same "no limit: $trace: the description" "the whole run" \
        "$(print_trace -I $trace/traces.otf2 | sed -n 's/^Description .*: //p')"
done
has "no limit: the summary" "Traced       all of the run (mode full)" all/summary.txt

# Each rank stops where its own log is full: some may have made a collective that others have not.
verdict "log limit: otf2-print accepts the trace" "$(unreadable limit/traces.otf2)"
verdict "log limit: the checker finds nothing else" \
    "$(faults limit/traces.otf2 --min-matched 0.5 | grep -v '^FAIL collectives .* None on rank')"

"$root/tests/record.py" limit/traces.otf2 --rank 2 --iterations 2000 --case stencil2d >sequence 2>said
same "record.py: a line per call" \
    "$(print_trace limit/traces.otf2 | grep -c '^ENTER  *2 .*Region: "MPI_')" "$(grep -vc '#' sequence)"
same "record.py: each call site is a path" "12" "$(grep -v '#' sequence | cut -d' ' -f1 | sort -nu | tail -n 1)"
