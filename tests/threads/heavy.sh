# SPDX-License-Identifier: BSD-3-Clause
# Everything at once, again and again.

# Eight threads that do all that threads can do to our tables, windows that come again and again,
# and a save at every sample. HEAVY=100,1000 tests/threads.sh is 100 runs of 1000 rounds.
heavy="-n 2 --windows 3 --save 5ms --interval 5ms"
in_full || HEAVY=${HEAVY:-1,100}
HEAVY=${HEAVY:-2,150}
runs=${HEAVY%,*} rounds=${HEAVY#*,}
bare=$(ranks 2 $bin/heavy "$rounds" 2>&1; echo "exit $?")
differ=
for run in $(seq "$runs"); do
    rm -rf heavy
    got=$(ranks 2 "$tool" run --summary off -o heavy $heavy $bin/heavy "$rounds" 2>&1; echo "exit $?")
    [ "$got" = "$bare" ] || differ="run $run: $got"
done
verdict "heavy: $runs of $runs runs as without" "$differ"
if [ -f heavy/traces.otf2 ]; then
    verdict "heavy: otf2-print accepts the trace" "$(unreadable heavy/traces.otf2)"
else # one run in 50 of 80 rounds was too short for the ranks to agree
    skip "heavy: otf2-print accepts the trace" "no window was recorded"
fi
