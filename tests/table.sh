#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of MPI calls against the MPI library, and the preloaded library against the table.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
library=$BUILD/libefgtrace.so
table=libefgtrace/runtime/calls.def
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

passed=0 failed=0
# clean NAME FILE: passes if file, which says what is wrong, is empty
clean() {
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        echo "FAIL $1: $(head -5 "$2" | tr '\n' ' ')"
    else
        passed=$((passed + 1))
        echo "ok $1"
    fi
}

# names KIND...: the functions of the table's rows of these kinds
names() {
    for kind; do
        case $kind in
        *X) sed -n "s/^$kind(\([A-Za-z0-9_]*\).*/MPIX_\1/p" "$table" ;;
        *) sed -n "s/^$kind(\([A-Za-z0-9_]*\).*/MPI_\1/p" "$table" ;;
        esac
    done | sort
}

symbols() {
    nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | sort
}

echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$tmp/a.c"
${MPICC:-mpicc} "$tmp/a.c" -o "$tmp/a" || exit 1
libmpi=$(ldd "$tmp/a" | awk '$1 ~ /^libmpi\.so/ {print $3}')
[ -r "$libmpi" ] || { echo "FAIL libmpi: ldd does not show it"; exit 1; }

symbols "$libmpi" | grep -E '^MPIX?_' >"$tmp/libmpi"
names CALL CALLX OWN LEFT_OUT LEFT_OUTX >"$tmp/table"
names CALL CALLX OWN >"$tmp/wrapped"

comm -23 "$tmp/libmpi" "$tmp/table" >"$tmp/out"
clean "every function of libmpi is in the table ($(wc -l <"$tmp/libmpi"))" "$tmp/out"

comm -13 "$tmp/libmpi" "$tmp/table" >"$tmp/out"
clean "every row exists in libmpi" "$tmp/out"

uniq -d "$tmp/table" >"$tmp/out"
clean "no function has two rows" "$tmp/out"

grep -E '^LEFT_OUTX?\(' "$table" | grep -Ev '^LEFT_OUTX?\([A-Za-z0-9_]+, "[^"]{6,}"\)$' >"$tmp/out"
clean "each one left out has a reason ($(names LEFT_OUT LEFT_OUTX | wc -l))" "$tmp/out"

# What a status comes back in must be what the tracer says, or it cannot know what was received.
awk '/^CALLX?\(/ {row = $0; has = 0; passed = 0}
     /MPI_Status \*?statuse?s?/ {has = 1}
     /c\.statuses/ {passed = 1}
     /\)$/ && has && !passed {print row}' "$table" >"$tmp/out"
clean "each status goes through the structure" "$tmp/out"

{ cat "$tmp/wrapped"; sed 's/^/P/' "$tmp/wrapped"; } | sort >"$tmp/expected"
symbols "$library" | diff "$tmp/expected" - >"$tmp/out"
clean "libefgtrace.so exports MPI_X and PMPI_X of what is wrapped, and nothing else" "$tmp/out"

nm -D --defined-only "$library" | awk '{sub(/^P/, "", $3); print $1, $3}' | sort | uniq -u >"$tmp/out"
clean "MPI_X and PMPI_X are one function" "$tmp/out"

readelf -d "$library" | grep NEEDED | grep -Ev '\[(libc\.so|libdl\.so|ld-linux|ld64)' >"$tmp/out"
clean "libefgtrace.so needs libc only" "$tmp/out"

nm -D --undefined-only "$library" | grep -E ' (P?MPI|ompi_|opal_|mca_)' >"$tmp/out"
clean "libefgtrace.so refers to nothing of libmpi" "$tmp/out"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
