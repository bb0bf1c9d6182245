/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation of discrete events, a network of queues, in windows of time that are safe.
 *
 * usage: windows [END]
 *
 * The main loop are the windows: events before the end of the window are done, those for other
 * ranks are sent, and the least time of all that are left begins the next window. How many
 * events a window has differs between ranks and windows. */
#include "programs.h"

enum { STATIONS = 1024, JOBS = 4, MOST = 1 << 16, WORDS = 3, REPORT = 64 };

struct event {
    double time;
    int64_t job, station;
};

static const double LOOKAHEAD = 0.5;
static struct event heap[MOST], out[MOST_RANKS][MOST / 8];
static double load[STATIONS];
static uint64_t states[STATIONS];
static int events, outs[MOST_RANKS], done;

static int is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->job < b->job);
}

static void insert(struct event e)
{
    int i = events++;

    for (; i > 0 && is_before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

static struct event take(void)
{
    struct event first = heap[0], last = heap[--events];
    int i = 0;

    for (int child; (child = 2 * i + 1) < events; i = child) {
        if (child + 1 < events && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (is_before(&last, &heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}

/* The service itself is some arithmetic. */
static double serve(int s)
{
    double x = draw(&states[s]);

    for (int k = 0; k < 80; k++)
        x = 3.99 * x * (1 - x);
    load[s] = 0.95 * load[s] + 0.05 * x;
    return x;
}

static void handle(struct event e)
{
    int s = e.station % STATIONS;
    double x = serve(s);

    e.time += LOOKAHEAD + 0.5 * x - 0.3 * log(1 - draw(&states[s]));
    int where = draw(&states[s]) < 0.7 ? rank : (int)(ranks * draw(&states[s]));
    e.station = (int64_t)where * STATIONS + (int)(STATIONS * draw(&states[s]));
    if (where == rank)
        insert(e);
    else
        out[where][outs[where]++] = e;
    done++;
}

SEPARATE static void run_until(double end)
{
    while (events > 0 && heap[0].time < end)
        handle(take());
}

SEPARATE static void exchange_events(void)
{
    static struct event in[MOST / 8];
    MPI_Request requests[MOST_RANKS];
    int ins[MOST_RANKS], sends = 0;

    MPI_Alltoall(outs, 1, MPI_INT, ins, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        if (outs[r] > 0)
            MPI_Isend(out[r], WORDS * outs[r], MPI_INT64_T, r, 0, MPI_COMM_WORLD, &requests[sends++]);
    for (int r = 0; r < ranks; r++) {
        if (ins[r] == 0)
            continue;
        MPI_Recv(in, WORDS * ins[r], MPI_INT64_T, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < ins[r]; i++)
            insert(in[i]);
    }
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
    memset(outs, 0, sizeof outs);
}

SEPARATE static double least_time(void)
{
    double mine = events > 0 ? heap[0].time : INFINITY, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static double report(void)
{
    double mine = 0, all = 0;

    for (int s = 0; s < STATIONS; s++)
        mine += load[s] / STATIONS / ranks;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

static int simulate(double end, double *mean)
{
    int windows = 0;

    for (double now = least_time(); now < end; now = least_time()) {
        run_until(fmin(now + LOOKAHEAD, end));
        exchange_events();
        if (++windows % REPORT == 0)
            *mean = report();
    }
    return windows;
}

int main(int argc, char **argv)
{
    double mean = 0;

    start(&argc, &argv);
    double end = argument(argc, argv, 500);
    for (int s = 0; s < STATIONS; s++)
        states[s] = 10000 + rank * STATIONS + s;
    for (int i = 0; i < JOBS * STATIONS; i++) {
        int s = i % STATIONS;
        insert((struct event){3 * draw(&states[s]), rank * JOBS * STATIONS + i, rank * STATIONS + s});
    }
    MPI_Bcast(&end, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int windows = simulate(end, &mean);
    double all = sum_of_all(done, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.0f events in %d windows, mean %.6f\n", all, windows, mean);
    return finish(windows, 0);
}
