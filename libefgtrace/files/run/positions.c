/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where calls are in the loops of their functions, as it was known during the run: by module and offset, each
 * one once, so that loops are counted in a run file as they were while the program ran.
 */
#include "parts.h"

#include <errno.h>

#include "base/array.h"
#include "base/hash.h"

/* The key of MODULE and OFFSET in NAMES->BY_FRAME, and their position there, or NULL. */
static const struct efg_run_position *find(const struct efg_run_names *names, uint32_t module,
                                           uint64_t offset, uint64_t *key)
{
    const uint64_t *number;

    *key = efg_hash_mix(module, offset);
    for (; (number = efg_map_find(&names->by_frame, *key)); ++*key) { /* another one may have this hash */
        const struct efg_run_position *known = &names->positions[*number - 1];
        if (known->module == module && known->offset == offset)
            return known;
    }
    return NULL;
}

int efg_run_position_add(struct efg_run_names *names, const struct efg_frame *frame,
                         struct efg_position position)
{
    uint64_t key, *number;

    if (!position.place || find(names, frame->module, frame->offset, &key))
        return 0;
    if (efg_array_grow(&names->positions, names->position_count, 1, sizeof *names->positions) ||
        !(number = efg_map_put(&names->by_frame, key)))
        return -ENOMEM;
    names->positions[names->position_count++] =
        (struct efg_run_position){frame->module, frame->offset, position};
    *number = names->position_count;
    return 0;
}

struct efg_position efg_run_position(const struct efg_run_names *names, const struct efg_frame *frame)
{
    uint64_t key;
    const struct efg_run_position *known = find(names, frame->module, frame->offset, &key);

    return known ? known->position : (struct efg_position){0};
}

/* --- bytes --- */

void efg_run_put_positions(struct efg_buffer *out, const struct efg_run_names *names)
{
    efg_buffer_number(out, names->position_count);
    for (uint32_t i = 0; i < names->position_count; i++) {
        const struct efg_run_position *p = &names->positions[i];
        efg_buffer_number(out, p->module);
        efg_buffer_number(out, p->offset);
        efg_buffer_number(out, p->position.place & 0xffff); /* the halves are small, the whole is not */
        efg_buffer_number(out, p->position.place >> 16);
        efg_buffer_number(out, p->position.order & 0xffff);
        efg_buffer_number(out, p->position.order >> 16);
        efg_buffer_number(out, p->position.leg);
    }
}

static uint32_t get_halves(struct efg_input *in)
{
    uint32_t low = efg_input_to(in, 0xffff);
    return low | efg_input_to(in, 0xffff) << 16;
}

int efg_run_get_positions(struct efg_run_names *names, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    size_t count = efg_reader_count(&in.reader, EFG_LEAST_POSITION);
    for (size_t i = 0; i < count && !in.reader.failed; i++) {
        struct efg_frame frame = {.module = efg_input_32(&in), .offset = efg_input_number(&in)};
        struct efg_position p = {.place = get_halves(&in)};
        p.order = get_halves(&in);
        p.leg = efg_input_32(&in);
        p.firsts = efg_frame_firsts(frame.offset);
        efg_input_expect(&in, frame.module < names->module_count && p.place);
        if (!in.reader.failed && efg_run_position_add(names, &frame, p))
            return -ENOMEM;
    }
    return efg_input_outcome(&in);
}
