#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is written down in more than one place says the same everywhere: keys, defaults and
# ranges (the table in conf.c, config/efgtrace.conf, efgtrace.conf.5, efgtrace run --help);
# commands and options (--help, efgtrace.1). The tool is the source: it prints its tables. And
# the fields of the run file (their tables, efgtrace-run.5).
#
#   tests/docs.sh           environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# same_lines NAME A B: the lines of A and B, sorted
same_lines() {
    verdict "$1" "$(diff <(sort <<<"$2") <(sort <<<"$3") | grep '^[<>]' | paste -sd ' ')"
}

# --- tests ---

level='# Of two levels: in_full is what only `make check-all` has.'
verdict "scripts of two levels, and no others, say so in their heads" "$(cd "$root/tests" && for script in *.sh; do
    name=${script%.sh}
    asks=$(cat "$script" $(ls "$name"/*.sh 2>/dev/null) | grep -cE '^[^#]*\<in_full\>')
    [ $name = frame ] || [ $(((asks > 0) + $(grep -cxF "$level" "$script"))) != 1 ] || echo "$script"
done | paste -sd ' ')"

# --- keys ---

conf=$root/config/efgtrace.conf
page=$root/man/efgtrace.conf.5
"$tool" check /dev/null >defaults || verdict "defaults" "efgtrace check /dev/null fails"
sed -n 's/^\([a-z-]*\) *= \(.*[^ ]\|\) *from: .*/\1 = \2/p' defaults | sed 's/ *$//' >keys
names=$(sed 's/ =.*//' keys)
"$tool" run --help >help

same_lines "config/efgtrace.conf has every key with its default" "$(cat keys)" \
    "$(sed -n 's/^#\([a-z-]* =.*\)/\1/p' "$conf" | sed 's/ *$//')"
sed 's/^#\([a-z-]* =\)/\1/' "$conf" >all.conf
verdict "config/efgtrace.conf is right with every key set" "$("$tool" check all.conf 2>&1 >all)"
same_lines "and means the defaults" "$(cat keys)" \
    "$(sed -n 's/^\([a-z-]*\) *= \(.*[^ ]\|\) *from: all.conf.*/\1 = \2/p' all | sed 's/ *$//')"
same_lines "efgtrace.conf.5 has every key" "$names" "$(sed -n 's/^\.It Cm \([a-z-]*\) No =.*/\1/p' "$page")"
same_lines "efgtrace run --help has every key" "$names
help" "$(grep -o '^ .*--[a-z-]*' help | sed 's/.*--//')"

# item KEY: what the page says about it, in one line
item() {
    awk -v key="$1" '/^\.It Cm [a-z-]+ No =|^\.Ss|^\.Sh/ { on = $3 == key } on' "$page" | paste -sd ' '
}

variables=()
while read -r key _ value; do
    said="$(item "$key" | sed 's/\.Cm //g' | tr -s ' ') "
    contains "efgtrace.conf.5 has the default of $key" "${said//. / }" \
        "The default is ${value:-empty}${value:+ }"
    range=$("$tool" run "--$key=@" true 2>&1 | sed -n 's/.* from \([^ ]* to [^ ]*\)$/\1/p')
    contains "efgtrace.conf.5 has the range of $key" "$said" "$range"
    contains "efgtrace run --help has the default of $key" \
        "$(grep -A1 -e "--$key " help | paste -sd ' ')" "${value:+($value)}"
    verdict "efgtrace check says what $key means" \
        "$(grep -A1 "^$key  *=" defaults | sed -n '2s/^ *$/nothing/p')"
    variables+=("EFGTRACE_$(tr a-z- A-Z_ <<<"$key")=$value")
done <keys
env "${variables[@]}" "$tool" check >of_environment
for variable in "${variables[@]%%=*}"; do
    verdict "$variable is known" "$(grep -q "from: environment variable $variable\$" of_environment || echo "it is not")"
done

# --- commands and options ---

page=$root/man/efgtrace.1
commands=$("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
same_lines "efgtrace.1 has every command" "$commands" "$(sed -n 's/^\.Ss //p' "$page")"
same_lines "and shows it in the synopsis" "$commands
help" "$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.Cm \([a-z]*\)$/\1/p' "$page")"

# as_written: without blanks and capitals, which the page sets as it likes
as_written() {
    tr -d ' ' | tr '[:upper:]' '[:lower:]'
}
mandoc -T ascii "$page" | sed -E "s/.$(printf '\b')//g" | sed -n '/^SYNOPSIS/,/^DESC/s/^ *efgtrace /efgtrace /p' | as_written >synopsis
for command in $commands; do
    verdict "and as $command --help does" "$("$tool" "$command" --help | sed -n '1s/^Usage: //p' | as_written |
        grep -vxF -f synopsis)"
done

# "n iterations" for -n, --iterations; "- skip" for --skip
options_of_help() {
    sed -n -e 's/^ *-\([A-Za-z]\), --\([a-z-]*\).*/\1 \2/p' -e 's/^ *--\([a-z-]*\).*/- \1/p' |
        grep -v ' help$'
}
options_of_page() {
    awk -v name="$1" '/^\.S[sh] / { on = $2 == name } on' "$page" |
        sed -n -e 's/^\.It Fl \([A-Za-z]\) , \(Fl \)*-\([a-z-]*\).*/\1 \3/p' \
            -e 's/^\.It Fl -\([a-z-]*\).*/- \1/p'
}
for command in $commands; do
    same_lines "efgtrace.1 has the options of $command" \
        "$("$tool" "$command" --help | options_of_help)" "$(options_of_page "$command")"
    verdict "$command --help says how it is used" \
        "$("$tool" "$command" --help | sed -n "1{/^Usage: efgtrace $command /!p}")"
done
same_lines "efgtrace.1 has the options of the tool" "$("$tool" --help | options_of_help)
h help" "$(options_of_page DESCRIPTION)"

# --- the run file ---

page=$root/man/efgtrace-run.5
files=$root/libefgtrace/files
contains "efgtrace-run.5 is of the version that is written" "$(grep '^version ' "$page")" \
    "u32, $(sed -n 's/^#define EFG_RUN_VERSION //p' "$files/run/runfile.h")"

# section NAME: that section of the page, in one line
section() {
    awk -v name="$1" '/^\.S[sh] / { on = $2 == name } on' "$page" | paste -sd ' '
}

# has_tags SECTION TABLE FILE: the tags of a table of fields are all in a section
has_tags() {
    verdict "efgtrace-run.5 has the fields of $1" "$(
        sed -n "/ $2\[\] = {/,/^};/s/^    [A-Z]*(\([0-9]*\), .*/\1/p" "$3" | while read -r tag; do
            grep -q "[^0-9]$tag[^0-9]" <<<"$(section "$1")" || echo "no $tag"
        done
    )"
}
has_tags Ranks fields_of_rank "$files/run/fields.c"
has_tags Run fields_of_run "$files/run/fields.c"
has_tags Totals fields_of_totals "$files/run/totals.c"

# --- the tests ---

verdict "tests/README.md has every script" "$(
    for script in "$root"/tests/*.sh; do
        grep -qE "(\`|/| )${script##*/}\>" "$root/tests/README.md" || echo "not ${script##*/}"
    done)"

verdict "man pages" "$(mandoc -T lint -W warning "$root"/man/* 2>&1)"
# A word that is a macro, as In, is one in a heading, too; mandoc prints it.
if command -v groff >/dev/null; then
    for page in "$root"/man/*; do
        groff -mdoc -Tascii -P-cbou "$page" >page 2>/dev/null
        verdict "${page##*/} has its headings" "$(sed -nE 's/^\.S[hs] //p' "$page" | sed 's/\\&//g; s/"//g' | while read -r heading; do
            grep -qxE " *$heading" page || echo "$heading"
        done | paste -sd ';')"
    done
else
    skip "headings of the manual" "groff is not installed"
fi

# --- benchmarks ---

for bench in $(grep -l 'import argparse' "$root"/bench/*.py "$root"/bench/*/*.py); do
    verdict "${bench#"$root"/} --help" "$("$python" "$bench" --help 2>&1 >/dev/null | tail -n 1)"
done

finish
