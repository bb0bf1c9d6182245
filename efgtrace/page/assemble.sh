#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Puts the page of the report together: template.html with style.css, the scripts, and the
# libraries they draw with, all inlined; what comes before the document of a run goes to one file,
# what comes behind it to another. Libraries that are not there are left out, and the page says so.
#
#   assemble.sh HEAD TAIL           environment: D3, DAGRE  paths of d3.min.js, dagre.min.js
#
# The page may run these scripts and styles only: its Content-Security-Policy has their hashes.
set -eu
page=$(cd "$(dirname "$0")" && pwd)
head=$1 tail=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In the order in which they depend on each other.
scripts="base tables charts contexts sites overview structure flow choice graph flame rings ranks iterations heat slow hatch timeline waiting
    messages counters plugins representative compare history main"

# as_script: nothing in it ends the element
as_script() {
    sed -e 's|</\(script\)|<\\/\1|g' -e 's|<!--|<\\!--|g'
}

# licence PACKAGE...: what Debian says of them, as a comment
licence() {
    for package in "$@"; do
        [ -r "/usr/share/doc/$package/copyright" ] || continue
        printf '/* %s\n' "$package"
        sed 's|\*/|* /|g' "/usr/share/doc/$package/copyright"
        printf '*/\n'
    done | as_script
}

# hash FILE: its SHA-256, as a policy has it
hash() {
    # shellcheck disable=SC2059 # the format is the bytes, as octal escapes
    printf "$(sha256sum <"$1" | awk '{
        for (i = 1; i < 64; i += 2) {
            high = index("0123456789abcdef", substr($1, i, 1)) - 1
            low = index("0123456789abcdef", substr($1, i + 1, 1)) - 1
            printf "\\%03o", 16 * high + low
        }
    }')" | base64
}

: >"$work/libraries.js"
if [ -r "${D3:-}" ]; then
    { licence node-d3; as_script <"$D3"; echo; } >>"$work/libraries.js"
fi
if [ -r "${DAGRE:-}" ]; then
    { licence node-dagre-layout node-graphlibrary node-lodash; as_script <"$DAGRE"; echo; } \
        >>"$work/libraries.js"
fi
{
    echo '"use strict";'
    for script in $scripts; do cat "$page/$script.js"; done
} | as_script >"$work/page.js"

policy="default-src 'none'; base-uri 'none'; form-action 'none'"
policy="$policy; style-src 'sha256-$(hash "$page/style.css")'"
policy="$policy; script-src 'sha256-$(hash "$work/libraries.js")' 'sha256-$(hash "$work/page.js")'"

# inline ELEMENT FILE
inline() {
    printf '<%s>' "$1"
    cat "$2"
    printf '</%s>\n' "$1"
}

# A line @NAME@ stands for something; from @DOCUMENT@ on, the text goes to the TAIL.
: >"$tail"
exec >"$head"
while IFS= read -r line; do
    case $line in
    @POLICY@) printf '<meta http-equiv="Content-Security-Policy" content="%s">\n' "$policy" ;;
    @STYLE@) inline style "$page/style.css" ;;
    @LIBRARIES@) inline script "$work/libraries.js" ;;
    @PAGE@) inline script "$work/page.js" ;;
    @DOCUMENT@) exec >"$tail" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$page/template.html"
