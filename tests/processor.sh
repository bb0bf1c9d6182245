#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether ranks had a processor: two that share one core, or two with two threads each that share two, had none
# for half of the time that they could have run, or more if others run there, too.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/processor.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

cd "$work" || exit 2
cat >work.c <<'END'
#include <mpi.h>
#include <time.h>
static double used(void) /* processor time of this thread: all have as much, whatever else runs here */
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static void compute(double seconds)
{
#ifdef THREADS
#pragma omp parallel
#endif
    for (double until = used() + seconds; used() < until;)
        ;
}
int main(int argc, char **argv)
{
    int one = 1, sum, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 20 && argc == 1; i++) {
        compute(0.025);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 1; i <= 400 && argc > 1; i++) { /* only the first rank makes calls */
        compute(0.005);
        if (rank == 0)
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    }
    MPI_Finalize();
    return 0;
}
END
$MPICC -O1 work.c -o work || exit 2
unbound=$(case $mpi in "Open MPI") echo --bind-to none ;; esac)

# unserved DIR: percent of the time that the ranks were ready to run without a processor, and the ns: with, without
unserved() {
    "$tool" report --json "$1" >document 2>/dev/null
    "$python" - <<'END'
import json
ranks = json.load(open("document"))["ranks"]
used, waited = (next(q for q in ranks if q["name"] == name)["values"]["mean"] for name in ("processor", "ready, without"))
print(round(100 * waited / (used + waited)), used, waited)
END
}

if ! [ -r /proc/self/schedstat ]; then
    skip "two ranks on one core" "the system does not say how long threads wait for a processor"
else
    first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    ranks 2 $unbound taskset -c "$first" \
        "$tool" run -o shared --summary off ./work || verdict "two ranks on one core: the run" "exit code $?"
    set -- $(unserved shared)
    verdict "two ranks on one core: no processor for $1% of the time" "$([ "$1" -ge 35 ] || echo "$*")"
    has "the summary says it" "Processor    none for " shared/summary.txt
    "$tool" report shared >report
    has "the first finding says it" "1. The ranks had no processor for" report

    # The second rank does not answer. The first one has half of a processor, so it waits for twice its patience, or longer.
    ranks 2 $unbound taskset -c "$first" \
        "$tool" run -o silent --summary off --verbose on --patience 500ms ./work silent 2>told ||
        verdict "a rank that does not answer: the run" "exit code $?"
    alone=$(sed -n 's/^efgtrace: \(.*\) s: the ranks do not agree in time.*/\1/p' told)
    verdict "two ranks on one core: a rank waits longer for another one: ${alone:-?} s" \
        "$(awk "BEGIN { exit !(${alone:-0} > 0.8) }" || { echo "it was said:" && cat told; })"
fi

$MPICC -O1 -fopenmp -DTHREADS work.c -o threads || exit 2
if ! in_full; then
    :
elif ! [ -r /proc/self/schedstat ]; then
    skip "two ranks of two threads on two cores" "the system does not say how long threads wait for a processor"
elif [ "$(nproc)" -lt 2 ]; then
    skip "two ranks of two threads on two cores" "there is one core"
else
    two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
    OMP_NUM_THREADS=2 ranks 2 $unbound taskset -c "$two" \
        "$tool" run -o threads.run --summary off ./threads || verdict "two ranks of two threads: the run" "exit code $?"
    set -- $(unserved threads.run)
    verdict "two ranks of two threads on two cores: no processor for $1% of the time" "$([ "$1" -ge 35 ] || echo "$*")"
    has "threads: the summary says it" "Processor    none for " threads.run/summary.txt
    "$tool" report threads.run >report
    has "threads: they are counted" "Binding      2 ranks with 4 busy threads " threads.run/summary.txt
    has "threads: the first finding says it" "1. The ranks had no processor for" report
fi

finish
