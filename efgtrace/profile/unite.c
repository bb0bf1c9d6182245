/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call in the first round of a short loop has a call path of its own (libefgtrace(7), "What an iteration
 * is"), but in the source it is the same call as in the other rounds. In a profile it is again:
 *
 *     A' B' A B A B               becomes  A B A B A B, which is folded later
 *     A' B' loop[2] of A B        becomes  loop[3] of A B
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "profile.h"

/* --- nodes --- */

static bool is_first(const struct efg_profile *profile, uint32_t node)
{
    const struct efg_run_path *path = efg_run_path(profile->run, profile->graph->nodes[node].signature.path);

    for (uint32_t i = 0; path && i < path->depth; i++)
        if (efg_frame_firsts(path->frames[i].offset))
            return true;
    return false;
}

/* Of where it is called in the source, and of what tells it from other calls there. */
static uint64_t site_hash(const struct efg_profile *profile, uint32_t node)
{
    struct efg_signature signature = profile->graph->nodes[node].signature;
    const struct efg_run_path *path = efg_run_path(profile->run, signature.path);
    uint64_t hash = efg_hash_mix(signature.call_only, signature.region);

    hash = efg_hash_mix(efg_hash_mix(hash, signature.comm), (uint32_t)signature.partner);
    hash = efg_hash_mix(efg_hash_mix(hash, signature.element), signature.size);
    for (uint32_t i = 0; path && i < path->depth; i++)
        hash =
            efg_hash_mix(efg_hash_mix(hash, path->frames[i].module), efg_frame_place(path->frames[i].offset));
    return hash;
}

/* The site of each node is itself, or the one of the other rounds, if there were any. */
static int find_sites(struct efg_profile *profile)
{
    uint32_t count = profile->graph->node_count;
    struct efg_map others = {0};
    int failed = 0;

    profile->site = malloc((count + 1ul) * sizeof *profile->site);
    for (uint32_t i = 0; i < count && profile->site && !failed; i++) {
        profile->site[i] = i;
        uint64_t *other = is_first(profile, i) ? NULL : efg_map_put(&others, site_hash(profile, i));
        if (other)
            *other = i;
        failed = !other && !is_first(profile, i);
    }
    for (uint32_t i = 0; i < count && profile->site && !failed; i++) {
        const uint64_t *other = is_first(profile, i) ? efg_map_find(&others, site_hash(profile, i)) : NULL;
        if (other)
            profile->site[i] = (uint32_t)*other;
    }
    efg_map_fini(&others);
    return profile->site && !failed ? 0 : -ENOMEM;
}

/* --- forms --- */

static void add_item(struct efg_program_item *to, const struct efg_program_item *item)
{
    to->repetitions += item->repetitions;
    to->before += item->before;
}

/* Calls of one site one after the other are one item. */
static void name_sites(const struct efg_profile *profile, struct efg_program_form *form)
{
    struct efg_program_item *items = &profile->program.items[form->first];
    uint32_t size = 0;

    for (uint32_t i = 0; i < form->size; i++) {
        struct efg_program_item item = items[i];
        item.node = item.node == EFG_NONE ? EFG_NONE : profile->site[item.node];
        if (size && item.node != EFG_NONE && items[size - 1].node == item.node) {
            items[size - 1].least += item.least;
            items[size - 1].most += item.most;
            add_item(&items[size - 1], &item);
        } else {
            items[size++] = item;
        }
    }
    form->size = size;
}

/* --- rounds --- */

static bool ends_with(const struct efg_program_item *items, uint32_t count,
                      const struct efg_program_item *body, uint32_t size)
{
    uint32_t i = 0;

    while (i < size && i < count && efg_profile_is_same(&items[count - size + i], &body[i]))
        i++;
    return i == size;
}

/* The form of LOOP that the COUNT ITEMS before it end with; NULL if there is none. */
static struct efg_program_form *find_round(const struct efg_program *program, uint32_t loop,
                                           const struct efg_program_item *items, uint32_t count)
{
    for (uint32_t f = program->first_form[loop]; f != EFG_NONE; f = program->forms[f].next) {
        struct efg_program_form *form = &program->forms[f];
        if (form->size <= count && ends_with(items, count, &program->items[form->first], form->size))
            return form;
    }
    return NULL;
}

/* What FORM has in front of a loop may be a round of it. */
static void join_rounds(const struct efg_program *program, struct efg_program_form *form)
{
    struct efg_program_item *items = &program->items[form->first];
    uint32_t size = 0;

    for (uint32_t i = 0; i < form->size; i++) {
        struct efg_program_item item = items[i];
        struct efg_program_form *round =
            item.node == EFG_NONE ? find_round(program, item.loop, items, size) : NULL;
        if (round) {
            size -= round->size;
            for (uint32_t k = 0; k < round->size; k++)
                add_item(&program->items[round->first + k], &items[size + k]);
            round->count += form->count;
            item.repetitions += form->count;
            item.least++;
            item.most++;
        }
        items[size++] = item;
    }
    form->size = size;
}

static void join_rounds_of(const struct efg_program *program, uint32_t loop)
{
    for (uint32_t f = program->first_form[loop]; f != EFG_NONE; f = program->forms[f].next)
        join_rounds(program, &program->forms[f]);
}

int efg_profile_unite(struct efg_profile *profile)
{
    const struct efg_program *program = &profile->program;

    if (find_sites(profile))
        return -ENOMEM;
    for (uint32_t f = 0; f < program->form_count; f++)
        name_sites(profile, &program->forms[f]);
    for (uint32_t loop = profile->tree.count; loop-- > 0;) /* inner loops come behind those around */
        join_rounds_of(program, loop);
    join_rounds_of(program, profile->tree.count);
    return 0;
}
