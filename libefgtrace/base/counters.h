/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: what the kernel can count of a thread by perf_event_open(2), by the names that perf(1) has for
 * it.
 */
#ifndef EFG_COUNTERS_H
#define EFG_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_COUNTERS 8 /* at the same time: in one group */
#define EFG_COUNTER_NAME 24

struct efg_counter {
    const char *name, *alias; /* ALIAS: another name of it, or NULL */
    uint32_t type;            /* as struct perf_event_attr has it */
    uint64_t config;
    bool is_of_kernel; /* it only happens in the kernel */
    const char *help;
};

struct efg_counter_list {
    unsigned count;
    uint8_t id[EFG_COUNTERS];
};

/* Number ID of all there are, NULL behind the last one. */
const struct efg_counter *efg_counter(unsigned id);

/* What the one of this NAME counts; NULL if that is not known. */
const char *efg_counter_help(const char *name);

/* Whether it is one of the processor, not of the kernel. */
bool efg_counter_is_hardware(const struct efg_counter *counter);

/* Whether that of this NAME counts ns. */
bool efg_counter_is_time(const char *name);

/* Read TEXT: names, separated by commas or blanks. Returns NULL, or what is wrong, and LIST is unchanged; the
 * text belongs to this function, until it is called again. */
const char *efg_counters_parse(const char *text, struct efg_counter_list *list);

/* What efg_counters_parse reads back as LIST; in a text of 1 + EFG_COUNTERS * EFG_COUNTER_NAME bytes. */
void efg_counters_show(const struct efg_counter_list *list, char *text, size_t size);

#endif
