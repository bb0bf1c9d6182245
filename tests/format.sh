#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Each .c file is as clang-format makes it (.clang-format): clang-format -i FILE puts it right. Headers are set
# by hand, with comments in columns that it would destroy. Lines of both, with comments, have 110 characters
# at most.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
folders="libefgtrace efgtrace plugins tests bench"

case $(clang-format --version 2>&1) in
*" version 14."*)
    find $folders -name '*.c' | sort | xargs clang-format --dry-run -Werror 2>&1 |
        sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error.*/\1/p' | uniq -c >"$work/differ"
    while read -r lines file; do
        verdict "$file" "clang-format would change it in $lines places"
    done <"$work/differ"
    same "files that clang-format would change" 0 "$(wc -l <"$work/differ")" ;;
*) skip "files" "they are as clang-format 14 makes them; there is none, or another version" ;;
esac
verdict "no line is longer" \
    "$(awk 'length > 110 { print FILENAME ":" FNR ": " length " characters" }' $(find $folders -name '*.[ch]') |
        head -n 5)"
finish
