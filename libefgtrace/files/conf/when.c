/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads conditions. Each begins with a word that says what it is about; a function for each reads the rest.
 */
#include "when.h"

#include <ctype.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const char *skip_blanks(const char *c)
{
    return c + strspn(c, " \t");
}

/* The NAME stands at *C, which is moved behind it and what blanks follow. */
static bool take(const char **c, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(*c, name, length) != 0 ||
        (isalpha((unsigned char)name[0]) && isalnum((unsigned char)(*c)[length])))
        return false;
    *c = skip_blanks(*c + length);
    return true;
}

/* A decimal number, of which at most three digits behind the point count, in 1/1000. */
static bool take_number(const char **c, uint64_t most, uint64_t *thousandths)
{
    uint64_t value = 0, scale = 1000;

    if (!isdigit((unsigned char)**c))
        return false;
    for (; isdigit((unsigned char)**c) && value <= most; (*c)++)
        value = 10 * value + (uint64_t)(**c - '0');
    value *= 1000;
    if (**c == '.' && isdigit((unsigned char)(*c)[1]))
        for ((*c)++; isdigit((unsigned char)**c); (*c)++)
            value += scale > 1 ? (uint64_t)(**c - '0') * (scale /= 10) : 0;
    *thousandths = value;
    return value <= most * 1000;
}

static bool take_time(const char **c, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ms", 1000000},      {"us", 1000},       {"ns", 1},
                 {"h", 3600 * SECOND}, {"m", 60 * SECOND}, {"s", SECOND}};
    uint64_t value;

    if (!take_number(c, 1000000, &value))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (take(c, units[i].name)) {
            *ns = value * (units[i].ns / 1000) + value * (units[i].ns % 1000) / 1000;
            return true;
        }
    return value == 0;
}

static const char *read_time(const char **c, struct efg_when *when)
{
    if (!take(c, "in"))
        return "\"in\" is missing behind \"time\"";
    if (!take_time(c, &when->from))
        return "the first time is no number with its unit";
    *c = skip_blanks(*c);
    if (!take(c, ".."))
        return "\"..\" is missing between the times";
    if (**c && **c != ',' && !take_time(c, &when->to))
        return "the second time is no number with its unit";
    return when->from < when->to ? NULL : "the second time is not after the first one";
}

static const char *read_iteration(const char **c, struct efg_when *when)
{
    uint64_t times;

    if (!take(c, ">"))
        return "\">\" is missing behind \"iteration\"";
    if (!take_number(c, 1000, &times) || !take(c, "x"))
        return "how many times the median is no number with an x, up to 1000x";
    when->slower = (uint32_t)times;
    return times > 1000 ? NULL : "an iteration is slow if it takes more than 1x the median";
}

static const char *read_mpi(const char **c, struct efg_when *when)
{
    uint64_t share;
    bool is_above = take(c, ">");

    if (!is_above && !take(c, "<"))
        return "\">\" or \"<\" is missing behind \"mpi\"";
    if (!take_number(c, 100, &share) || !take(c, "%"))
        return "the share of MPI is no percentage";
    if (share == 0 || share == 100000)
        return "a share of MPI is between 0% and 100%";
    *(is_above ? &when->mpi_above : &when->mpi_below) = (uint32_t)share * 10;
    return NULL;
}

static const char *read_region(const char **c, struct efg_when *when)
{
    size_t length = strcspn(*c, ",");

    while (length && isspace((unsigned char)(*c)[length - 1]))
        length--;
    if (!length)
        return "the name of the region is missing";
    memcpy(when->region, *c, length);
    when->region[length] = '\0';
    *c += strcspn(*c, ",");
    return NULL;
}

/* --- counters --- */

/* What stands at *C, which is moved behind it and what blanks follow; -1: no name of one. */
static int take_counter(const char **c)
{
    char name[EFG_COUNTER_NAME];
    size_t length = strcspn(*c, " \t/<>,");
    struct efg_counter_list list;

    if (!length || length >= sizeof name)
        return -1;
    memcpy(name, *c, length);
    name[length] = '\0';
    if (efg_counters_parse(name, &list) || list.count != 1)
        return -1;
    *c = skip_blanks(*c + length);
    return list.id[0];
}

static uint8_t counter_of(const char *name)
{
    return (uint8_t)take_counter(&name);
}

/* NULL, or what is wrong with what follows a counter or "ipc". */
static const char *read_limit(const char **c, struct efg_when *when, uint8_t counter, uint8_t by)
{
    struct efg_when_count count = {.counter = counter, .by = by, .is_above = take(c, ">")};
    uint64_t limit;

    if (!count.is_above && !take(c, "<"))
        return "\">\" or \"<\" is missing behind a counter";
    if (!take_number(c, UINT64_C(1000000000000), &limit))
        return "what a counter is compared to is no number, up to 1000000000000";
    if (when->count_count == EFG_WHEN_COUNTS)
        return "at most 4 conditions are about counters";
    count.limit = (double)limit / 1000;
    when->counts[when->count_count++] = count;
    return NULL;
}

static const char *read_counter(const char **c, struct efg_when *when)
{
    int counter = take_counter(c), by = EFG_WHEN_ALL;

    if (counter < 0)
        return "no such condition";
    if (take(c, "/"))
        by = take(c, "s") ? EFG_WHEN_SECOND : take_counter(c);
    return by < 0 ? "no such counter behind \"/\"" : read_limit(c, when, (uint8_t)counter, (uint8_t)by);
}

static const char *read_ipc(const char **c, struct efg_when *when)
{
    return read_limit(c, when, counter_of("instructions"), counter_of("cycles"));
}

static bool add_counter(struct efg_counter_list *list, uint8_t id)
{
    if (id >= EFG_WHEN_ALL || memchr(list->id, id, list->count))
        return true;
    if (list->count == EFG_COUNTERS)
        return false;
    list->id[list->count++] = id;
    return true;
}

bool efg_when_add_counters(const struct efg_when *when, struct efg_counter_list *list)
{
    bool has_room = true;

    for (uint32_t i = 0; i < when->count_count; i++)
        has_room &= add_counter(list, when->counts[i].counter) && add_counter(list, when->counts[i].by);
    return has_room;
}

static double value_of(const struct efg_counter_list *list, const uint64_t *values, uint8_t id, uint64_t ns)
{
    if (id >= EFG_WHEN_ALL)
        return id == EFG_WHEN_SECOND ? (double)ns / 1e9 : 1;
    return (double)values[(const uint8_t *)memchr(list->id, id, list->count) - list->id];
}

bool efg_when_counts(const struct efg_when *when, const struct efg_counter_list *list, const uint64_t *values,
                     uint64_t ns)
{
    for (uint32_t i = 0; i < when->count_count; i++) {
        const struct efg_when_count *count = &when->counts[i];
        double value = value_of(list, values, count->counter, ns), by = value_of(list, values, count->by, ns);
        if (count->is_above ? value <= count->limit * by : value >= count->limit * by)
            return false;
    }
    return true;
}

/* --- the whole --- */

static const struct {
    const char *word;
    const char *(*read)(const char **c, struct efg_when *when);
} conditions[] = {{"time", read_time},
                  {"iteration", read_iteration},
                  {"mpi", read_mpi},
                  {"region", read_region},
                  {"ipc", read_ipc}};
#define CONDITIONS (sizeof conditions / sizeof *conditions)

static const char *read_end(const char **c, const char *wrong)
{
    *c = skip_blanks(*c);
    return wrong ? wrong : **c && **c != ',' ? "there is something behind a condition" : NULL;
}

/* WHICH conditions there are so far. */
static const char *read_one(const char **c, struct efg_when *when, unsigned *which)
{
    for (size_t i = 0; i < CONDITIONS; i++) {
        if (!take(c, conditions[i].word))
            continue;
        if (*which >> i & 1 && conditions[i].read != read_mpi && conditions[i].read != read_ipc)
            return "a condition is there twice";
        *which |= 1u << i;
        return read_end(c, conditions[i].read(c, when));
    }
    return read_end(c, read_counter(c, when));
}

const char *efg_when_parse(const char *text, struct efg_when *when)
{
    struct efg_when read = {.to = UINT64_MAX};
    const char *wrong = strlen(text) < sizeof read.text ? NULL : "too long";
    const char *c = skip_blanks(text);
    unsigned which = 0;

    while (!wrong && *c) {
        wrong = read_one(&c, &read, &which);
        if (!wrong && *c == ',') {
            c = skip_blanks(c + 1);
            wrong = *c ? NULL : "a condition is missing behind the last comma";
        }
    }
    if (wrong)
        return wrong;
    strcpy(read.text, text);
    *when = read;
    return NULL;
}
