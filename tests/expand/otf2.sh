# SPDX-License-Identifier: BSD-3-Clause
# As an OTF2 trace again.

traces stencil2d threads $(in_full && echo collectives)

# rebuilt DIR: as a trace again, which has the same calls as the sequences
rebuilt() {
    "$tool" expand --format otf2 --output "$1.again" "$work/$1" >out 2>err
    same "$1 as OTF2: exit code" 0 $?
    verdict "$1 as OTF2: otf2-print accepts it" "$(unreadable "$1.again/traces.otf2")"
    cp "$work/$1/run.efg" "$1.again"
    lossless "$1.again"
}
rebuilt stencil2d
rebuilt threads
in_full && rebuilt collectives
for rank in $(in_full && echo 0) 3; do
    verdict "rebuilt times: sums of rank $rank are those of its nodes and edges" \
        "$("$python" "$root/tests/rebuilt.py" "$tool" "$work/stencil2d" stencil2d.again/traces.otf2 $rank 2>&1)"
done
verdict "rebuilt times: the trace says so" "$(
    print_trace -I stencil2d.again/traces.otf2 2>&1 | grep -q 'TIMES_REBUILT' ||
        print_trace -I stencil2d.again/traces.otf2)"
"$tool" expand -r 1-2 -f otf2 -o some "$work/stencil2d" >out 2>err
same "OTF2 of two ranks: the others are empty" "0 1 1 0" "$(
    print_trace -G some/traces.otf2 | sed -n 's/.*LOCATION .*# Events: *\([0-9]*\).*/\1/p' |
        awk '{ print ($1 > 0) }' | paste -sd ' ')"
