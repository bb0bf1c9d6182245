#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Labels tell call sites and loops apart: those of a wrapper by who calls it, those of one function without lines
# by their offsets; Fortran's modules, OpenMP's regions and copies of functions have the names that their authors gave them.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/labels.sh      environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

cat >wrapped.c <<'END'
#include <mpi.h>
#define OWN __attribute__((noinline))
OWN double sum(double x)
{
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all + 1;
}
OWN double norm(double x) { return sum(x) + 1; }
OWN double pressure(double x) { return norm(x) + norm(2 * x) + 1; }
OWN double velocity(double x) { return norm(x) + 2; }
OWN double once(double x)
{
    MPI_Barrier(MPI_COMM_WORLD);
    x += sum(x);
    MPI_Barrier(MPI_COMM_WORLD);
    return x;
}
int main(int argc, char **argv)
{
    double x = 1;
    MPI_Init(&argc, &argv);
    x += once(x);
    for (int i = 0; i < 300; i++)
        x += pressure(i) + velocity(i);
    MPI_Finalize();
    return x > 0 ? 0 : 1;
}
END
$MPICC -O1 -fno-optimize-sibling-calls wrapped.c -o wrapped || exit 2
traced nolines --mode full -- ./wrapped
"$tool" report --json nolines >document
# labels FUNCTION: of its call sites, sorted; offsets are 0x
labels() {
    "$python" -c '
import json, re, sys
for label in sorted(s["label"] for s in json.load(open("document"))["sites"] if s["label"].startswith(sys.argv[1])):
    print(re.sub("0x[0-9a-f]+", "0x", label))' "$1"
}
same "who calls the wrapper" "MPI_Allreduce  sum < norm < pressure@0x
MPI_Allreduce  sum < norm < pressure@0x
MPI_Allreduce  sum < norm < velocity
MPI_Allreduce  sum < once" "$(labels MPI_Allreduce | sed 's/ < \(pressure\)[^@]*@/ < \1@/')"
same "two calls in one function" "MPI_Barrier  once@0x
MPI_Barrier  once@0x" "$(labels MPI_Barrier)"
verdict "no label is twice in a table" "$("$python" -c '
import json
from collections import Counter
document = json.load(open("document"))
for part in "sites", "waiting":
    rows = document[part] if part == "sites" else document[part]["sites"]
    print(*(label for label, times in Counter(row["label"] for row in rows).items() if times > 1))' | grep .)"
"$tool" report nolines >text
has "nor in the text" "  MPI_Allreduce  sum < once" text
has "loops say what they do" " 300 x in main: Allreduce" text
$MPICC -g -O1 -fno-optimize-sibling-calls wrapped.c -o wrapped || exit 2
traced lines -- ./wrapped
"$tool" report --json lines >document
same "with lines" "MPI_Allreduce  wrapped.c:6 sum < wrapped.c:15 once
MPI_Allreduce  wrapped.c:6 sum < wrapped.c:9 norm < wrapped.c:10 pressure
MPI_Allreduce  wrapped.c:6 sum < wrapped.c:9 norm < wrapped.c:11 velocity" \
    "$(labels MPI_Allreduce | sed 's/pressure.*/pressure/' | sort -u)"
# The name of a source file leads to it from where the compiler ran, not from where the tool runs.
mkdir -p made/deep looked
for kind in gcc $(in_full && echo gcc-dwarf4 clang); do
    compiler=$MPICC
    case $kind in
    gcc-dwarf4) compiler="$MPICC -gdwarf-4" ;;
    clang)
        command -v clang >/dev/null || { skip "source lines, clang" "it is not installed"; continue; }
        compiler="env OMPI_CC=clang MPICH_CC=clang $MPICC" ;;
    esac
    (cd made/deep && $compiler -g -O1 -fno-optimize-sibling-calls ../.././wrapped.c -o ../../elsewhere) || exit 2
    traced elsewhere.$kind -- ./elsewhere
    (cd looked && "$tool" report --json ../elsewhere.$kind) >document
    same "source lines, $kind" "$work/wrapped.c MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
$work/wrapped.c MPI_Barrier(MPI_COMM_WORLD);" "$("$python" -c '
import json
def calls(node):
    if isinstance(node, dict):
        if node.get("is_call") and node.get("code", "MPI_Init").partition("(")[0] not in ("MPI_Init", "MPI_Finalize"):
            yield node["file"] + " " + node["code"]
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from calls(item)
print(*sorted(set(calls(json.load(open("document"))))), sep="\n")')"
done

cat >nested.c <<'END'
#include <mpi.h>
#define OWN __attribute__((noinline))
OWN double pass(double x)
{
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return x + 1;
}
OWN double meet(double x)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return x + 1;
}
int rounds = 3;
OWN double smooth(double x)
{
    for (int i = 0; i < rounds; i++)
        x += pass(x) + meet(x);
    return pass(x) + pass(x + 1);
}
OWN double pressure(double x) { return smooth(x) + 1; }
OWN double velocity(double x) { return smooth(x) + 2; }
int main(int argc, char **argv)
{
    double x = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 300; i++)
        x += pressure(i) + velocity(i);
    MPI_Finalize();
    return x > 0 ? 0 : 1;
}
END
$MPICC -O1 -fno-optimize-sibling-calls nested.c -o nested || exit 2
traced loops --mode full -- ./nested
"$tool" report loops >text
same "loops of one function: who calls it" "in main
in smooth < pressure
in smooth < velocity" "$(sed -n '/^ repetitions /,/^Main/{/^Main/q;s/.* \(in [^:]*\): .*/\1/p}' text | LC_ALL=C sort -u)"
"$tool" report --json loops >document
same "from the innermost frame outwards" "MPI_Bcast  pass < smooth@0x < pressure
MPI_Bcast  pass < smooth@0x < velocity" "$(labels MPI_Bcast | sort -u)"

# Loops of one function with a name that has ':' and ' ' in it: its callers, theirs where these are the same, and
# the offset in one that calls it twice.
cat >callers.cpp <<'END'
#include <mpi.h>
#define OWN __attribute__((noinline))
volatile int rounds = 3;
namespace grid { struct metre {}; struct second {}; }
template <class A, class B> struct box {
    OWN static double evaluate(double x)
    {
        for (int i = 0; i < rounds; i++)
            MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return x + 1;
    }
};
typedef box<grid::metre, grid::second> field;
OWN double correct(double x) { return field::evaluate(x) + 1; }
OWN double pressure(double x) { return correct(x) + 1; }
OWN double velocity(double x) { return correct(x) + 2; }
OWN double twice(double x) { return field::evaluate(x) + field::evaluate(x + 1); }
int main(int argc, char **argv)
{
    double x = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 300; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        x += pressure(i) + velocity(i) + twice(i);
    }
    MPI_Finalize();
    return x > 0 ? 0 : 1;
}
END
$MPICXX -O1 -fno-optimize-sibling-calls callers.cpp -o callers || exit 2
traced callers.run --mode full -- ./callers
"$tool" report callers.run >text
same "loops of one function: who calls that, and where" "in box<grid::metre, grid::second>::evaluate < correct < pressure
in box<grid::metre, grid::second>::evaluate < correct < velocity
in box<grid::metre, grid::second>::evaluate < twice@0x
in box<grid::metre, grid::second>::evaluate < twice@0x
in main" "$(sed -n '/^Loops$/,/^$/s/.* \(in .*\): .*/\1/p' text | sed 's/0x[0-9a-f]*/0x/' | LC_ALL=C sort)"
agrees "loops of one function" rows.py callers.run

# Functions with one name: by the first arguments that differ, those before and behind left away.
cat >overloads.cpp <<'END'
#include <mpi.h>
#define OWN __attribute__((noinline))
namespace grid {
template <class A> struct field { A x; };
typedef field<double> &scalars;
OWN double sum(double x) { MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return x + 1; }
OWN double add(double x) { return sum(x) + 1; }
OWN double add(double x, int n) { return sum(x) + n; }
OWN double add(scalars f, const field<float> &g, int n) { return sum(f.x) + g.x + n; }
OWN double add(scalars f, const field<int> &g, int n) { return sum(f.x) + g.x + n; }
}
int main(int argc, char **argv)
{
    grid::field<double> f = {1};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 300; i++)
        f.x += grid::add(1) + grid::add(1, 2) + grid::add(f, grid::field<float>{1}, 2) + grid::add(f, grid::field<int>{1}, 2);
    MPI_Finalize();
    return f.x > 0 ? 0 : 1;
}
END
$MPICXX -O1 -fno-optimize-sibling-calls overloads.cpp -o overloads || exit 2
traced overloads.run --mode full -- ./overloads
"$tool" report --json overloads.run >document
same "functions with one name" "MPI_Allreduce  grid::sum < grid::add(double)
MPI_Allreduce  grid::sum < grid::add(double, int)
MPI_Allreduce  grid::sum < grid::add(grid::field<double>&, grid::field<float> const&, ...)
MPI_Allreduce  grid::sum < grid::add(grid::field<double>&, grid::field<int> const&, ...)" "$(labels MPI_Allreduce)"

# Loops in loops of one function, which begin with the same call; a function that calls itself more often than a
# label has room for; functions whose long names differ in their middle only.
cat >deep.cpp <<'END'
#include <mpi.h>
#define OWN __attribute__((noinline))
template <class A, class B, class C> struct field_of_a_quantity_with_units { double x; };
struct kilograms_per_cubic_metre {}; struct metres_per_second_squared {}; struct joules_per_kilogram_kelvin {};
typedef kilograms_per_cubic_metre L;
typedef joules_per_kilogram_kelvin R;
template <class F> OWN double exchange(double x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return x + 1;
}
OWN double descend(int depth, double x)
{
    if (depth)
        return descend(depth - 1, x) + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    return x + 2;
}
OWN double odd(int depth, double x);
OWN double even(int depth, double x)
{
    if (depth)
        return odd(depth - 1, x) + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    return x + 3;
}
OWN double odd(int depth, double x) { return even(depth, x) + 4; }
int rounds = 3;
int main(int argc, char **argv)
{
    double x = 1;
    MPI_Init(&argc, &argv);
    for (int k = 0; k < 15; k++)
        x += even(k, 1);
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < rounds; k++)
            MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        x = 1 + exchange<field_of_a_quantity_with_units<L, metres_per_second_squared, R>>(1);
        x += exchange<field_of_a_quantity_with_units<L, kilograms_per_cubic_metre, R>>(1);
        for (int k = 0; k < 20; k++)
            x += descend(k, 1);
    }
    MPI_Finalize();
    return x > 0 ? 0 : 1;
}
END
for lines in -g ''; do
    in_full || [ -n "$lines" ] || continue
    $MPICXX $lines -O1 -fno-optimize-sibling-calls deep.cpp -o deep || exit 2
    rm -rf deep.run
    traced deep.run --mode full -- ./deep
    agrees "loops in loops, recursion, long names${lines:+, with lines}" rows.py deep.run
    "$tool" report --json deep.run >document
    contains "how often a function has called itself${lines:+, with lines}" "$(labels MPI_Barrier)" "19 x "
    same "names differ where they differ${lines:+, with lines}" "kilograms metres" \
        "$(labels MPI_Allreduce | sed -n 's/.*exchange<.*\(kilograms_per_cubic_metre, j\|metres\).*/\1/p' |
            sed 's/_.*//' | LC_ALL=C sort -u | paste -sd ' ')"
    same "and both ends are seen${lines:+, with lines}" 2 "$(labels MPI_Allreduce | grep -c 'exchange<.*\.\.\..*> *>[^.]*$')"
    same "no name is the whole one${lines:+, with lines}" "" "$(labels MPI_Allreduce | grep 'cubic_metre, [km].*kelvin')"
done

finish
