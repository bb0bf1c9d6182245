/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nearest: the word that was probably meant, for messages about a mistyped one.
 *
 *     struct efg_nearest n = {.word = "itertions"};
 *     for each word: efg_nearest_offer(&n, word);
 *     n.best is "iterations", or NULL when nothing comes close
 *
 * Nothing is owned: the words outlive the structure.
 */
#ifndef EFG_NEAREST_H
#define EFG_NEAREST_H

struct efg_nearest {
    const char *word; /* as typed */
    const char *best; /* of those offered, or NULL */
    int distance;     /* of the best */
};

/* Offer CANDIDATE; among equals the first one stays. */
void efg_nearest_offer(struct efg_nearest *nearest, const char *candidate);

#endif
