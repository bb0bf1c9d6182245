/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was counted, as metrics: a class for each list of counters that some thread has, whose members are the
 * counters, and a value of all of them where a call begins and where it ends. A value is what the thread has
 * counted since it began, without what recording itself took. So the difference of two values is what was
 * counted in a call, or between two.
 *
 * A value has the time of the event that it belongs to, and takes none of its own.
 */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/counters.h"

/* --- definitions --- */

/* The name at TEXT, which ends with a comma or the text, to NAME; returns what follows it. */
static const char *next_name(const char *text, char name[EFG_COUNTER_NAME])
{
    size_t length = strcspn(text, ","), kept = length < EFG_COUNTER_NAME ? length : EFG_COUNTER_NAME - 1;
    memcpy(name, text, kept);
    name[kept] = '\0';
    return text + length + (text[length] == ',');
}

uint32_t efg_otf2_count_names(const char *names, size_t size)
{
    uint32_t count = size > 0;
    for (size_t i = 0; i < size; i++)
        count += names[i] == ',';
    return count;
}

/* A member for each name: its string, which tells it from others, and those that explain it. */
static void choose_member(struct efg_otf2_unifier *u, struct efg_otf2_metrics *m, const char *name)
{
    const char *help = efg_counter_help(name);
    struct efg_otf2_member member = {
        .name = efg_otf2_intern_text(&u->strings, name),
        .about = efg_otf2_intern_text(&u->strings, help ? help : ""),
        .unit = efg_otf2_intern_text(&u->strings, efg_counter_is_time(name) ? "ns" : "#"),
    };
    efg_otf2_intern(&m->members, &member, sizeof member);
}

static uint32_t find_member(const struct efg_otf2_unifier *u, const struct efg_otf2_metrics *m,
                            const char *name)
{
    for (uint32_t i = 0; i < m->members.count; i++) {
        const struct efg_otf2_member *member = efg_otf2_key(&m->members, i);
        if (strcmp(efg_otf2_key(&u->strings, member->name), name) == 0)
            return i;
    }
    return EFG_NONE;
}

void efg_otf2_choose_metrics(struct efg_otf2_unifier *u, struct efg_otf2_metrics *m)
{
    char name[EFG_COUNTER_NAME];
    for (uint32_t i = 0; i < u->counters.count; i++)
        for (const char *at = efg_otf2_key(&u->counters, i); *at;) {
            at = next_name(at, name);
            choose_member(u, m, name);
        }
}

void efg_otf2_metrics_fini(struct efg_otf2_metrics *m)
{
    efg_otf2_table_fini(&m->members);
}

/* Which class the threads of a log have; EFG_NONE: it is not counted. */
static uint32_t class_of(const struct efg_otf2_unifier *u, const struct efg_otf2_log *log)
{
    const struct efg_otf2_set *set = &u->sets[log->set];
    for (uint32_t i = 0; i < set->reference_count; i++)
        if (set->references[i].item == EFG_ITEM_COUNTERS)
            return set->references[i].row;
    return EFG_NONE;
}

static OTF2_ErrorCode write_class(const struct efg_otf2_unifier *u, const struct efg_otf2_metrics *m,
                                  OTF2_GlobalDefWriter *writer, uint32_t class)
{
    OTF2_MetricMemberRef members[EFG_COUNTERS];
    char name[EFG_COUNTER_NAME];
    uint8_t count = 0;
    for (const char *at = efg_otf2_key(&u->counters, class); *at && count < EFG_COUNTERS;) {
        at = next_name(at, name);
        members[count++] = find_member(u, m, name);
    }
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteMetricClass(
        writer, class, count, members, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    for (int i = 0; i < u->log_count && code == OTF2_SUCCESS; i++)
        if (class_of(u, &u->logs[i]) == class)
            code = OTF2_GlobalDefWriter_WriteMetricClassRecorder(
                writer, class, (uint64_t)u->logs[i].thread << 32 | u->logs[i].rank);
    return code;
}

OTF2_ErrorCode efg_otf2_write_metrics(const struct efg_otf2_unifier *u, const struct efg_otf2_metrics *m,
                                      OTF2_GlobalDefWriter *writer)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t i = 0; i < m->members.count && code == OTF2_SUCCESS; i++) {
        const struct efg_otf2_member *member = efg_otf2_key(&m->members, i);
        code = OTF2_GlobalDefWriter_WriteMetricMember(writer, i, member->name, member->about,
                                                      OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
                                                      OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, member->unit);
    }
    for (uint32_t i = 0; i < u->counters.count && code == OTF2_SUCCESS; i++)
        code = write_class(u, m, writer, i);
    return code;
}

/* --- values --- */

static void write_values(struct efg_otf2_pass *p, uint64_t time)
{
    OTF2_MetricValue values[EFG_COUNTERS];
    OTF2_Type types[EFG_COUNTERS];
    for (uint32_t i = 0; i < p->counted.count; i++) {
        types[i] = OTF2_TYPE_UINT64;
        values[i].unsigned_int = p->counted.value[i];
    }
    p->stack.failed |= OTF2_EvtWriter_Metric(p->stack.writer, NULL, time, p->counted.class,
                                             (uint8_t)p->counted.count, types, values) != OTF2_SUCCESS;
}

void efg_otf2_begin_counting(struct efg_otf2_pass *p, uint32_t count)
{
    p->counted.count =
        count <= EFG_COUNTERS && efg_otf2_find(p, EFG_ITEM_COUNTERS, 0, &p->counted.class) ? count : 0;
    p->counted.known = 0;
}

/* The last counter completes the value: where the call began, or the iteration has begun or ended. */
void efg_otf2_take_count(struct efg_otf2_pass *p, const struct efg_record *r)
{
    p->counted.known = r->a == 0 ? 0 : p->counted.known;
    if (r->a != p->counted.known || r->a >= p->counted.count)
        return;
    p->counted.value[r->a] = r->d;
    p->counted.more[r->a] = r->e;
    p->counted.known++;
    if (p->counted.known == p->counted.count && !p->stack.failed)
        write_values(p, p->stack.next - (p->stack.next > 0));
}

void efg_otf2_leave_counted(struct efg_otf2_pass *p, uint64_t time)
{
    bool is_known = p->counted.count && p->counted.known == p->counted.count;
    p->counted.known = 0;
    if (!is_known || !p->stack.in_call || p->stack.failed)
        return;
    for (uint32_t i = 0; i < p->counted.count; i++)
        p->counted.value[i] += p->counted.more[i];
    time = time < p->stack.next ? p->stack.next : time;
    write_values(p, time < p->stack.end ? time : p->stack.end);
}
