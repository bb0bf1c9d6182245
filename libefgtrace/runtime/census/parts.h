/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two kinds of board. For each: pin this rank's notice, tell whether that was done, and read the
 * notice of another rank.
 */
#ifndef EFG_BOARD_PARTS_H
#define EFG_BOARD_PARTS_H

#include <stdbool.h>

#include "board.h"

/* PUT and GET: its functions; kept. Does nothing the second time. */
void efg_pmix_pin(void *put, void *get, enum efg_notice notice);
bool efg_pmix_is_pinned(void);
enum efg_notice efg_pmix_read(int rank);

/* Before MPI begins; each notice once. Does nothing where hydra has not started this process.
 */
void efg_hydra_pin(enum efg_notice notice);
bool efg_hydra_is_pinned(void);
void efg_hydra_abort(int code);
const char *efg_hydra_space(void);
enum efg_notice efg_hydra_read(int rank);

#endif
