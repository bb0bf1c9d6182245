#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Key openmp: parallel regions and barriers of OpenMP are nodes of the graph, regions of the trace, and lines of the
# report; loops are found by them. With the runtimes of GNU and LLVM. Programs do what they do without.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/openmp.sh         environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
export OMP_NUM_THREADS=3 OMP_PROC_BIND=false OMP_WAIT_POLICY=passive
[ "$mpi" = MPICH ] || MPIRUN="$MPIRUN --bind-to none"

# told DIR: what the report says of regions is what the program did: 150 steps of 2 ms
told() {
    "$tool" report --json "$1" | "$python" -c '
import json, sys
report = json.load(sys.stdin)
openmp, steps, step = report["openmp"], 150, 2e6
places = {p["label"].split()[-1] if "(OpenMP)" not in p["label"] else p["kind"]: p for p in openmp["places"]}
uneven, even, barrier = places["uneven"], places["even"], next(p for p in openmp["places"] if p["kind"] == "barrier")
assert openmp["ranks"] == 2 and openmp["threads"] == 3, openmp
assert all(p["visits"] == 2 * steps for p in (uneven, even, barrier)), places
at_least = lambda what, value, least: least <= value or sys.exit(f"{what}: {value} instead of {least} at least")
for place, threads, longest in (uneven, 9, 4), (even, 3, 1):
    at_least("time", place["time"], 2 * steps * longest * step)
    at_least("busy", place["busy"], 2 * steps * threads * step)
    at_least("most", place["most"], place["busy"])
    at_least("room", place["room"] * 1.001, place["busy"] + place["waited"])
at_least("waited", uneven["waited"], 0.5 * 2 * steps * 3 * step)
at_least("barrier", barrier["time"], 0.5 * 2 * steps * 2 * step)
e = openmp["efficiency"]
product = e["load_balance"] * e["scheduling"] * e["serialization"]
assert 0 < e["parallel"] < 1 and abs(e["parallel"] / product - 1) < 1e-6, e
' 2>&1
}

# teams DIR: of ten iterations, each thread of each rank has both regions in the trace, as long as it works in them
# (2 ms and 2 more for each thread before it, then 2 ms; 2 ms), between the fork and the join of its main thread
teams() {
    print_trace "$1/traces.otf2" | "$python" -c '
import collections, sys
begins, ends, forks, joins, works, within = (collections.defaultdict(list) for _ in range(6))
lists = {"THREAD_TEAM_BEGIN": begins, "THREAD_TEAM_END": ends, "THREAD_FORK": forks, "THREAD_JOIN": joins}
for line in sys.stdin:
    word = line.split()
    if len(word) < 3 or not word[1].isdigit():
        continue
    thread, rank = divmod(int(word[1]), 1 << 32)
    who = rank, thread & 0xffff
    if word[0] in lists:
        lists[word[0]][who].append(int(word[2]))
    elif thread and word[0] == "ENTER":
        (works if "implicit barrier" in line else within)[who].append(int(word[2]))
threads = [(rank, thread) for rank in range(2) for thread in range(3)]
assert sorted(begins) == threads, f"threads {sorted(begins)}"
assert all(len(forks[rank, 0]) == len(joins[rank, 0]) == 20 for rank in range(2)), "not 20 forks and joins"
for rank, thread in threads:
    fork, begin, end, join = forks[rank, 0], begins[rank, thread], ends[rank, thread], joins[rank, 0]
    assert len(begin) == len(end) == 20, f"thread {thread}: {len(begin)} parts"
    wrong = [times for times in zip(fork, begin, end, join) if sorted(times) != list(times)]
    assert not wrong, f"thread {thread}: fork, begin, end, join at {wrong[0]}"
    took = sum(works[rank, thread]) - sum(within[rank, thread])
    assert not thread or took >= 10 * (2 + thread + 1) * 2e6, f"thread {thread}: {took} ns"
' 2>&1 | tail -n 1
}

for compiler in gcc clang; do
    case $mpi in MPICH) export MPICH_CC=$compiler ;; *) export OMPI_CC=$compiler ;; esac
    for program in hybrid forms; do
        $MPICC -g -O1 -fopenmp -o $program.$compiler "$root/tests/openmp/$program.c" || exit 2
    done
    in_full || [ $compiler = clang ] || continue
    ranks 2 ./forms.$compiler >bare 2>err
    code=$?
    ranks 2 "$tool" run --openmp on --mode full --summary off -o forms.$compiler.dir ./forms.$compiler >out 2>err
    same "$compiler, forms: exit code" $code $?
    verdict "$compiler, forms: output" "$(diff bare out | head -n 3)"
    accepted "$compiler, forms" forms.$compiler.dir/traces.otf2 --full
    ranks 2 "$tool" run --openmp on -o only.$compiler ./hybrid.$compiler 150 2000 >out 2>err
    verdict "$compiler: a time step of OpenMP only is the main loop" \
        "$(grep -q '^ *150 .*\* in hybrid.c:[0-9]* main: .*omp parallel' err || grep -A3 repetitions err)"
    verdict "$compiler: regions, threads, waiting" "$(told only.$compiler)"
    accepted "$compiler, only" only.$compiler/traces.otf2 --iterations 10
    ranks 2 "$tool" run --openmp on -o mpi.$compiler ./hybrid.$compiler 150 2000 mpi >out 2>err
    same "$compiler: the order of regions, barriers and calls" "150 MPI_Allreduce,150 omp barrier,300 omp parallel" "$(
        "$tool" expand -r 1 mpi.$compiler | sed 's/^ *[0-9]*  \(omp [a-z]*\|MPI_[A-Za-z]*\)  .*/\1/' | head -n 600 |
            sort | uniq -c | sed 's/^ *//' | paste -sd,)"
    has "$compiler: the summary" "OpenMP       300 parallel regions a rank" err
    "$tool" report mpi.$compiler >report
    has "$compiler: the report" "omp parallel  hybrid.c:" report
    verdict "$compiler: functions of ours are not in the trace" "$(
        print_trace -G mpi.$compiler/traces.otf2 | grep -m 1 '^REGION .*libefgtrace')"
    accepted "$compiler, mpi" mpi.$compiler/traces.otf2 --iterations 10
    verdict "$compiler: the trace has the teams of threads" "$(teams mpi.$compiler)"
    "$tool" export -f otf2 -o copy.$compiler mpi.$compiler >said 2>&1
    verdict "$compiler: a copy of the trace has them, too" "$(teams copy.$compiler)"
    verdict "$compiler: the trace has regions of their length" "$(print_trace mpi.$compiler/traces.otf2 | awk '
        /^(ENTER|LEAVE).*"omp parallel"/ { if ($1 == "ENTER") begin[$2] = $3; else if ($3 - begin[$2] > 2000000) n++ }
        END { if (n < 20) print n + 0 " of 2 ms or more" }')"
done
# A program of gcc with the runtime of LLVM, or Intel's, which are one: they have the functions of libgomp, too.
other=$(ldd hybrid.clang | sed -n 's/.*=> \([^ ]*libomp[^ ]*\).*/\1/p')
if [ -f "$other" ]; then
    LD_PRELOAD=$other ranks 2 "$tool" run --openmp on -o other ./hybrid.gcc 150 2000 mpi >out 2>err
    same "gcc's program by LLVM: each region once" "150 MPI_Allreduce,150 omp barrier,300 omp parallel" "$(
        "$tool" expand -r 1 other | sed 's/^ *[0-9]*  \(omp [a-z]*\|MPI_[A-Za-z]*\)  .*/\1/' | head -n 600 |
            sort | uniq -c | sed 's/^ *//' | paste -sd,)"
    has "gcc's program by LLVM: the summary" "OpenMP       300 parallel regions a rank" err
else
    skip "gcc's program by LLVM" "there is no libomp.so"
fi
verdict "off: no region is a node" "$(
    ranks 2 "$tool" run -o off ./hybrid.gcc 100 1000 mpi >out 2>err
    "$tool" expand -r 0 off | grep -m 1 "omp ")"
EFGTRACE_OPENMP=on EFGTRACE_OUTPUT=alone LD_PRELOAD=$library ranks 2 ./hybrid.gcc 20 1000 >out 2>err
has "not preloaded: what to do" "preload it beside libefgtrace.so" err
EFGTRACE_OPENMP=on EFGTRACE_OUTPUT=both LD_PRELOAD=$library:$build/libefgtrace-openmp.so \
    ranks 2 ./hybrid.gcc 100 1000 >out 2>err
has "preloaded by hand: regions are seen" "OpenMP       200 parallel regions a rank" err
finish
