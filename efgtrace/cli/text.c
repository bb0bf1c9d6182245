/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Titles, lines that are wrapped, and the last line of a table, which counts what is not shown.
 */
#include "text.h"

#include <string.h>

#include "files/summary/summary.h"

void efg_text_title(struct efg_buffer *out, const char *title)
{
    efg_buffer_print(out, "\n%s\n", title);
    for (size_t i = strlen(title); i; i--)
        efg_buffer_put(out, "-", 1);
    efg_buffer_put(out, "\n", 1);
}

void efg_text_rest(struct efg_buffer *out, uint32_t count, uint32_t most)
{
    if (count > most)
        efg_summary_line(out, "(%u more: --all shows them)", count - most);
}
