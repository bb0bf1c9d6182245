#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of MPI calls against the MPI library, and the preloaded library against the table.
. "$(dirname "$0")/frame.sh"
table=libefgtrace/runtime/calls.def

# clean NAME FILE: passes if file, which says what is wrong, is empty
clean() {
    verdict "$1" "$(head -5 "$2" | tr '\n' ' ')"
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

echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$work/a.c"
${MPICC:-mpicc} "$work/a.c" -o "$work/a" || exit 1
libmpi=$(ldd "$work/a" | awk '$1 ~ /^libmpi\.so/ {print $3}')
[ -r "$libmpi" ] || { echo "FAIL libmpi: ldd does not show it"; exit 1; }

symbols "$libmpi" | grep -E '^MPIX?_' >"$work/libmpi"
names CALL CALLX OWN LEFT_OUT LEFT_OUTX >"$work/table"
names CALL CALLX OWN >"$work/wrapped"

comm -23 "$work/libmpi" "$work/table" >"$work/out"
clean "every function of libmpi is in the table ($(wc -l <"$work/libmpi"))" "$work/out"

comm -13 "$work/libmpi" "$work/table" >"$work/out"
clean "every row exists in libmpi" "$work/out"

uniq -d "$work/table" >"$work/out"
clean "no function has two rows" "$work/out"

grep -E '^LEFT_OUTX?\(' "$table" | grep -Ev '^LEFT_OUTX?\([A-Za-z0-9_]+, "[^"]{6,}"\)$' >"$work/out"
clean "each one left out has a reason ($(names LEFT_OUT LEFT_OUTX | wc -l))" "$work/out"

# What a status comes back in must be what the tracer says, or it cannot know what was received.
awk '/^CALLX?\(/ {row = $0; has = 0; passed = 0}
     /MPI_Status \*?statuse?s?/ {has = 1}
     /c\.statuses/ {passed = 1}
     /\)$/ && has && !passed {print row}' "$table" >"$work/out"
clean "each status goes through the structure" "$work/out"

{ cat "$work/wrapped"; sed 's/^/P/' "$work/wrapped"; } | sort >"$work/expected"
symbols "$library" | diff "$work/expected" - >"$work/out"
clean "libefgtrace.so exports MPI_X and PMPI_X of what is wrapped, and nothing else" "$work/out"

nm -D --defined-only "$library" | awk '{sub(/^P/, "", $3); print $1, $3}' | sort | uniq -u >"$work/out"
clean "MPI_X and PMPI_X are one function" "$work/out"

readelf -d "$library" | grep NEEDED | grep -Ev '\[(libc\.so|libdl\.so|ld-linux|ld64)' >"$work/out"
clean "libefgtrace.so needs libc only" "$work/out"

nm -D --undefined-only "$library" | grep -E ' (P?MPI|ompi_|opal_|mca_)' >"$work/out"
clean "libefgtrace.so refers to nothing of libmpi" "$work/out"

finish
