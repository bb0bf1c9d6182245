#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Calls in the first round of a loop of few rounds, in code that compilers make: what is said of them is what the
# program counted.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/rounds.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

cd "$work" || exit 2
case $(uname -m) in
x86_64) ;;
*) skip "rounds of loops" "machine code is not known here" && finish ;;
esac
marked=0
wrong=0
seed=0
for options in -O2 -O0 -O3 -Os -O1 $(in_full && echo -Og "-O2,-fno-omit-frame-pointer" "-O2,-fcf-protection=none"); do
    for time in 1 2 $(in_full && seq 3 6); do
        seed=$((seed + 1))
        "$python" "$root/tests/rounds.py" make $seed >program.c
        # shellcheck disable=SC2046 # several options
        $MPICC $(echo "$options" | tr , ' ') -g -fno-optimize-sibling-calls program.c -o program || exit 2
        traced_by 1 out -m graph -- ./program
        ./program >printed
        same "$options, program $seed: it prints the same" "$(cat printed)" "$(cat traced.out)"
        "$tool" graph -f json -r 0 out >graph.json
        "$python" "$root/tests/rounds.py" check printed graph.json >counts
        read -r some bad <counts
        same "$options, program $seed: first rounds are what they are said to be" 0 "$bad"
        marked=$((marked + some))
        rm -rf out
    done
done
verdict "many are found: $marked" "$([ $marked -ge 8 ] || echo "8 or more expected")"

$MPICC -O2 -g "$root/bench/loops/programs/boosting.c" -o trees -lm || exit 2
traced_by 2 boosting -- ./trees
same "trees that do nothing but go through their levels" 60 \
    "$(sed -n 's/^Main loop *in [^,]*, \([0-9]*\) iterations.*/\1/p' boosting/summary.txt)"
finish
