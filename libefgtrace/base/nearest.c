/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares words by the slips between them. The edit distance of Damerau and Levenshtein in its
 * restricted form: the least number of letters put in, taken out, changed, or swapped with their
 * neighbour. Upper and lower case count as the same letter, and so do '-' and '_'. A word that
 * begins as the candidate does (ITER for iterations) is as close as a single slip.
 *
 * Invariant: row[j] of the table holds the distance of the first i letters of one word
 * to the first j of the other; three rows are enough.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "nearest.h"

#define LONGEST 63 /* longer words are not compared */

static int fold(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool is_start_of(const char *start, const char *word)
{
    while (*start && fold(*start) == fold(*word))
        start++, word++;
    return !*start;
}

static int distance_of(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int n = strlen(a), m = strlen(b);

    for (int i = 0; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = least(above[j - 1] + !same, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void efg_nearest_offer(struct efg_nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->word);

    if (length == 0 || length > LONGEST || strlen(candidate) > LONGEST)
        return;

    int distance = distance_of(nearest->word, candidate);
    if (distance > 1 && length >= 3 && is_start_of(nearest->word, candidate))
        distance = 1;
    if (distance > 1 + (int)length / 3 || distance >= (int)length)
        return;
    if (!nearest->best || distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
