/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that is too wide for a terminal. Of a table, first what is between its columns becomes less: those
 * characters go that are blanks in all of its rows, from the widest gaps, as many as it takes. Then names are
 * without their middle.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

#define INDENT 15   /* columns that prose is further in, at most */
#define SHORTEST 16 /* of one without its middle */
#define WIDEST 256  /* columns of a table that are looked at */
#define GAP 2       /* blanks between columns that stay; before the first one, one */

/* --- names --- */

/* Cells are two spaces or more apart. */
static const char *last_cell(const char *line)
{
    for (const char *next; (next = strstr(line, "  ")); line = next)
        next += strspn(next, " ");
    return line;
}

/* Of the label of a loop, LENGTH long: without what it does. */
static size_t place_length(const char *cell, size_t length)
{
    const char *calls = strstr(cell, ": "), *place = cell + strspn(cell, "* 0123456789x");
    bool is_loop = strncmp(place, "in ", 3) == 0;
    return is_loop && calls ? (size_t)(calls - cell) : length;
}

static const char *blanks_before(const char *line, const char *cell)
{
    while (cell > line && cell[-1] == ' ')
        cell--;
    return cell;
}

/* A NAME in at most MOST columns: a loop without what it does, others without their middle. */
static void shorten(char *text, size_t size, const char *name, size_t most)
{
    size_t length = strlen(name), place = place_length(name, length), left = most - strlen("...");
    if (length <= most || place <= most)
        snprintf(text, size, "%.*s", (int)(length <= most ? length : place), name);
    else
        snprintf(text, size, "%.*s...%.*s", (int)(left + 1) / 2, name, (int)left / 2,
                 name + place - left / 2);
}

/* Of a row, LENGTH of LINE, what is before a name that is in the next line: where the last of that is a name,
 * too, and does not fit, it is without its middle. */
static void put_before(struct efg_buffer *out, const char *line, int length, int width)
{
    char text[2048], name[2048];
    snprintf(text, sizeof text, "%.*s", length, line);
    const char *cell = last_cell(text);
    while (isdigit((unsigned char)*cell) && strchr(cell, ' ')) /* a number that is one blank before it */
        cell = strchr(cell, ' ') + 1;
    int at = (int)(cell - text), room = width - at;
    bool is_name = isalpha((unsigned char)*cell) && (int)strlen(cell) > SHORTEST;
    if (length <= width || !is_name || room < SHORTEST) {
        efg_buffer_print(out, "%s\n", text);
        return;
    }
    shorten(name, sizeof name, cell, (size_t)room);
    efg_buffer_print(out, "%.*s%s\n", at, text, name);
}

/* A row that is too long: its last CELL, a name, is without its middle, or not as far in; where that is not
 * enough, and of heads, it is at the right edge of the next line. */
static void put_shorter(struct efg_buffer *out, const char *line, const char *cell, int width)
{
    char name[2048];
    bool is_head = isalpha((unsigned char)line[strspn(line, " ")]);
    int before = (int)(blanks_before(line, cell) - line), blanks = (int)(cell - line) - before,
        length = (int)strlen(cell), room = width - before - GAP,
        least = length < SHORTEST ? length : SHORTEST;
    if (!before) {
        efg_buffer_print(out, "%s\n", line);
    } else if (room < (is_head ? length : least)) {
        shorten(name, sizeof name, cell, (size_t)width);
        put_before(out, line, before, width);
        efg_buffer_print(out, "%*s\n", width, name);
    } else {
        int most = width - before - blanks > least ? width - before - blanks : least;
        shorten(name, sizeof name, cell, (size_t)(is_head ? length : most));
        int left = width - before - (int)strlen(name);
        efg_buffer_print(out, "%.*s%*s%s\n", before, line, left < blanks ? left : blanks, "", name);
    }
}

/* A line of prose. */
static void put_prose(struct efg_buffer *out, const char *line, int width)
{
    int indent = (int)strspn(line, " ");
    char head[INDENT + 1] = "";
    snprintf(head, sizeof head, "%*s", indent, "");
    if (strlen(line) <= (size_t)width)
        efg_buffer_print(out, "%s\n", line);
    else
        efg_summary_wrap(out, head, line + strlen(head));
}

/* --- tables --- */

/* Lines that follow each other. */
struct table {
    char *const *lines;
    uint32_t count;
    size_t longest;     /* of its rows */
    size_t names;       /* where the last cell of the first one begins: blanks further on are of names */
    bool stays[WIDEST]; /* by column */
};

/* A row has cells; what has one only is prose. */
static bool is_row(const char *line)
{
    return strstr(line + strspn(line, " "), "  ");
}

/* A table ends where a line is empty, and where a row, which has a number in front, is followed by a word. */
static bool ends(const char *line, const char *next)
{
    return !*next || (*line == ' ' && isalpha((unsigned char)*next));
}

static bool is_blank(const struct table *table, size_t column)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const char *line = table->lines[i];
        if (is_row(line) && column < strlen(line) && line[column] != ' ')
            return false;
    }
    return true;
}

/* Of the gap that begins at column BEGIN, how much stays. */
static size_t least_of(size_t begin, size_t gap)
{
    return begin ? gap : 1;
}

/* The gap between columns from which most can be taken if GAP stay: its first column, WIDEST for none. */
static size_t widest_gap(const struct table *table, const bool *is_blank_at, size_t gap)
{
    size_t found = WIDEST, most = 0, last = table->names, end;
    for (size_t begin = 0; begin < last; begin = end + 1) {
        size_t size = 0;
        for (end = begin; end < last && is_blank_at[end]; end++)
            size += table->stays[end];
        if (size > least_of(begin, gap) + most) {
            most = size - least_of(begin, gap);
            found = begin;
        }
    }
    return found;
}

/* Take blanks out, one after the other, until the longest row fits. */
static void squeeze(struct table *table, int width)
{
    bool blank[WIDEST];
    size_t excess = table->longest - (size_t)width;
    for (size_t c = 0; c < WIDEST; c++)
        blank[c] = is_blank(table, c);
    for (size_t gap = GAP; gap; gap--)
        for (size_t at; excess && (at = widest_gap(table, blank, gap)) < WIDEST; excess--) {
            while (!table->stays[at])
                at++;
            table->stays[at] = false;
        }
}

static void put_row(struct efg_buffer *out, const struct table *table, const char *line, int width)
{
    size_t length = strlen(line), kept = 0, cell = (size_t)(last_cell(line) - line), at = 0;
    char *text = malloc(length + 1);
    out->failed |= !text;
    for (size_t c = 0; text && c < length; c++) {
        at = c == cell ? kept : at;
        if (c >= WIDEST || table->stays[c])
            text[kept++] = line[c];
    }
    if (text) {
        text[kept] = '\0';
        if (kept <= (size_t)width)
            efg_buffer_print(out, "%s\n", text);
        else
            put_shorter(out, text, text + at, width);
    }
    free(text);
}

static void put_table(struct efg_buffer *out, char *const *lines, uint32_t count, int width)
{
    struct table table = {.lines = lines, .count = count};
    memset(table.stays, true, sizeof table.stays);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(lines[i]), cell = (size_t)(last_cell(lines[i]) - lines[i]);
        if (is_row(lines[i]) && length > table.longest)
            table.longest = length;
        if (is_row(lines[i]) && !table.names)
            table.names = cell < WIDEST ? cell : WIDEST;
    }
    if (table.longest > (size_t)width)
        squeeze(&table, width);
    for (uint32_t i = 0; i < count; i++) {
        if (is_row(lines[i]))
            put_row(out, &table, lines[i], width);
        else
            put_prose(out, lines[i], width);
    }
}

/* --- all --- */

/* The lines of TEXT, which become strings of their own: *COUNT of them. */
static char **split(char *text, uint32_t *count)
{
    char **lines = NULL;
    *count = 0;
    for (char *at = text; *at; at++)
        *count += *at == '\n';
    lines = calloc((size_t)*count + 2, sizeof *lines);
    *count = 0;
    for (char *end; lines && *text; text = end) {
        end = text + strcspn(text, "\n");
        if (*end)
            *end++ = '\0';
        lines[(*count)++] = text;
    }
    return lines;
}

void efg_summary_fit(struct efg_buffer *out, const struct efg_buffer *text, int width)
{
    struct efg_buffer copy = {0};
    uint32_t count = 0;
    efg_buffer_put(&copy, text->data, text->size);
    char *all = efg_buffer_text(&copy), **lines = all ? split(all, &count) : NULL;
    for (uint32_t i = 0, next; lines && i < count; i = next) {
        next = i + 1;
        while (next < count && !ends(lines[next - 1], lines[next]))
            next++;
        put_table(out, lines + i, next - i, width);
    }
    out->failed |= !lines;
    free(lines);
    free(all);
}
