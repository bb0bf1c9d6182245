/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines and numbers for people: three digits are what a duration that was measured once
 * is worth, and what an eye takes in.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "summary.h"

#define HEAD 13 /* columns before what a line says */
#define HANG 2  /* further in is what goes on in the next line, as many sentences may have one head */

static void to_ascii(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

void efg_summary_line(struct efg_buffer *out, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    to_ascii(line);
    for (size_t end = strlen(line); end && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
    efg_buffer_print(out, "%s\n", line);
}

/* --- terminals --- */

static int columns = EFG_COLUMNS;

int efg_summary_width(int file)
{
    const char *given = getenv("COLUMNS");
    struct winsize size;
    if (!isatty(file))
        return 0;
    int width = given ? atoi(given) : 0;
    if (width <= 0 && ioctl(file, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width >= EFG_NARROWEST ? width : 0;
}

void efg_summary_narrow(int width)
{
    columns = width && width < EFG_COLUMNS ? width : EFG_COLUMNS;
}

/* --- paragraphs --- */

/* Whether the word at TEXT is what the number before it counts in: "2.19 ms" is not broken. */
static bool is_unit(const char *text)
{
    static const char units[] = " ns us ms s min h B kB MB GB TB thousand million billion trillion x ";
    char word[16];
    int length = (int)strcspn(text, " ,;.:)");
    if (length + 3 > (int)sizeof word)
        return false;
    snprintf(word, sizeof word, " %.*s ", length, text);
    return length && strstr(units, word);
}

/* Whether a line may end before the space TEXT[AT]. */
static bool is_break(const char *text, int at)
{
    return text[at] == ' ' && !(text[at - 1] >= '0' && text[at - 1] <= '9' && is_unit(text + at + 1));
}

void efg_summary_wrap(struct efg_buffer *out, const char *head, const char *text)
{
    int indent = (int)strlen(head), most = columns - indent, hang = indent == HEAD ? HANG : 0;
    while (strlen(text) > (size_t)most) {
        int end = most;
        while (end > 1 && !is_break(text, end))
            end--;
        if (end == 1) /* a word that is longer, such as a path, stays whole */
            end = (int)strcspn(text + 1, " ") + 1;
        efg_summary_line(out, "%*s%.*s", indent, head, end, text);
        text += end + (text[end] == ' ');
        if (!*text)
            return;
        head = "";
        indent += hang;
        most -= hang;
        hang = 0;
    }
    efg_summary_line(out, "%*s%s", indent, head, text);
}

void efg_summary_tell(struct efg_buffer *out, const char *format, ...)
{
    char line[2048], head[HEAD + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(head, sizeof head, "%.*s", HEAD, line);
    efg_summary_wrap(out, head, line + strlen(head));
}

void efg_summary_notes(struct efg_buffer *out, const char *head, const char *text)
{
    char note[1024];
    for (const char *end; text; text = end ? end + 2 : NULL) {
        end = strstr(text, "; ");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        snprintf(note, sizeof note, "%.*s", (int)length, text);
        efg_summary_wrap(out, head, note);
    }
}

int efg_summary_room(int used)
{
    return used < columns ? columns - used : 0;
}

/* --- numbers --- */

/* VALUE with three digits. */
static void three_digits(char *text, size_t size, double value, const char *unit)
{
    snprintf(text, size, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

void efg_format_ns(char *text, size_t size, uint64_t ns)
{
    double value = (double)ns;
    if (ns < 1000)
        snprintf(text, size, "%u ns", (unsigned)ns);
    else if (value < 999.5e3)
        three_digits(text, size, value / 1e3, "us");
    else if (value < 999.5e6)
        three_digits(text, size, value / 1e6, "ms");
    else if (value < 600e9)
        three_digits(text, size, value / 1e9, "s");
    else if (value < 7200e9)
        three_digits(text, size, value / 60e9, "min");
    else
        three_digits(text, size, value / 3600e9, "h");
}

size_t efg_format_between(char *text, size_t size, const char *least, const char *most)
{
    bool is_one = strcmp(least, most) == 0;
    return (size_t)snprintf(text, size, "%s%s%s", least, is_one ? "" : " to ", is_one ? "" : most);
}

size_t efg_format_range(char *text, size_t size, uint64_t least, uint64_t most)
{
    char from[24], to[24];
    snprintf(from, sizeof from, "%" PRIu64, least);
    snprintf(to, sizeof to, "%" PRIu64, most);
    return efg_format_between(text, size, from, to);
}

static void scaled(char *text, size_t size, double value, const char *const units[5])
{
    int unit = 0;
    for (; value >= 999.5 && unit < 4; unit++)
        value /= 1000;
    if (unit)
        three_digits(text, size, value, units[unit]);
    else
        snprintf(text, size, "%.0f%s%s", value, *units[0] ? " " : "", units[0]);
}

void efg_format_bytes(char *text, size_t size, uint64_t bytes)
{
    static const char *const units[5] = {"B", "kB", "MB", "GB", "TB"};
    scaled(text, size, (double)bytes, units);
}

void efg_format_size_class(char *text, size_t size, uint64_t class)
{
    char least[32];
    efg_format_bytes(least, sizeof least, UINT64_C(1) << (class <= 64 ? class - 1 : 63));
    snprintf(text, size, ">= %s", least);
}

void efg_format_count(char *text, size_t size, double count)
{
    static const char *const units[5] = {"", "thousand", "million", "billion", "trillion"};
    if (count < 99999.5)
        snprintf(text, size, "%.0f", count);
    else
        scaled(text, size, count, units);
}

void efg_format_digits(char *text, size_t size, double value, int digits)
{
    double limit = 1, part = value < 0 ? -value : value;
    int decimals = digits;
    for (int i = 0; i < digits; i++)
        limit *= 10;
    if (part >= limit - 0.5) {
        snprintf(text, size, "%.0f", value);
    } else if (part >= 1e-4 || part < 1e-12) {
        snprintf(text, size, "%.*g", digits, part < 1e-12 ? 0 : value);
    } else {
        for (; part < 0.1; part *= 10)
            decimals++;
        snprintf(text, size, "%.*f", decimals, value);
    }
}

void efg_format_percent(char *text, size_t size, double percent)
{
    bool is_tiny = percent > 0 && percent < 0.00095, is_most = percent >= 99.5 && percent < 100;
    char number[32];
    efg_format_digits(number, sizeof number, is_tiny ? 0.001 : is_most ? 99 : percent, 2);
    snprintf(text, size, "%s%s%%", is_tiny ? "under " : is_most ? "over " : "", number);
}

double efg_percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}
