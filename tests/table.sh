#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table of MPI calls against the MPI library, and the preloaded library against the table.
. "$(dirname "$0")/frame.sh"
tables="libefgtrace/runtime/calls/calls.def libefgtrace/runtime/calls/counted.def"

# clean NAME FILE: passes if file, which says what is wrong, is empty
clean() {
    verdict "$1" "$(head -5 "$2" | tr '\n' ' ')"
}

# The rows as the compiler sees them: a line "KIND NAME" each.
cat >"$work/rows.c" <<'END'
#include "runtime/calls/call.h"
#ifndef ALL
#undef EFG_ROWS_4
#undef EFG_ROWS_LARGE
#define EFG_ROWS_4 EFG_MPI_4
#define EFG_ROWS_LARGE EFG_LARGE_COUNTS
#endif
#define CALL(name, ...) ROW wrapped MPI_ #name
#if defined ALL
#define CALLX(name, ...) ROW wrapped MPI_ #name ROW wrapped MPIX_ #name
#elif EFG_MPI_4
#define CALLX CALL
#else
#define CALLX(name, ...) ROW wrapped MPIX_ #name
#endif
#define OWN CALL
#define USER(...)
#define LEFT_OUT(name, reason) ROW left MPI_ #name
#define LEFT_OUTX(name, reason) ROW left MPIX_ #name
#include "runtime/calls/calls.def"
END
# names KIND COMPILER: the functions of these rows
names() {
    kind=$1
    shift
    "$@" -E -P -Ilibefgtrace "$work/rows.c" |
        grep -o 'ROW [a-z]* MPIX\?_ "[A-Za-z0-9_]*"' | sed 's/ROW //; s/ "//; s/"//' | sed -n "s/^$kind //p" | sort
}

symbols() {
    nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | sort
}

echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$work/a.c"
$MPICC "$work/a.c" -o "$work/a" || exit 1
libmpi=$(ldd "$work/a" | awk '$1 ~ /^libmpi(ch)?\.so/ {print $3}')
[ -r "$libmpi" ] || { echo "FAIL libmpi: ldd does not show it"; exit 1; }

symbols "$libmpi" | grep -E '^MPIX?_' >"$work/libmpi"
names '.*' $MPICC >"$work/table"
names wrapped ${CC:-gcc} -DALL -Ilibefgtrace/runtime/preload >"$work/wrapped"

comm -23 "$work/libmpi" "$work/table" >"$work/out"
clean "every function of libmpi is in the table ($(wc -l <"$work/libmpi"))" "$work/out"

comm -13 "$work/libmpi" "$work/table" >"$work/out"
clean "every row exists in libmpi" "$work/out"

uniq -d "$work/table" >"$work/out"
clean "no function has two rows" "$work/out"

grep -hE '^LEFT_OUT[CX]?\(' $tables | grep -Ev '^LEFT_OUT[CX]?\([A-Za-z0-9_]+, "[^"]{6,}"\)$' >"$work/out"
clean "each one left out has a reason ($(names left $MPICC | wc -l))" "$work/out"

# What a status comes back in must be what the tracer says, or it cannot know what was received.
awk '/^CALLC?X?\(/ {row = $0; has = 0; passed = 0}
     /MPI_Status \*?statuse?s?/ {has = 1}
     /c\.statuses/ {passed = 1}
     /\)$/ && has && !passed {print row}' $tables >"$work/out"
clean "each status goes through the structure" "$work/out"

{ cat "$work/wrapped"; sed 's/^/P/' "$work/wrapped"; printf "%s\n" PMIx_Commit efgtrace_user efgtrace_openmp; } | sort >"$work/expected"
symbols "$library" | diff "$work/expected" - >"$work/out"
clean "libefgtrace.so exports MPI_X and PMPI_X of what is wrapped, PMIx_Commit, efgtrace_user, efgtrace_openmp, and nothing else" "$work/out"

nm -D --defined-only "$library" | awk 'seen[$1]++ {print $3}' >"$work/out"
clean "each goes its own way" "$work/out" # PMPI_X must not reach whoever is next for MPI_X

readelf -d "$library" | grep NEEDED | grep -Ev '\[(libc\.so|libdl\.so|ld-linux|ld64)' >"$work/out"
clean "libefgtrace.so needs libc only" "$work/out"

nm -D --undefined-only "$library" | grep -E ' (P?MPI|ompi_|opal_|mca_)' >"$work/out"
clean "libefgtrace.so refers to nothing of libmpi" "$work/out"

# One of MPICH is for all of its ABI, the oldest of which have MPI 3.1 and other file names.
for file in "$build"/libefgtrace-runtime-*.so; do
    readelf -d "$file" | grep NEEDED | grep -E 'libmpi|libmpich|libopen-(rte|pal)' >"$work/out"
    nm -D --undefined-only "$file" | grep -E '^ *U P?MPI_(Session|.*_c$|.*from_(group|session))' >>"$work/out"
    clean "$(basename "$file") is linked with no MPI library, and needs nothing of MPI 4" "$work/out"
done

finish
