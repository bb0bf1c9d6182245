/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that is too wide for a terminal. Of a table, first what is between its columns becomes less: those
 * characters go that are blanks in all of its rows, from the widest gaps, as many as it takes. Then names are
 * without their middle. Those of two rows that would look the same, and are not, are whole, in the next line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

#define INDENT 15   /* columns that prose is further in, at most */
#define SHORTEST 16 /* of a name without its middle */
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

/* What is before a name, "2000 x in ". */
static size_t before_name(const char *cell)
{
    size_t count = strspn(cell, "* 0123456789x");
    return strncmp(cell + count, "in ", 3) == 0 ? count + 3 : 0;
}

/* Of the label of a loop, LENGTH long: without what it does. */
static size_t place_length(const char *cell, size_t length)
{
    const char *calls = strstr(cell, ": ");
    return before_name(cell) && calls ? (size_t)(calls - cell) : length;
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

/* Of a row that is too long, the columns that its last CELL has if it stays in it; 0: it does not. */
static int room_for(const char *line, const char *cell, int width)
{
    bool is_head = isalpha((unsigned char)line[strspn(line, " ")]);
    int before = (int)(blanks_before(line, cell) - line), blanks = (int)(cell - line) - before,
        length = (int)strlen(cell), room = width - before - GAP,
        place = (int)place_length(cell, (size_t)length), shortest = (int)before_name(cell) + SHORTEST,
        least = place < shortest ? place : shortest;
    if (is_head)
        return room < length ? 0 : length;
    if (room < least)
        return 0;
    return width - before - blanks > least ? width - before - blanks : least;
}

/* A row that is too long: its last CELL is without its middle, or not as far in; where that is not enough, it
 * is at the right edge of the next line. ROOM: as room_for has it. */
static void put_shorter(struct efg_buffer *out, const char *line, const char *cell, int width, int room)
{
    char name[2048];
    int before = (int)(blanks_before(line, cell) - line), blanks = (int)(cell - line) - before;
    if (!before) {
        efg_buffer_print(out, "%s\n", line);
    } else if (!room) {
        shorten(name, sizeof name, cell, (size_t)width);
        put_before(out, line, before, width);
        efg_buffer_print(out, "%*s\n", width, name);
    } else {
        shorten(name, sizeof name, cell, (size_t)room);
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

/* --- rows --- */

/* A row, without the blanks that were taken out. */
struct row {
    char *text;
    size_t cell;   /* where its last one begins */
    int room;      /* columns for that; 0: it is in the next line */
    char *shorter; /* its names, as they are in the room that they have; NULL: they are in two lines */
    bool is_alike; /* another row looks the same, and is not */
};

/* The names of a row: its last cell, with the call before it. The count of a loop is none of them. */
static const char *names_of(const struct row *row)
{
    const char *cell = row->text + row->cell, *call = blanks_before(row->text, cell);
    size_t count = before_name(cell);
    while (call > row->text && call[-1] != ' ')
        call--;
    return !count && isalpha((unsigned char)*call) ? call : cell + count;
}

static int make_row(struct row *row, const struct table *table, const char *line, int width)
{
    size_t length = strlen(line), kept = 0, cell = (size_t)(last_cell(line) - line);
    char name[2048];
    row->text = malloc(length + 1);
    if (!row->text)
        return -1;
    for (size_t c = 0; c < length; c++) {
        row->cell = c == cell ? kept : row->cell;
        if (c >= WIDEST || table->stays[c])
            row->text[kept++] = line[c];
    }
    row->text[kept] = '\0';
    const char *text = row->text + row->cell, *names = names_of(row);
    row->room = kept <= (size_t)width ? (int)strlen(text) : room_for(row->text, text, width);
    if (!row->room)
        return 0;
    shorten(name, sizeof name, text, (size_t)row->room);
    size_t before = names < text ? (size_t)(text - names) : 0,
           skipped = names > text ? (size_t)(names - text) : 0;
    row->shorter = malloc(before + strlen(name) + 1);
    if (!row->shorter)
        return -1;
    memcpy(row->shorter, names, before);
    strcpy(row->shorter + before, name + (skipped < strlen(name) ? skipped : 0));
    return 0;
}

/* By what they look like, then by what they are; rows of two lines last. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    if (!x->shorter || !y->shorter)
        return !x->shorter - !y->shorter;
    int order = strcmp(x->shorter, y->shorter);
    return order ? order : strcmp(names_of(x), names_of(y));
}

/* Mark rows that look the same, and are not. */
static int tell_apart(struct row *rows, uint32_t count)
{
    struct row **sorted = calloc((size_t)count + 1, sizeof *sorted);
    uint32_t n = 0;
    if (!sorted)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].shorter)
            sorted[n++] = &rows[i];
    qsort(sorted, n, sizeof(struct row *), compare_rows);
    for (uint32_t first = 0, next; first < n; first = next) {
        for (next = first + 1; next < n && !strcmp(sorted[first]->shorter, sorted[next]->shorter);)
            next++;
        bool are_alike = strcmp(names_of(sorted[first]), names_of(sorted[next - 1])) != 0;
        for (uint32_t i = first; i < next; i++)
            sorted[i]->is_alike = are_alike;
    }
    free(sorted);
    return 0;
}

static void put_row(struct efg_buffer *out, const struct row *row, int width)
{
    const char *cell = row->text + row->cell;
    if (strlen(row->text) <= (size_t)width)
        efg_buffer_print(out, "%s\n", row->text);
    else
        put_shorter(out, row->text, cell, width, row->is_alike ? 0 : row->room);
}

/* --- tables, as they are --- */

static void put_lines(struct efg_buffer *out, const struct table *table, struct row *rows, int width)
{
    bool failed = !rows;
    for (uint32_t i = 0; i < table->count && !failed; i++)
        if (is_row(table->lines[i]))
            failed = make_row(&rows[i], table, table->lines[i], width) != 0;
    failed = failed || tell_apart(rows, table->count) != 0;
    for (uint32_t i = 0; i < table->count && !failed; i++) {
        if (rows[i].text)
            put_row(out, &rows[i], width);
        else
            put_prose(out, table->lines[i], width);
    }
    out->failed |= failed;
}

static void put_table(struct efg_buffer *out, char *const *lines, uint32_t count, int width)
{
    struct table table = {.lines = lines, .count = count};
    struct row *rows = calloc((size_t)count + 1, sizeof *rows);
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
    put_lines(out, &table, rows, width);
    for (uint32_t i = 0; rows && i < count; i++) {
        free(rows[i].text);
        free(rows[i].shorter);
    }
    free(rows);
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
