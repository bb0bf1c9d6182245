#!/bin/sh
# A pipeline whose ranks are several steps apart, with random times: no run may hang, and each must
# print what the bare run does.
#
# usage: tests/deadlock.sh [RUNS [RANKS]]     default: 3 runs of 4 ranks; 200 runs for the full test
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
runs=${1:-3}
ranks=${2:-4}
compile wavefront || exit 2

# run SEED PREFIX...
run() {
    seed=$1
    shift
    ranks "$ranks" "$@" "$programs/wavefront" 800 500 "$seed"
}

run 0 >"$work/bare" 2>"$work/bare.err" || verdict bare "$(tail -n 2 "$work/bare.err")"
recorded=0
for seed in $(seq "$runs"); do
    dir=$work/trace.$seed
    run "$seed" "$tool" run -o "$dir" --interval 20ms >"$work/out" 2>"$work/err"
    code=$?
    why=
    [ $code -eq 0 ] || why="exit code $code: $(tail -n 2 "$work/err")"
    [ $code -eq 124 ] && why="it hangs"
    [ -n "$why" ] || why=$(diff "$work/bare" "$work/out" | head -n 2)
    [ -f "$dir/traces.otf2" ] && recorded=$((recorded + 1))
    verdict "wavefront, seed $seed" "$why"
    rm -rf "$dir"
done
echo "note $recorded of $runs runs recorded a window"
finish
