/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at each place of a series, takes the one where before and behind differ most, and goes on in both
 * parts.
 */
#include "change.h"

#include <math.h>
#include <string.h>

#define WINDOW 64
#define CLIP 4.0          /* in usual deviations: what one value counts for at most */
#define THRESHOLD 5.2     /* in standard errors of the mean of these: two values cannot reach it */
#define WORTH 2.0         /* usual deviations between two levels, at least */
#define FEW 3.0           /* how much less some values vary than all will: this over their number */
#define MEDIAN 1.57       /* the variance of a median over that of a mean (pi / 2) */
#define LEAST_USUAL 0.005 /* of the level: nothing varies less for long */

static void sort(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t k = i;
        for (; k && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

/* Of VALUES, which are sorted by that. */
static double median(double *values, uint32_t count)
{
    sort(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double efg_change_level(const double *values, uint32_t count)
{
    double copy[WINDOW];
    uint32_t used = count < WINDOW ? count : WINDOW;
    memcpy(copy, values + (count - used), used * sizeof *copy);
    return used ? median(copy, used) : 0;
}

struct level {
    double median, usual; /* usual: as a standard deviation */
    double count;         /* values that it is of */
};

/* Of the last of the COUNT VALUES. A few of them vary less than all will. */
static struct level level_of(const double *values, uint32_t count)
{
    double away[WINDOW];
    uint32_t used = count < WINDOW ? count : WINDOW;
    struct level level = {.median = efg_change_level(values, count), .count = used};
    for (uint32_t i = 0; i < used; i++)
        away[i] = fabs(values[count - used + i] - level.median);
    level.usual = 1.4826 * median(away, used) * (1 + FEW / used);
    level.usual = fmax(level.usual, LEAST_USUAL * fabs(level.median));
    return level;
}

static double clip(double value)
{
    return fmax(-CLIP, fmin(CLIP, value));
}

/* How much the COUNT values from AFTER on are off. */
static double score_of(const struct level *before, const double *after, uint32_t count)
{
    uint32_t used = count < WINDOW ? count : WINDOW;
    double sum = 0;
    for (uint32_t i = 0; i < used; i++)
        sum += clip((after[i] - before->median) / before->usual);
    return fabs(sum) / used / sqrt(1.0 / used + MEDIAN / before->count);
}

/* The first values behind a change are its level; what comes later may have changed again. */
static double level_behind(const double *after, uint32_t count)
{
    return efg_change_level(after, count < WINDOW ? count : WINDOW);
}

/* The change at AT, whose score is 0 if it is none. */
static struct efg_change change_at(const double *values, uint32_t at, uint32_t count, double floor)
{
    struct level before = level_of(values, at);
    struct efg_change change = {at, before.median, level_behind(values + at, count - at), 0};
    if (before.usual == 0)
        before.usual = floor / CLIP; /* it was not there at all */
    double score = score_of(&before, values + at, count - at);
    if (score >= THRESHOLD && fabs(change.after - change.before) >= fmax(floor, WORTH * before.usual))
        change.score = score;
    return change;
}

bool efg_change_is_at(const double *values, uint32_t at, uint32_t count, double floor)
{
    return at >= EFG_CHANGE_BEFORE && change_at(values, at, count, floor).score > 0;
}

static struct efg_change strongest(const double *values, uint32_t count, double floor)
{
    struct efg_change best = {0};
    for (uint32_t at = EFG_CHANGE_BEFORE; at + EFG_CHANGE_AFTER <= count; at++) {
        struct efg_change change = change_at(values, at, count, floor);
        if (change.score > best.score)
            best = change;
    }
    return best;
}

uint32_t efg_changes(const double *values, uint32_t count, double floor, struct efg_change *changes,
                     uint32_t most)
{
    struct efg_change found = strongest(values, count, floor);
    uint32_t before, behind;
    if (!found.at || !most)
        return 0;
    before = efg_changes(values, found.at, floor, changes, most - 1);
    changes[before] = found;
    behind = efg_changes(values + found.at, count - found.at, floor, changes + before + 1, most - before - 1);
    for (uint32_t i = 0; i < behind; i++)
        changes[before + 1 + i].at += found.at;
    return before + 1 + behind;
}
