/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of counters. Names and what they stand for are those of perf-list(1). Those of PAPI are added to
 * a table of their own when they are first read, by one thread.
 */
#include "counters.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "nearest.h"

#define SOFTWARE(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
#define HARDWARE(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define CACHE(cache, result)                                                             \
    PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
                            PERF_COUNT_HW_CACHE_RESULT_##result << 16

static const struct efg_counter counters[] = {
    {"task-clock", NULL, SOFTWARE(TASK_CLOCK), false, "ns of processor time"},
    {"context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), true, "how often the thread lost its processor"},
    {"cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), true, "how often it came to another one"},
    {"page-faults", "faults", SOFTWARE(PAGE_FAULTS), false, "pages that were not mapped when used"},
    {"minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), false, "... of them, those that needed no disk"},
    {"major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), false, "... of them, those that did"},
    {"alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS), false, "unaligned data that the kernel mended"},
    {"emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS), false, "instructions that the kernel emulated"},
    {"cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), false, "cycles of the processor"},
    {"instructions", NULL, HARDWARE(INSTRUCTIONS), false, "instructions that were completed"},
    {"ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES), false, "cycles at the nominal frequency"},
    {"bus-cycles", NULL, HARDWARE(BUS_CYCLES), false, "cycles of the bus"},
    {"stalled-cycles-frontend", NULL, HARDWARE(STALLED_CYCLES_FRONTEND), false, "no instruction was there"},
    {"stalled-cycles-backend", NULL, HARDWARE(STALLED_CYCLES_BACKEND), false, "none could be executed"},
    {"branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), false, "jumps"},
    {"branch-misses", NULL, HARDWARE(BRANCH_MISSES), false, "jumps that were predicted wrongly"},
    {"cache-references", NULL, HARDWARE(CACHE_REFERENCES), false, "accesses to the last cache"},
    {"cache-misses", NULL, HARDWARE(CACHE_MISSES), false, "... which did not have the data"},
    {"L1-dcache-loads", NULL, CACHE(L1D, ACCESS), false, "reads of the first cache"},
    {"L1-dcache-load-misses", NULL, CACHE(L1D, MISS), false, "... which did not have the data"},
    {"LLC-loads", NULL, CACHE(LL, ACCESS), false, "reads of the last cache"},
    {"LLC-load-misses", NULL, CACHE(LL, MISS), false, "... which did not have the data"},
    {"dTLB-loads", NULL, CACHE(DTLB, ACCESS), false, "reads of the table of pages"},
    {"dTLB-load-misses", NULL, CACHE(DTLB, MISS), false, "... which did not have the page"},
};
#define COUNT (sizeof counters / sizeof *counters)
#define OF_PAPI 64 /* different ones that are read, in all */

static char papi_names[OF_PAPI][EFG_COUNTER_NAME];
static struct efg_counter papi_counters[OF_PAPI];
static unsigned papi_count;

const struct efg_counter *efg_counter(unsigned id)
{
    if (id >= COUNT)
        return id - COUNT < papi_count ? &papi_counters[id - COUNT] : NULL;
    return &counters[id];
}

static bool is_of_papi(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:=+*";

    return (strncmp(name, "PAPI_", 5) == 0 || strstr(name, "::")) && !name[strspn(name, allowed)];
}

const char *efg_counter_help(const char *name)
{
    for (unsigned i = 0; i < COUNT; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].help;
    return is_of_papi(name) ? "as PAPI counts it" : NULL;
}

bool efg_counter_is(const char *name, const char *that)
{
    static const char *const same[][2] = {
        {"PAPI_TOT_CYC", "cycles"}, {"PAPI_TOT_INS", "instructions"}, {"perf::TASK-CLOCK", "task-clock"}};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i][0]) == 0 && strcmp(that, same[i][1]) == 0)
            return true;
    return strcmp(name, that) == 0;
}

bool efg_counter_is_hardware(const struct efg_counter *counter)
{
    return counter->type != PERF_TYPE_SOFTWARE;
}

bool efg_counter_is_time(const char *name)
{
    return efg_counter_is(name, "task-clock");
}

/* --- a list of them as text --- */

static const char blanks[] = ", \t";

static int find(const char *name)
{
    const struct efg_counter *c;

    for (unsigned i = 0; (c = efg_counter(i)); i++)
        if (strcmp(c->name, name) == 0 || (c->alias && strcmp(c->alias, name) == 0))
            return (int)i;
    return -1;
}

/* -1: there is no room for one more, or it is none of PAPI's. */
static int add_of_papi(const char *name)
{
    if (!is_of_papi(name) || strlen(name) >= EFG_COUNTER_NAME || papi_count == OF_PAPI)
        return -1;
    strcpy(papi_names[papi_count], name);
    papi_counters[papi_count] = (struct efg_counter){
        .name = papi_names[papi_count], .type = EFG_COUNTER_PAPI, .help = efg_counter_help(name)};
    return (int)(COUNT + papi_count++);
}

static const char *complain(const char *name)
{
    static char wrong[96];
    struct efg_nearest nearest = {.word = name};

    if (is_of_papi(name))
        return strlen(name) < EFG_COUNTER_NAME ? "too many different names of PAPI" : "a name is too long";
    for (unsigned i = 0; i < COUNT; i++)
        efg_nearest_offer(&nearest, counters[i].name);
    if (nearest.best)
        snprintf(wrong, sizeof wrong, "there is no counter of one of these names: did you mean %s",
                 nearest.best);
    else
        snprintf(wrong, sizeof wrong, "there is no counter of one of these names");
    return wrong;
}

static bool has(const struct efg_counter_list *list, int id)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->id[i] == id)
            return true;
    return false;
}

const char *efg_counters_parse(const char *text, struct efg_counter_list *list)
{
    struct efg_counter_list read = {0};
    char name[EFG_COUNTER_NAME + 1];

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        int id = find(name);
        if (id < 0)
            id = add_of_papi(name);
        if (id < 0)
            return complain(name);
        if (has(&read, id))
            return "one of them is named twice";
        if (read.count == EFG_COUNTERS)
            return "too many";
        read.id[read.count++] = (uint8_t)id;
        text += length;
    }
    *list = read;
    return NULL;
}

void efg_counters_show(const struct efg_counter_list *list, char *text, size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (unsigned i = 0; i < list->count && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", efg_counter(list->id[i])->name);
}
