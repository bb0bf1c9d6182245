/* SPDX-License-Identifier: BSD-3-Clause */
/* A gas of particles (SPH) which have time steps of their own, 1 to 8 ticks long.
 *
 * usage: sph
 *
 * The main loop are the points in time at which some particle ends its step: the next one is the
 * least of all ranks, all drift there, and those that are active get density and forces, from other
 * ranks, too: they are exported, a buffer at a time, until all ranks have done theirs; and the
 * density again until each has as many neighbours as it should. Each eighth tick, particles go
 * to ranks anew, of which borders are found that give each the same work; there are statistics,
 * and snapshots. */
#include "programs.h"

enum {
    EACH = 700,
    MOST = 4 * EACH,
    BUNCH = 120,
    ALL_BINS = 8,
    END = 8 * 150,
    BINS = 256,
    LINES = 16,
    ROWS = 12
};
enum { DENSITY, FORCE };

static const double LENGTH = 32, HEIGHT = 12, TICK = 0.008, WANTED = 22;

static struct particle {
    double x, y, vx, vy, h, density, ax, ay;
    long bin;
} p[MOST], spare[MOST];

static struct ask {
    double x, y, vx, vy, h, density, sums[2];
    long who;
} local[MOST], out[MOST_RANKS][BUNCH], in[BUNCH];

static double borders[MOST_RANKS + 1];
static int own, head[ROWS][LINES], next[MOST];
static long rounds;

static double wrap(double d, double length)
{
    return d - length * floor(d / length + 0.5);
}

static int line_of(double x)
{
    double low = borders[rank], wide = borders[rank + 1] - low;
    int line = (int)floor((wrap(x - low - wide / 2, LENGTH) / wide + 0.5) * LINES);
    return line < 0 ? 0 : line >= LINES ? LINES - 1 : line;
}

static int row_of(double y)
{
    return (int)floor(y / HEIGHT * ROWS);
}

SEPARATE static void build_tree(void)
{
    memset(head, -1, sizeof head);
    for (int i = 0; i < own; i++) {
        int row = row_of(p[i].y) % ROWS, line = line_of(p[i].x);
        next[i] = head[row][line];
        head[row][line] = i;
    }
}

static void add(struct ask *a, const struct particle *b, int kind)
{
    double x = wrap(a->x - b->x, LENGTH), y = wrap(a->y - b->y, HEIGHT), rr = x * x + y * y, hh = a->h * a->h;

    if (rr >= hh)
        return;
    double w = 4 / (M_PI * hh) * pow(1 - rr / hh, 2);
    if (kind == DENSITY) {
        a->sums[0] += w * (1 - rr / hh);
        return;
    }
    double along = x * (a->vx - b->vx) + y * (a->vy - b->vy), viscous = 0;
    if (along < 0)
        viscous = -0.8 * along * a->h / (rr + 0.01 * hh) / (a->density + b->density);
    double f = (1 / a->density + 1 / b->density + viscous) * 6 * w / hh;
    a->sums[0] += f * x;
    a->sums[1] += f * y;
}

static void evaluate(struct ask *a, int kind)
{
    int low = line_of(a->x - a->h), high = line_of(a->x + a->h), from = row_of(a->y - a->h);

    if (low > high) /* it comes from the other side of the slab */
        low = 0, high = LINES - 1;
    for (int r = from; r <= row_of(a->y + a->h); r++)
        for (int line = low; line <= high; line++)
            for (int i = head[(r + ROWS) % ROWS][line]; i >= 0; i = next[i])
                add(a, &p[i], kind);
}

static int is_needed_by(const struct ask *a, int r)
{
    double half = (borders[r + 1] - borders[r]) / 2;
    return fabs(wrap(a->x - borders[r] - half, LENGTH)) < half + a->h + 0.3;
}

static void exchange(int partner, const int (*counts)[MOST_RANKS], int kind)
{
    int give = counts[rank][partner] * (int)sizeof **out, get = counts[partner][rank] * (int)sizeof *in;
    static struct ask back[BUNCH];

    if (give == 0 && get == 0)
        return;
    MPI_Sendrecv(out[partner], give, MPI_BYTE, partner, kind, in, get, MPI_BYTE, partner, kind,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < counts[partner][rank]; i++)
        evaluate(&in[i], kind);
    MPI_Sendrecv(in, get, MPI_BYTE, partner, 2 + kind, back, give, MPI_BYTE, partner, 2 + kind,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < counts[rank][partner]; i++)
        for (int k = 0; k < 2; k++)
            local[back[i].who].sums[k] += back[i].sums[k];
}

/* The sums of N that ask, with the particles of all ranks. */
SEPARATE static void evaluate_all(int n, int kind)
{
    int done = 0, finished = 0;

    while (finished < ranks) {
        int send[MOST_RANKS] = {0}, counts[MOST_RANKS][MOST_RANKS], is_full = 0, flags[MOST_RANKS];
        for (; done < n && !is_full; done++) {
            for (int r = 0; r < ranks; r++)
                if (r != rank && is_needed_by(&local[done], r)) {
                    out[r][send[r]] = local[done];
                    out[r][send[r]++].who = done;
                    is_full |= send[r] == BUNCH;
                }
            evaluate(&local[done], kind);
        }
        MPI_Allgather(send, MOST_RANKS, MPI_INT, counts, MOST_RANKS, MPI_INT, MPI_COMM_WORLD);
        for (int level = 1; level < MOST_RANKS; level++)
            if ((rank ^ level) < ranks)
                exchange(rank ^ level, (const int(*)[MOST_RANKS])counts, kind);
        int is_done = done == n;
        MPI_Allgather(&is_done, 1, MPI_INT, flags, 1, MPI_INT, MPI_COMM_WORLD);
        finished = 0;
        for (int r = 0; r < ranks; r++)
            finished += flags[r];
        rounds++;
    }
}

static int ask_for(const int *which, int n)
{
    for (int k = 0; k < n; k++) {
        const struct particle *a = &p[which[k]];
        local[k] = (struct ask){a->x, a->y, a->vx, a->vy, a->h, a->density, {0}, 0};
    }
    return n;
}

/* Until all have as many neighbours as they should. */
SEPARATE static void density(const int *active, int n)
{
    static int todo[MOST];
    int left = n, all = 1;

    memcpy(todo, active, n * sizeof *active);
    for (int k = 0; all > 0 && k < 20; k++) {
        evaluate_all(ask_for(todo, left), DENSITY);
        int again = 0;
        for (int i = 0; i < left; i++) {
            struct particle *a = &p[todo[i]];
            double neighbours = local[i].sums[0] * M_PI * a->h * a->h;
            a->density = local[i].sums[0];
            if (fabs(neighbours - WANTED) > 3 && k < 6) {
                a->h *= fmax(0.8, fmin(1.25, sqrt(WANTED / neighbours)));
                a->h = fmin(a->h, 1.5);
                todo[again++] = todo[i];
            }
        }
        left = again;
        MPI_Allreduce(&left, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

SEPARATE static void forces(const int *active, int n)
{
    evaluate_all(ask_for(active, n), FORCE);
    for (int k = 0; k < n; k++) {
        p[active[k]].ax = local[k].sums[0];
        p[active[k]].ay = local[k].sums[1];
    }
}

SEPARATE static long find_next_sync_point(long tick)
{
    long mine = END, all;

    for (int i = 0; i < own; i++) {
        long mark = (tick / p[i].bin + 1) * p[i].bin;
        mine = mark < mine ? mark : mine;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

SEPARATE static void drift(double dt)
{
    for (int i = 0; i < own; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].x -= LENGTH * floor(p[i].x / LENGTH);
        p[i].y -= HEIGHT * floor(p[i].y / HEIGHT);
    }
}

/* Borders of slabs with the same work; a particle has as much as it is often active. */
static void find_borders(void)
{
    double work[BINS] = {0}, all[BINS], total = 0, sum = 0;
    int r = 1;

    for (int i = 0; i < own; i++)
        work[(int)(p[i].x / LENGTH * BINS) % BINS] += (double)ALL_BINS / p[i].bin;
    MPI_Allreduce(work, all, BINS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int b = 0; b < BINS; b++)
        total += all[b];
    for (int b = 0; b < BINS && r < ranks; b++) {
        sum += all[b];
        if (sum >= r * total / ranks)
            borders[r++] = (b + 1) * LENGTH / BINS;
    }
    borders[ranks] = LENGTH;
}

SEPARATE static void decompose(void)
{
    int count[MOST_RANKS] = {0}, place[MOST_RANKS], in_count[MOST_RANKS], in_place[MOST_RANKS], n = 0;

    find_borders();
    for (int r = 0; r < ranks; r++) {
        place[r] = n * (int)sizeof *p;
        for (int i = 0; i < own; i++)
            if (p[i].x >= borders[r] && p[i].x < borders[r + 1])
                spare[n++] = p[i];
        count[r] = n * (int)sizeof *p - place[r];
    }
    MPI_Alltoall(count, 1, MPI_INT, in_count, 1, MPI_INT, MPI_COMM_WORLD);
    n = 0;
    for (int r = 0; r < ranks; n += in_count[r++])
        in_place[r] = n;
    own = n / (int)sizeof *p;
    if (own > MOST)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Alltoallv(spare, count, place, MPI_BYTE, p, in_count, in_place, MPI_BYTE, MPI_COMM_WORLD);
}

static int find_active(long tick, int *active)
{
    int n = 0;

    for (int i = 0; i < own; i++)
        if (tick % p[i].bin == 0)
            active[n++] = i;
    return n;
}

/* And the length of the next step: bins change only where both have an end. */
static void kick(long tick, const int *active, int n)
{
    for (int k = 0; k < n; k++) {
        struct particle *a = &p[active[k]];
        a->vx += a->bin * TICK * a->ax;
        a->vy += a->bin * TICK * a->ay;
        double size = hypot(a->ax, a->ay), dt = 0.1 * sqrt(a->h / (size + 1e-3));
        a->bin = ALL_BINS;
        while (a->bin > 1 && (a->bin * TICK > dt || tick % a->bin))
            a->bin /= 2;
    }
}

SEPARATE static void statistics(double *all)
{
    double mine[2] = {0};

    for (int i = 0; i < own; i++) {
        mine[0] += (p[i].vx * p[i].vx + p[i].vy * p[i].vy) / 2;
        mine[1] += p[i].density;
    }
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

SEPARATE static int snapshot(void)
{
    int counts[MOST_RANKS], places[MOST_RANKS], n = own * (int)sizeof *p;
    static struct particle all[MOST_RANKS * EACH];

    MPI_Gather(&n, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0, sum = 0; r < ranks && rank == 0; sum += counts[r++])
        places[r] = sum;
    MPI_Gatherv(p, n, MPI_BYTE, all, counts, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    return 1;
}

/* A cloud is hit by a wind. */
static void make_particles(void)
{
    uint64_t state = 600 + rank;

    for (own = 0; own < EACH; own++) {
        double x = (rank + draw(&state)) * LENGTH / ranks, y = HEIGHT * draw(&state);
        if (own % 5 == 0) {
            x = LENGTH / 2 + 3 * (draw(&state) - 0.5);
            y = HEIGHT / 2 + 3 * (draw(&state) - 0.5);
        }
        int is_wind = x < LENGTH / 3;
        p[own] = (struct particle){x, y, is_wind ? 2.5 : 0, 0, 0.7, 1, 0, 0, 1};
    }
}

int main(int argc, char **argv)
{
    static int active[MOST];
    int points = 0, snapshots = 0;
    double all[2] = {0};
    long tick = 0;

    start(&argc, &argv);
    make_particles();
    decompose();
    build_tree();
    int n = find_active(tick, active);
    density(active, n);
    forces(active, n);
    kick(tick, active, n);
    for (; tick < END; points++) {
        long now = find_next_sync_point(tick);
        drift((now - tick) * TICK);
        tick = now;
        if (tick % ALL_BINS == 0)
            decompose();
        build_tree();
        n = find_active(tick, active);
        density(active, n);
        forces(active, n);
        kick(tick, active, n);
        if (tick % 40 == 0)
            statistics(all);
        if (tick % 80 == 0)
            snapshots += snapshot();
    }
    if (rank == 0)
        printf("%d points in time, %ld rounds, %d snapshots, energy %.3f, density %.3f\n", points, rounds,
               snapshots, all[0], all[1]);
    return finish(points, 0);
}
