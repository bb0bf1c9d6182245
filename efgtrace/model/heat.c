/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathers the series of iterations of all ranks in one table. A rank comes as a row of its own; when there
 * are too many rows, those that are closest share one.
 */
#include "heat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FIRST_APART 0.01

/* --- cells --- */

static void add_cell(struct efg_heat_cell *to, const struct efg_heat_cell *from, double share)
{
    to->iterations += share * from->iterations;
    to->time += share * from->time;
    to->mpi += share * from->mpi;
}

/* Iterations from FIRST on, COUNT of them, which are in CELL, divided over the columns. */
static void spread(const struct efg_heat *heat, struct efg_heat_cell *cells, uint64_t first, uint64_t count,
                   const struct efg_heat_cell *cell)
{
    uint64_t end = first + count;
    uint64_t at = first > heat->first ? first : heat->first;
    for (uint64_t c = (at - heat->first) / heat->width; at < end && c < heat->columns; c++) {
        uint64_t stop = heat->first + (c + 1) * heat->width;
        if (stop > end || stop < at || c + 1 == heat->columns)
            stop = end;
        add_cell(&cells[c], cell, (double)(stop - at) / cell->iterations);
        at = stop;
    }
}

static struct efg_heat_cell *cells_of(const struct efg_heat *heat, const struct efg_series *series)
{
    struct efg_heat_cell *cells = calloc((size_t)heat->columns + 1, sizeof *cells);
    uint64_t first = series->first;
    for (uint32_t i = 0; cells && i < efg_series_slots(series); i++) {
        uint64_t count = efg_series_in_slot(series, i);
        struct efg_heat_cell cell = {(double)count, (double)series->slot[i].time,
                                     (double)series->slot[i].mpi};
        spread(heat, cells, first, count, &cell);
        first += count;
    }
    return cells;
}

/* --- rows --- */

static double distance_of(const struct efg_heat *heat, const struct efg_heat_cell *a,
                          const struct efg_heat_cell *b)
{
    double apart = 0, whole = 0;
    for (uint32_t c = 0; c < heat->columns; c++) {
        double ours = a[c].iterations, theirs = b[c].iterations;
        if (!(ours > 0 && theirs > 0)) {
            apart += ours > 0 ? a[c].time / ours : theirs > 0 ? b[c].time / theirs : 0;
            continue;
        }
        double mpi = a[c].mpi / ours - b[c].mpi / theirs, time = a[c].time / ours - b[c].time / theirs;
        apart += fabs(mpi) + fabs(time - mpi);
        whole += a[c].time / ours;
    }
    return whole > 0 ? apart / whole : apart > 0 ? HUGE_VAL : 0;
}

/* FROM becomes a part of TO. */
static int unite(const struct efg_heat *heat, struct efg_heat_row *to, struct efg_heat_row *from)
{
    int error = efg_ranklist_unite(&to->ranks, &from->ranks);
    for (uint32_t c = 0; c < heat->columns && !error; c++)
        add_cell(&to->cells[c], &from->cells[c], 1);
    efg_ranklist_fini(&from->ranks);
    free(from->cells);
    *from = (struct efg_heat_row){0};
    return error;
}

/* Of the first COUNT rows the closest one that CELLS may share; COUNT if there is none. */
static uint32_t closest(const struct efg_heat *heat, uint32_t count, const struct efg_heat_cell *cells)
{
    double least = HUGE_VAL;
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        double distance = distance_of(heat, heat->rows[i].cells, cells);
        if (distance <= heat->apart && distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static int share_rows(struct efg_heat *heat)
{
    uint32_t count = 0;
    heat->apart = heat->apart > 0 ? 2 * heat->apart : FIRST_APART;
    for (uint32_t i = 0; i < heat->row_count; i++) {
        uint32_t row = closest(heat, count, heat->rows[i].cells);
        if (row < count) {
            if (unite(heat, &heat->rows[row], &heat->rows[i]))
                return -ENOMEM;
        } else {
            struct efg_heat_row moved = heat->rows[i];
            heat->rows[i] = (struct efg_heat_row){0};
            heat->rows[count++] = moved;
        }
    }
    heat->row_count = count;
    return 0;
}

/* Takes ROW. */
static int add_row(struct efg_heat *heat, struct efg_heat_row *row)
{
    uint32_t like = heat->apart > 0 ? closest(heat, heat->row_count, row->cells) : heat->row_count;
    int error = 0;
    if (like < heat->row_count)
        return unite(heat, &heat->rows[like], row);
    heat->rows[heat->row_count++] = *row;
    while (heat->row_count > EFG_HEAT_ROWS && !error)
        error = share_rows(heat);
    return error;
}

/* --- ranks --- */

/* Whether it has the iterations of the rank that represents the run: of the same loop, or counted with it. */
static bool has_loop(const struct efg_heat *heat, const struct efg_run_thread *thread)
{
    return heat->columns && thread && thread->series && thread->series->count &&
           (thread->loops.main.function == heat->speaker->loops.main.function || thread->agreed.is_owner);
}

int efg_heat_begin(struct efg_heat *heat, const struct efg_run *run)
{
    const struct efg_run_thread *speaker = efg_run_rank_thread(&run->speaker);
    *heat = (struct efg_heat){.speaker = speaker};
    heat->rows = calloc(EFG_HEAT_ROWS + 1, sizeof *heat->rows);
    if (!heat->rows)
        return -ENOMEM;
    if (!speaker || !speaker->series || !speaker->series->count)
        return 0;
    heat->first = speaker->series->first;
    heat->width = UINT64_C(1) << speaker->series->shift;
    heat->columns = efg_series_slots(speaker->series);
    return 0;
}

int efg_heat_add(struct efg_heat *heat, const struct efg_run_rank *rank)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(rank);
    struct efg_heat_row row = {0};
    if (!has_loop(heat, thread))
        return efg_ranklist_add(&heat->without, rank->rank);
    row.cells = cells_of(heat, thread->series);
    if (!row.cells || efg_ranklist_add(&row.ranks, rank->rank)) {
        free(row.cells);
        return -ENOMEM;
    }
    return add_row(heat, &row);
}

void efg_heat_fini(struct efg_heat *heat)
{
    for (uint32_t i = 0; heat->rows && i <= EFG_HEAT_ROWS; i++) {
        efg_ranklist_fini(&heat->rows[i].ranks);
        free(heat->rows[i].cells);
    }
    free(heat->rows);
    efg_ranklist_fini(&heat->without);
    *heat = (struct efg_heat){0};
}

/* --- sums --- */

struct efg_heat_cell efg_heat_sum(const struct efg_heat *heat, const struct efg_heat_row *row, uint32_t from,
                                  uint32_t end)
{
    struct efg_heat_cell sum = {0};
    for (uint32_t c = from; c < end && c < heat->columns; c++)
        add_cell(&sum, &row->cells[c], 1);
    return sum;
}

struct efg_heat_cell efg_heat_sum_all(const struct efg_heat *heat, uint32_t from, uint32_t end)
{
    struct efg_heat_cell sum = {0};
    for (uint32_t i = 0; i < heat->row_count; i++) {
        struct efg_heat_cell row = efg_heat_sum(heat, &heat->rows[i], from, end);
        add_cell(&sum, &row, 1);
    }
    return sum;
}
