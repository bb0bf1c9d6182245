/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What texts with tables have in common, appended to OUT in lines of at most 100 columns.
 */
#ifndef EFG_TEXT_H
#define EFG_TEXT_H

#include <stdint.h>

#include "base/buffer.h"

/* An empty line, and TITLE underlined. */
void efg_text_title(struct efg_buffer *out, const char *title);

/* Of COUNT lines only the first MOST are there: how many are left out, if any. */
void efg_text_rest(struct efg_buffer *out, uint32_t count, uint32_t most);

#endif
