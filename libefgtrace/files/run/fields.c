/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts of the run and of a rank. One that is new gets a line here, with the next tag; older
 * readers pass it over.
 */
#include "parts.h"

#include <errno.h>

#include "base/fields.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define RUN(tag, type, name)                                  \
    {                                                         \
        tag, EFG_FIELD_##type, offsetof(struct efg_run, name) \
    }

static const struct efg_field fields_of_run[] = {
    RUN(1, TEXT, application),
    RUN(2, TEXT, command),
    RUN(3, TEXT, version),
    RUN(4, TEXT, mpi),
    RUN(5, TEXT, output),
    RUN(6, 32, mode),
    RUN(7, 32, level),
    RUN(8, 32, dimensions),
    RUN(9, 64, iterations),
    RUN(10, 64, interval),
    RUN(11, 64, trace_events),
    RUN(12, 64, trace_bytes),
    RUN(13, TEXT, trace_note),
    RUN(14, 32, is_checked),
    RUN(15, 64, messages.sends),
    RUN(16, 64, messages.receives),
    RUN(17, 64, messages.matched),
    RUN(18, 64, messages.early),
    RUN(19, 64, messages.open_sends),
    RUN(20, 64, messages.open_receives),
    RUN(21, 64, messages.open_collectives),
    RUN(22, 64, messages.taken_along),
    RUN(23, 64, messages.unknown),
    RUN(24, 32, skew.repair),
    RUN(25, 32, skew.moved),
    RUN(26, 64, skew.early),
    RUN(27, 64, skew.most),
    RUN(28, 64, rounds),
    RUN(29, 64, finish),
    RUN(30, 64, own),
    RUN(31, 64, skew.left),
    RUN(32, 64, messages.ahead),
    RUN(33, 64, messages.left_out),
    RUN(34, 64, messages.doubt),
    RUN(35, 32, size),
    RUN(36, 32, is_saved),
    RUN(37, 64, messages.absent),
    RUN(38, TEXT, when),
    RUN(39, 64, objects_left),
    RUN(40, 64, trace_definitions),
    RUN(41, 64, trace_marks),
    RUN(42, 64, trace_calls),
    RUN(43, TEXT, loop),
    RUN(44, 64, messages.unproven),
};

#define RANK(tag, type, name)                                      \
    {                                                              \
        tag, EFG_FIELD_##type, offsetof(struct efg_run_rank, name) \
    }

static const struct efg_field fields_of_rank[] = {
    RANK(1, TEXT, host),
    RANK(2, ID, place.package),
    RANK(3, ID, place.numa),
    RANK(4, ID, place.core),
    RANK(5, ID, place.last_core),
    RANK(6, 32, place.core_count),
    RANK(7, 32, place.node_cores),
    RANK(8, TEXT, place.cores),
    RANK(9, 64, clock_error),
    RANK(10, 64, start),
    RANK(11, 64, end),
    RANK(12, 64, cost),
    RANK(13, 64, memory),
    RANK(14, 64, init),
    RANK(15, TEXT, note),
    RANK(16, 64, processor.used),
    RANK(17, 64, processor.waited),
    RANK(18, 64, processor.switches),
    RANK(19, 64, processor.faults),
    RANK(20, 64, processor.peak),
    RANK(21, 64, limit),
    RANK(22, 32, limited),
    RANK(23, 64, paused),
    RANK(24, 64, unwatched),
    RANK(25, TEXT, phases),
    RANK(26, 64, accuracy),
    RANK(27, 64, error),
    RANK(28, TEXT, said),
    RANK(29, TEXT, sections),
    RANK(30, TEXT, counters),
    RANK(31, 32, processor.threads),
    RANK(32, TEXT, openmp),
    RANK(33, 32, short_logs),
    RANK(34, 64, grace),
};

static void put_cut(struct efg_buffer *out, const struct efg_run_cut *cut)
{
    efg_buffer_number(out, cut->first_least);
    efg_buffer_number(out, cut->first_most);
    efg_buffer_number(out, cut->last_least);
    efg_buffer_number(out, cut->last_most);
    efg_buffer_number(out, cut->ranks);
    efg_buffer_number(out, cut->begin_least);
    efg_run_put_signed(out, cut->begin_most - cut->begin_least);
    efg_run_put_signed(out, cut->end_least - cut->begin_least);
    efg_run_put_signed(out, cut->end_most - cut->begin_least);
}

static void put_object(struct efg_buffer *out, const struct efg_run_object *object)
{
    efg_buffer_string(out, object->name);
    efg_buffer_number(out, object->ranks);
    efg_buffer_number(out, object->least_rank);
    efg_buffer_number(out, object->least);
    efg_buffer_number(out, object->calls);
    efg_buffer_number(out, object->bytes);
    efg_buffer_number(out, object->time);
}

void efg_run_put_facts(struct efg_buffer *out, const struct efg_run *run)
{
    efg_fields_put(out, run, fields_of_run, COUNT(fields_of_run));
    efg_buffer_number(out, run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++)
        put_cut(out, &run->cuts[i]);
    efg_buffer_number(out, run->object_count);
    for (uint32_t i = 0; i < run->object_count; i++)
        put_object(out, &run->objects[i]);
}

static void get_cut(struct efg_input *in, struct efg_run_cut *cut)
{
    cut->first_least = efg_input_number(in);
    cut->first_most = efg_input_number(in);
    cut->last_least = efg_input_number(in);
    cut->last_most = efg_input_number(in);
    cut->ranks = efg_input_32(in);
    cut->begin_least = efg_input_number(in);
    cut->begin_most = cut->begin_least + efg_input_signed(in);
    cut->end_least = cut->begin_least + efg_input_signed(in);
    cut->end_most = cut->begin_least + efg_input_signed(in);
}

static void get_object(struct efg_input *in, struct efg_run_object *object)
{
    object->name = efg_input_string(in);
    object->ranks = efg_input_32(in);
    object->least_rank = efg_input_32(in);
    object->least = efg_input_number(in);
    object->calls = efg_input_number(in);
    object->bytes = efg_input_number(in);
    object->time = efg_input_number(in);
}

int efg_run_get_facts(struct efg_run *run, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    if (efg_fields_get(&in.reader, run, fields_of_run, COUNT(fields_of_run)))
        return -ENOMEM;
    run->cuts = efg_input_array(&in, EFG_LEAST_CUT, sizeof *run->cuts, &run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++)
        get_cut(&in, &run->cuts[i]);
    if (in.reader.at < in.reader.size) /* older files have none */
        run->objects = efg_input_array(&in, EFG_LEAST_OBJECT, sizeof *run->objects, &run->object_count);
    for (uint32_t i = 0; i < run->object_count; i++)
        get_object(&in, &run->objects[i]);
    return efg_input_outcome(&in);
}

void efg_rank_put_facts(struct efg_buffer *out, const struct efg_run_rank *rank)
{
    efg_fields_put(out, rank, fields_of_rank, COUNT(fields_of_rank));
}

int efg_rank_get_facts(struct efg_reader *in, struct efg_run_rank *rank)
{
    return efg_fields_get(in, rank, fields_of_rank, COUNT(fields_of_rank));
}
