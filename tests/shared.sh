#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What a shared file system has to bear (Lustre, GPFS: one server has all names, and each client that looks at a name or
# locks a file asks it): system calls on the output folder, counted, of each process and by kind. They are bounded, and
# those of a rank do not grow with the ranks.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/shared.sh [RANKS RANKS]   default: 4 8; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
command -v strace >/dev/null || { skip "system calls" "there is no strace"; finish; }
compile stencil2d || exit 2
cd "$work" || exit 2
less=${1:-$(in_full && echo 4 || echo 2)} more=${2:-$(in_full && echo 8 || echo 4)}

# counted RANKS NAME OPTION...: calls that name something in the output folder, or lock a file, to NAME.calls:
# "process call path"
counted() {
    local ranks=$1 name=$2
    shift 2
    strace -f -qq -y -e signal=none -e trace=%file,flock,fcntl,fsync,fdatasync,sync_file_range -o "$name.all" \
        timeout $patience $MPIRUN -np "$ranks" "$tool" run -o "$PWD/$name" --summary off --save 1h "$@" "$programs/stencil2d" 300 \
        >"$name.out" 2>&1 </dev/null || verdict "$name: it ends" "$(tail -n 3 "$name.out")"
    # by a path, or by a folder that is open and a name in it: then only its result may have the whole path
    whole_lines "$name.all" | grep -F "$PWD/$name" |
        sed -nE "s|^([0-9]+) +([a-z0-9_]+)\\((.*)|\\1 \\2 \\3|p" >"$name.calls"
}

# whole_lines FILE: of a call during which another process made one, strace writes two lines
whole_lines() {
    awk '/ <unfinished \.\.\.>$/ { sub(/ <unfinished \.\.\.>$/, ""); begun[$1] = $0; next }
        $2 == "<..." { rest = $0; sub(/^[^>]*>/, "", rest); $0 = begun[$1] rest; delete begun[$1] }
        { print }
        END { for (process in begun) print begun[process] }' "$1"
}

# typical NAME KIND, first NAME KIND: how many of them the process in the middle makes, and the one with the most calls
typical() {
    of_kind "$2" "$1.calls" | cut -d' ' -f1 | sort | uniq -c | sort -n |
        awk '{n[NR] = $1} END {print NR ? n[int((NR + 1) / 2)] : 0}'
}
first() {
    of_kind "$2" "$1.calls" | grep -c "^$(cut -d' ' -f1 "$1.calls" | sort | uniq -c | sort -n | awk 'END {print $2}') "
}
of_kind() {
    case $1 in
    folders) grep -E '^[0-9]+ open.*O_PATH' "$2" ;;
    files) grep -E '^[0-9]+ (open|openat|creat) ' "$2" | grep -v O_PATH ;;
    looks) grep -E '^[0-9]+ (l?stat|newfstatat|statx|access|faccessat2?|readlink|readlinkat) ' "$2" ;;
    changes) grep -E '^[0-9]+ (mkdir|unlink|rmdir|rename|link|symlink|chmod|fchmod)[a-z0-9]* ' "$2" ;;
    locks) grep -E '^[0-9]+ (flock |fcntl .*F_(OFD_)?(SETLK|GETLK))' "$2" ;;
    syncs) grep -E '^[0-9]+ (fsync|fdatasync|sync_file_range) ' "$2" ;;
    esac
}
at_most() {
    verdict "$1: $3, at most $2" "$([ "$3" -le "$2" ] || echo "$3")"
}

for ranks in $less $more; do
    counted "$ranks" "run.$ranks"
    at_most "$ranks ranks: files that a rank opens" 10 "$(typical "run.$ranks" files)"
    at_most "$ranks ranks: folders on the way to them" 24 "$(typical "run.$ranks" folders)"
    at_most "$ranks ranks: looks at files" 24 "$(typical "run.$ranks" looks)"
    at_most "$ranks ranks: files and folders that it makes, renames, removes" 3 "$(typical "run.$ranks" changes)"
    at_most "$ranks ranks: locks, of all" 0 "$(of_kind locks "run.$ranks.calls" | wc -l)"
    at_most "$ranks ranks: files that are written through, of all" 4 "$(of_kind syncs "run.$ranks.calls" | wc -l)"
done
# The first rank makes what is there once. It does not look at what is of others.
for kind in files folders looks changes; do
    at_most "the first one, $kind: no more with $more ranks than with $less, $(first "run.$less" $kind)" \
        "$(first "run.$less" $kind)" "$(first "run.$more" $kind)"
done
finish
