#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What a trace says of itself, as Score-P's do: who wrote it, of what, where; locations with host, process and core;
# regions with the name that the linker knows. And a copy of the trace says the same.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

cat >named.cpp <<'END'
#include <mpi.h>
#include <unistd.h>
namespace fluid {
struct Solver {
    double sum = 0;
    __attribute__((noinline)) void step(double x) {
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        usleep(500);
    }
};
}
int main(int argc, char **argv) {
    fluid::Solver solver;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 400; i++)
        solver.step(i);
    MPI_Finalize();
}
END
$MPICXX -g -O1 -fno-inline named.cpp -o named || exit 2
traced_by 2 trace ./named
traced_by 2 full -m full ./named

# of TRACE NAME: that line of its anchor
of() {
    print_trace -A "$1/traces.otf2" | sed -n "s/^$2  *//p" | head -n 1
}
same "creator" "$("$tool" --version)" "$(of trace Creator)"
same "machine name" "$(uname -s)" "$(of trace 'Machine name')"
same "description" "named on 2 ranks: some iterations of its main loop" "$(of trace Description)"
same "description, mode full" "named on 2 ranks: the whole run" "$(of full Description)"
verdict "trace id" "$(of trace 'Trace identifier' | grep -q '[1-9a-f]' || echo none)"

print_trace -G trace/traces.otf2 >definitions
same "host of each location" 2 "$(grep -c "^LOCATION_PROPERTY.*\"host\".*\"$(hostname)\"" definitions)"
same "process of each location, of each its own" 2 \
    "$(grep '^LOCATION_PROPERTY.*"pid"' definitions | grep -oE 'UINT32; Value: [0-9]+|[0-9]+$' | sort -u | wc -l)"
has "a function has the name that the linker knows, too" "_ZN5fluid6Solver4stepEd" definitions
has "and its own" '"fluid::Solver::step(double)"' definitions
accepted "trace" trace/traces.otf2 --iterations 10
"$tool" export -f otf2 -o copy trace >/dev/null
same "a copy says the same of itself" "$(of trace Creator) $(of trace 'Machine name') $(of trace Description)" \
    "$(of copy Creator) $(of copy 'Machine name') $(of copy Description)"
same "and of its locations" "$(grep -c '^LOCATION_PROPERTY' definitions)" \
    "$(print_trace -G copy/traces.otf2 | grep -c '^LOCATION_PROPERTY')"
finish
