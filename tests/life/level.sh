# SPDX-License-Identifier: BSD-3-Clause
# The key level.

# visits DIR: of the pivot
visits() {
    "$tool" graph "$1" --format json |
        /usr/bin/python3 -c 'import json, sys; print((json.load(sys.stdin)["pivot"] or {"visits": 0})["visits"])'
}
for level in finer coarser; do # auto may take either
    launch "$tool" run --interval 20ms -o level.$level --level $level "$programs/nested_solver" 150 700
    inner=$(sed -n 's/^inner iterations: //p' out)
    wanted=150
    [ $level = finer ] && wanted=$inner
    got=$(visits level.$level)
    verdict "level $level" "$([ $((got - wanted)) -ge -3 ] && [ $((got - wanted)) -le 3 ] ||
        echo "$got visits of the pivot, $wanted iterations")"
    said="no loop is coarser"
    [ $level = finer ] && said="EFGTRACE_LEVEL=auto    selects the 150 x"
    has "level $level: the summary says it" "$said" level.$level/summary.txt
done
