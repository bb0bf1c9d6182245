# SPDX-License-Identifier: BSD-3-Clause
# What the keys summary, keep_logs, windows, skip, verbose and mode do.

of_steps 1000
if in_full; then
    traced -o quiet --summary off
    as_bare "summary off"
    same "summary off: nothing is said" "" "$(cat err)"
    has "summary off: it is kept" "Traced       10 iterations" quiet/summary.txt
fi

traced -o kept --keep-logs
same "keep-logs: a log per rank" "0.0.log 1.0.log 2.0.log 3.0.log" "$(ls kept/logs | xargs)"
"$tool" trace -o again kept >said 2>&1
same "keep-logs: a second trace" 0 $?
accepted "keep-logs" again/traces.otf2 --iterations 10

if in_full; then
    traced -m graph -o graph
    same "nothing is recorded: no logs stay" "run.efg summary.txt" "$(ls graph | xargs)"
    "$tool" trace graph >said 2>&1
    same "nothing is recorded: trace" 1 $?
    has "nothing is recorded: it is said what there is" '`efgtrace report` says what the job did' said
    of_steps 3
    traced -o short
    same "too short to record: no logs stay" "run.efg summary.txt" "$(ls short | xargs)"
    has "too short to record: it is said why" "Traced       nothing" short/summary.txt
    of_steps 1000
fi

traced -o three --windows 3
same "windows 3" "3" "$(grep -c '^  *number [0-9]* to' three/summary.txt)"
accepted "windows 3" three/traces.otf2 --iterations 30
if in_full; then
    traced -o skipped --skip 300
    first=$(sed -n 's/.*iterations, number \([0-9]*\) to .*/\1/p' skipped/summary.txt)
    verdict "skip 300" "$([ "${first:-0}" -ge 300 ] || echo "the first iteration is ${first:-none}")"

    traced -o told -v
    as_bare "verbose"
    for what in "main loop found" "the ranks agreed to record from iteration" "recording from iteration" \
        "recorded up to iteration"; do
        same "verbose: $what" 1 "$(ours | grep -c " s: $what")"
    done
fi

traced -m off -o nothing
as_bare "mode off"
same "mode off: nothing is said or written" " " "$(cat err) $(ls -d nothing 2>/dev/null)"
