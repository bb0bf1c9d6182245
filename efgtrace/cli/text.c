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

void efg_text_wrap(struct efg_buffer *out, const char *head, const char *text)
{
    int indent = (int)strlen(head), most = EFG_COLUMNS - indent;
    while (strlen(text) > (size_t)most) {
        int end = most;
        while (end > 1 && text[end] != ' ')
            end--;
        if (end == 1)
            end = most;
        efg_summary_line(out, "%*s%.*s", indent, head, end, text);
        text += end + (text[end] == ' ');
        head = "";
    }
    efg_summary_line(out, "%*s%s", indent, head, text);
}

void efg_text_rest(struct efg_buffer *out, uint32_t count, uint32_t most)
{
    if (count > most)
        efg_summary_line(out, "(%u more: --all shows them)", count - most);
}
