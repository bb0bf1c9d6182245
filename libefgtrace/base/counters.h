/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: what the kernel can count of a thread by perf_event_open(2), by the names that perf(1) has for
 * it; and what PAPI can, by the names that PAPI has: those that begin with PAPI_, or have :: in them. Whether
 * there is such a one only PAPI knows.
 */
#ifndef EFG_COUNTERS_H
#define EFG_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_COUNTERS 8 /* at the same time: in one group */
#define EFG_COUNTER_NAME 64
#define EFG_COUNTER_PAPI UINT32_MAX /* a type */

struct efg_counter {
    const char *name, *alias; /* ALIAS: another name of it, or NULL */
    uint32_t type;            /* as struct perf_event_attr has it, or EFG_COUNTER_PAPI */
    uint64_t config;
    bool is_of_kernel; /* it only happens in the kernel */
    const char *help;
};

struct efg_counter_list {
    unsigned count;
    uint8_t id[EFG_COUNTERS];
};

/* Number ID of all there are, NULL behind the last one. Those of PAPI are there once they were read. */
const struct efg_counter *efg_counter(unsigned id);

/* What the one of this NAME counts; NULL if that is not known. */
const char *efg_counter_help(const char *name);

/* Whether it is one of the processor, not of the kernel. */
bool efg_counter_is_hardware(const struct efg_counter *counter);

/* Whether that of this NAME counts what the one of the kernel's name THAT does: PAPI_TOT_CYC is cycles. */
bool efg_counter_is(const char *name, const char *that);

/* Whether that of this NAME counts ns. */
bool efg_counter_is_time(const char *name);

/* Read TEXT: names, separated by commas or blanks. Returns NULL, or what is wrong, and LIST is unchanged; the
 * text belongs to this function, until it is called again. */
const char *efg_counters_parse(const char *text, struct efg_counter_list *list);

/* What efg_counters_parse reads back as LIST; in a text of 1 + EFG_COUNTERS * EFG_COUNTER_NAME bytes. */
void efg_counters_show(const struct efg_counter_list *list, char *text, size_t size);

#endif
