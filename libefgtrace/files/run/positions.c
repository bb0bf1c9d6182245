/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where calls are in the loops of their functions, as it was known during the run: by module and offset, each
 * one once, so that loops are counted in a run file as they were while the program ran.
 */
#include "parts.h"

#include <errno.h>

#include "base/array.h"
#include "base/hash.h"

static uint64_t key_of(uint32_t module, uint64_t offset)
{
    return efg_hash_mix(module, offset);
}

/* Its slot in the table, or that of none: NUMBER is 0. NULL without memory. */
static uint64_t *find(struct efg_run_names *names, uint32_t module, uint64_t offset)
{
    for (uint64_t key = key_of(module, offset);; key++) { /* another one may have this hash */
        uint64_t *number = efg_map_put(&names->by_frame, key);
        if (!number || !*number)
            return number;
        const struct efg_run_position *known = &names->positions[*number - 1];
        if (known->module == module && known->offset == offset)
            return number;
    }
}

int efg_run_position_add(struct efg_run_names *names, struct efg_run_position position)
{
    bool has_room = !efg_array_grow(&names->positions, names->position_count, 1, sizeof *names->positions);
    uint64_t *number = has_room ? find(names, position.module, position.offset) : NULL;
    if (number && !*number) {
        names->positions[names->position_count++] = position;
        *number = names->position_count;
    }
    return number ? 0 : -ENOMEM;
}

struct efg_position efg_run_position(const struct efg_run_names *names, const struct efg_frame *frame)
{
    const uint64_t *number;
    uint64_t key = key_of(frame->module, frame->offset);
    while ((number = efg_map_find(&names->by_frame, key++))) {
        const struct efg_run_position *known = &names->positions[*number - 1];
        if (known->module == frame->module && known->offset == frame->offset)
            return known->position;
    }
    return (struct efg_position){0};
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
        struct efg_run_position p = {.module = efg_input_32(&in), .offset = efg_input_number(&in)};
        p.position.place = get_halves(&in);
        p.position.order = get_halves(&in);
        p.position.leg = efg_input_32(&in);
        p.position.firsts = efg_frame_firsts(p.offset);
        efg_input_expect(&in, p.module < names->module_count && p.position.place);
        if (!in.reader.failed && efg_run_position_add(names, p))
            return -ENOMEM;
    }
    return efg_input_outcome(&in);
}
