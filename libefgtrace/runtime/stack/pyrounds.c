/* SPDX-License-Identifier: BSD-3-Clause */
#include "pyrounds.h"

#include "pycode.h"

#define MOST_INSIDE 3 /* an enumerate of a zip of a list */

static struct efg_pyrounds_types types;

void efg_pyrounds_init(const struct efg_pyrounds_types *with)
{
    types = *with;
}

static bool is_first_of_sequence(uintptr_t iterator)
{
    uintptr_t sequence = efg_pycode_word(iterator + EFG_PY_SEQUENCE);

    return efg_pycode_word(iterator + EFG_PY_ROUNDS) == 1 && sequence &&
           efg_pycode_word(sequence + EFG_PY_SIZE) <= EFG_PYROUNDS_FEW;
}

static bool is_first_of_range(uintptr_t iterator)
{
    uint16_t index = efg_pycode_layout()->range_index;
    uintptr_t range = iterator + EFG_PY_RANGE + (index ? sizeof range : 0);
    uintptr_t start = efg_pycode_word(range), step = efg_pycode_word(range + sizeof range),
              length = efg_pycode_word(range + 2 * sizeof range);

    if (index)
        return efg_pycode_word(iterator + index) == 1 && length <= EFG_PYROUNDS_FEW;
    return start == 1 && step == 1 && length < EFG_PYROUNDS_FEW; /* of what is left */
}

/* The iterator whose items ITERATOR gives on, in some form; 0: none. */
static uintptr_t inside(uintptr_t iterator, uintptr_t type)
{
    if (type != types.enumerate && type != types.zip)
        return 0;
    uintptr_t inner = efg_pycode_word(iterator + EFG_PY_INNER);
    return type == types.zip && inner ? efg_pycode_word(inner + EFG_PY_ITEMS) : inner;
}

bool efg_pyrounds_is_first(uintptr_t iterator)
{
    for (int i = 0; i < MOST_INSIDE && iterator; i++) {
        uintptr_t type = efg_pycode_word(iterator + EFG_PY_TYPE);
        if (type == types.list || type == types.tuple)
            return is_first_of_sequence(iterator);
        if (type == types.range)
            return is_first_of_range(iterator);
        iterator = inside(iterator, type);
    }
    return false;
}
