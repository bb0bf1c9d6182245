#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Names that would be more than text to a terminal, a browser or another reader: in a run file
# that has them everywhere, and of a real program that has them wherever a program can. Links and
# pipes in the way of what the tool reads and writes; files that say what cannot be. (That such a
# page does nothing in a browser, page.sh shows; what fuzzers found, fuzz.sh.)
#
#   tests/hostile.sh [CASE...]     the cases: tests/hostile; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
mark='<img src=x onerror=document.title=1>'
codes=$'\e]0;owned\a\xe2\x80\xa8\xe2\x80\xaegpj\xe2\x81\xa6\xd8\x9c\xc2\x9d' # lines that end, and text turned round

mkdir "$work/file" && sample --write-hostile "$work/file/run.efg" || exit 2

$MPICC -g -O1 "$root/tests/hostile/planter.c" -o "$work/planter" || exit 2

# What links lead to: files of the names that ours have.
orderly=$work/orderly
mkdir -p "$orderly/logs" "$orderly/pieces" "$orderly/traces" "$orderly/traces.part"
for name in 0.0.log 1.0.log 0.0.order 0.0.efg 0.0.efg.new 1.0.efg traces.otf2 traces.def summary.txt \
    run.efg run.efg.new 0.evt logs/0.0.log logs/0.0.order pieces/0.0.efg traces/0.evt traces.part/0.evt; do
    echo "theirs: $name" >"$orderly/$name"
done
# renew: a copy of them, ./theirs
renew() { rm -rf theirs && cp -r "$orderly" theirs; }

# not_followed NAME: they are as they were
not_followed() {
    verdict "$1: nothing is followed" "$(diff -rq "$orderly" theirs 2>&1 | head -n 2 | paste -sd ' ')"
}

cases "$@"
finish
