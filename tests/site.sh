#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A machine on which the library is preloaded into all programs, and site = on: each job ends with the same exit
# code and the same output as without, and each MPI job leaves a record in the spool, whatever it is and however
# it ends.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/site.sh [CASE...]     default: all of tests/site/; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile stencil2d pingpong threads life/ending life/term || exit 2
export LOGNAME=anna TZ=UTC
most=65536 # bytes of a record
noisy=     # set: the launcher does not always say the same

# run NAME COMMAND...: to NAME.out, NAME.err, NAME.code; site COMMAND...: the same as on such a machine
run() {
    local name=$1
    shift
    env "$@" >"$name.out" 2>"$name.err" </dev/null
    echo $? >"$name.code"
}
site() {
    run site LD_PRELOAD="$library" EFGTRACE_SITE=on EFGTRACE_SPOOL="$spool" "$@"
}

# Without what differs from run to run: numbers of processes, the order of lines of several ranks.
text() {
    sed -E -e '/^\[?[a-z0-9-]+[]:][0-9]*\]? \*\*\*/d' -e 's/[0-9]{3,}/N/g' "$1" | sort
}

# as_bare NAME RECORDS COMMAND...: the same in both, and so many new records
as_bare() {
    local name=$1 wanted=$2
    shift 2
    clear_spool
    run bare "$@"
    site "$@"
    same "$name: exit code" "$(cat bare.code)" "$(cat site.code)"
    verdict "$name: output" "$(diff <(text bare.out) <(text site.out) | head -n 3)"
    if [ -z "$noisy" ]; then
        verdict "$name: errors" "$(diff <(text bare.err) <(text site.err) | head -n 3)"
    else
        hasnt "$name: nothing is said" efgtrace site.err
    fi
    same "$name: records" "$wanted" "$(records | wc -l)"
}

# The folders of the records.
records() {
    find "$spool" -mindepth 6 -name run.efg -printf '%h\n' 2>/dev/null | sort
}

# readable NAME: all records are small, in the right place, and can be read
readable() {
    local folder why=
    for folder in $(records); do
        [[ ${folder#"$spool"/} =~ ^anna/[0-9]{4}/[0-9]{2}/[0-9]{2}/[^/]+\.[0-9]{6}-[0-9]+(\.spawned)?$ ]] || why="$why$folder "
        [ "$(cat "$folder"/* | wc -c)" -le $most ] || why="$why$folder is too large "
        [ -z "$(find "$folder" -mindepth 1 ! -name run.efg ! -name summary.txt ! -name worlds.txt)" ] ||
            why="$why$(ls "$folder") "
        "$tool" report "$folder" >report.txt 2>&1 || why="$why$(tail -n 1 report.txt) "
        [ -s report.txt ] || why="$why$folder: an empty report "
    done
    verdict "$1: records can be read" "$why"
}

# make_spool NAME: an empty one, from here on
make_spool() {
    spool=$PWD/$1
    install -d -m 1777 "$spool"
}

# Only ever one of this script.
clear_spool() {
    case $spool in "$work"/*) find "$spool" -mindepth 1 -delete 2>/dev/null ;; esac
}

cases "$@"
finish
