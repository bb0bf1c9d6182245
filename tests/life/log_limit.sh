# SPDX-License-Identifier: BSD-3-Clause
# A log that is full.

of_steps 5000 100
traced -o limit -m full --log-limit 1M
same "log limit: exit code and output" "0 ok stencil2d: 5000 steps" "$code $(cat out)"
has "log limit: the summary says it" "the log ended early: log_limit is reached" limit/summary.txt
# Each rank stops where its own log is full: some may have made a collective that others have not.
verdict "log limit: otf2-print accepts the trace" "$(unreadable limit/traces.otf2)"
verdict "log limit: the checker finds nothing else" \
    "$(faults limit/traces.otf2 --min-matched 0.5 | grep -v '^FAIL collectives .* None on rank')"

"$root/tests/record.py" limit/traces.otf2 --rank 2 --iterations 2000 --case stencil2d >sequence 2>said
same "record.py: a line per call" \
    "$(otf2-print limit/traces.otf2 | grep -c '^ENTER  *2 .*Region: "MPI_')" "$(grep -vc '#' sequence)"
same "record.py: each call site is a path" "12" "$(grep -v '#' sequence | cut -d' ' -f1 | sort -nu | tail -n 1)"
