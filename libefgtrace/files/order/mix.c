/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codes the order of calls in as few bits as possible. The blocks are walked from the last one down, and
 * each is written where it is used first:
 *
 *     item:   its rank among those that have followed HERE at this level, if it has; else
 *               level 0: the run
 *               above:   an earlier block, or a new one: its items, each with its count, and
 *                        after each from the second on whether the block ends
 *     HERE:   where the predictions from the last run that was written end, at the first
 *             run that branches; so these are the ways on in the graph
 *
 * in the contexts of the last runs, and of the last items of the level. As a copy of a segment
 * numbers blocks in the order in which their first use ends, a new block needs no number.
 *
 * Writing and reading are the same walk. The segment is what is written or what is being
 * read; nothing is looked at there before it has been passed.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "mixer.h"

#define HISTORY 4
/* Pairs of the last block. */
#define MOST_LAST ((EFG_SEQUENCE_BLOCK + 1) * EFG_SEQUENCE_LEVELS)
#define SLOTS_PER_PAIR 32
#define MOST_SLOTS (1u << 20)

/* What is coded, each with a set of weights of its own. */
enum kind { ITEM_RUN, ITEM_LOW, ITEM_HIGH, NEW, SYMBOL, COUNT, END, NUMBER };

struct walk {
    struct efg_mixer mixer;
    struct efg_sequence_segment *segment;
    bool is_reading, failed;
    uint32_t blocks, pairs;                                       /* passed */
    uint32_t *here;                                               /* per run */
    uint32_t (*tails)[HISTORY];                                   /* per block: the last runs in it */
    uint32_t *counts;                                             /* per run, then per block: the last one */
    struct efg_map followers;                                     /* see list_here */
    uint32_t runs[HISTORY];                                       /* the last ones written */
    struct efg_sequence_pair items[EFG_SEQUENCE_LEVELS][HISTORY]; /* of each level */
};

/* ---- contexts ---- */

static uint32_t hash(uint32_t h, uint32_t x)
{
    return efg_mixer_hash(h, x);
}

/* The run that branches, or if there is none, any on the circle; along what is predicted. */
static void find_here(struct walk *w)
{
    const struct efg_sequence_run *runs = w->segment->runs;
    uint32_t count = w->segment->run_count;

    for (uint32_t r = 0; r < count; r++)
        w->here[r] = EFG_NONE;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t end = r, steps = 0;
        while (w->here[end] == EFG_NONE && runs[end].branch == EFG_SEQUENCE_FOREVER &&
               runs[end].next < count && steps++ < count)
            end = runs[end].next;
        uint32_t here = w->here[end] == EFG_NONE ? end : w->here[end];
        for (uint32_t run = r; w->here[run] == EFG_NONE; run = runs[run].next) {
            w->here[run] = here;
            if (run == end)
                break;
        }
    }
}

static uint32_t here(const struct walk *w)
{
    return w->runs[0] < w->segment->run_count ? w->here[w->runs[0]] : w->segment->run_count;
}

static void item_contexts(const struct walk *w, uint32_t level, uint32_t *c)
{
    const struct efg_sequence_pair *items = w->items[level];
    uint32_t base = hash(hash(1, level), here(w));

    c[0] = base;
    c[1] = hash(base, items[0].symbol);
    c[2] = hash(c[1], items[1].symbol);
    c[3] = hash(c[2], items[2].symbol);
    c[4] = hash(c[3], items[3].symbol);
    c[5] = hash(hash(base, w->runs[0]), w->runs[1]);
    c[6] = hash(c[5], w->runs[2]);
    c[7] = hash(hash(c[6], w->runs[3]), items[0].count);
}

static void count_contexts(const struct walk *w, uint32_t level, uint32_t symbol, uint32_t last, uint32_t *c)
{
    const struct efg_sequence_pair *items = w->items[level];
    uint32_t base = hash(hash(2, level), symbol);

    c[0] = base;
    c[1] = hash(base, last);
    c[2] = hash(base + 1, items[0].symbol);
    c[3] = hash(c[2], items[0].count);
    c[4] = hash(c[2], items[1].symbol);
    c[5] = hash(c[3], items[1].count);
    c[6] = hash(c[4], items[2].symbol);
    c[7] = hash(3, level);
}

/* Of whether a block of SIZE pairs ends here. */
static void end_contexts(const struct walk *w, uint32_t level, uint32_t size, uint32_t *c)
{
    const struct efg_sequence_pair *items = w->items[level];
    uint32_t base = hash(4, level);

    c[0] = base;
    c[1] = hash(base, size);
    c[2] = hash(base, items[0].symbol);
    c[3] = hash(c[2], size);
    c[4] = hash(c[2], items[1].symbol);
    c[5] = hash(c[4], items[2].symbol);
    c[6] = hash(base + 1, items[1].symbol);
    c[7] = hash(base + 2, here(w));
}

/* A number that little is known of: FIELD says what it is, A and B may have to do with it. */
static uint64_t code_number(struct walk *w, uint32_t field, uint32_t a, uint32_t b, uint64_t number)
{
    uint32_t c[EFG_MIXER_CONTEXTS], base = hash(5, field);

    c[0] = base;
    c[1] = hash(base + 1, a);
    c[2] = hash(base + 2, b);
    c[3] = hash(c[1], b);
    for (uint32_t i = 4; i < EFG_MIXER_CONTEXTS; i++)
        c[i] = base + i;
    return efg_mixer_number(&w->mixer, c, NUMBER, number);
}

/* ---- what has followed ---- */

enum list { BY_PLACE, BY_SYMBOL }; /* place 0: how many there are */

/* The list of what has followed here at this level. */
static uint64_t list_here(const struct walk *w, uint32_t level)
{
    return (uint64_t)here(w) * EFG_SEQUENCE_LEVELS + level;
}

static uint32_t find_follower(const struct walk *w, uint64_t list, enum list by, uint32_t x)
{
    const uint64_t *value = efg_map_find(&w->followers, (2 * list + by) << 32 | x);
    return value ? (uint32_t)*value : 0;
}

static void set_follower(struct walk *w, uint64_t list, enum list by, uint32_t x, uint32_t value)
{
    uint64_t *to = efg_map_put(&w->followers, (2 * list + by) << 32 | x);
    if (to)
        *to = value;
    else
        w->failed = true;
}

static void add_follower(struct walk *w, uint64_t list, uint32_t symbol)
{
    uint32_t place = find_follower(w, list, BY_PLACE, 0) + 1;
    set_follower(w, list, BY_PLACE, 0, place);
    set_follower(w, list, BY_PLACE, place, symbol);
    set_follower(w, list, BY_SYMBOL, symbol, place);
}

/* ---- blocks ---- */

static void pass_run(struct walk *w, uint32_t run)
{
    memmove(w->runs + 1, w->runs, (HISTORY - 1) * sizeof *w->runs);
    w->runs[0] = run;
}

static uint32_t code_block(struct walk *w, uint32_t level, uint32_t block);

/* A symbol that has not followed here. SYMBOL: when writing. */
static uint32_t code_other(struct walk *w, uint32_t level, uint32_t symbol)
{
    uint32_t c[EFG_MIXER_CONTEXTS], block = symbol & ~EFG_SEQUENCE_IS_BLOCK;

    item_contexts(w, level, c);
    if (level == 0)
        return (uint32_t)efg_mixer_number(&w->mixer, c, SYMBOL, symbol);
    if (efg_mixer_bit(&w->mixer, c, NEW, block >= w->blocks))
        return code_block(w, level, block);
    uint64_t back = efg_mixer_number(&w->mixer, c, SYMBOL, (uint64_t)w->blocks - 1 - block);
    if (back >= w->blocks) {
        w->failed = true;
        return symbol;
    }
    block = w->blocks - 1 - (uint32_t)back;
    memcpy(w->runs, w->tails[block], sizeof w->runs);
    return EFG_SEQUENCE_IS_BLOCK | block;
}

static uint32_t code_symbol(struct walk *w, uint32_t level, uint32_t symbol)
{
    uint32_t c[EFG_MIXER_CONTEXTS];
    uint64_t list = list_here(w, level);
    uint32_t place = w->is_reading ? 0 : find_follower(w, list, BY_SYMBOL, symbol);
    enum kind kind = level == 0 ? ITEM_RUN : level == 1 ? ITEM_LOW : ITEM_HIGH;

    item_contexts(w, level, c);
    place = (uint32_t)efg_mixer_number(&w->mixer, c, kind, place);
    if (place > find_follower(w, list, BY_PLACE, 0))
        w->failed = true;
    if (w->failed)
        return 0;
    if (!place) {
        symbol = code_other(w, level, symbol);
        add_follower(w, list, symbol);
        return symbol;
    }
    symbol = find_follower(w, list, BY_PLACE, place);
    if (level)
        memcpy(w->runs, w->tails[symbol & ~EFG_SEQUENCE_IS_BLOCK], sizeof w->runs);
    return symbol;
}

static struct efg_sequence_pair code_pair(struct walk *w, uint32_t level, struct efg_sequence_pair pair)
{
    uint32_t c[EFG_MIXER_CONTEXTS], runs = w->segment->run_count;

    pair.symbol = code_symbol(w, level, pair.symbol);
    if (level == 0 && pair.symbol >= runs)
        w->failed = true;
    if (w->failed)
        return pair;
    uint32_t *last =
        level ? &w->counts[runs + (pair.symbol & ~EFG_SEQUENCE_IS_BLOCK)] : &w->counts[pair.symbol];
    count_contexts(w, level, pair.symbol, *last, c);
    pair.count = 1 + (uint32_t)efg_mixer_number(&w->mixer, c, COUNT, (uint64_t)pair.count - 1);
    *last = pair.count;
    memmove(w->items[level] + 1, w->items[level], (HISTORY - 1) * sizeof pair);
    w->items[level][0] = pair;
    if (level == 0)
        pass_run(w, pair.symbol);
    return pair;
}

/* A block is complete. Returns its symbol. */
static uint32_t add_block(struct walk *w, const struct efg_sequence_pair *pairs, uint32_t size)
{
    struct efg_sequence_segment *segment = w->segment;

    if (w->failed || w->blocks >= segment->block_count || size > segment->pair_count - w->pairs) {
        w->failed = true;
        return 0;
    }
    if (w->is_reading) {
        memcpy(segment->pairs + w->pairs, pairs, size * sizeof *pairs);
        segment->first[w->blocks + 1] = w->pairs + size;
    }
    w->pairs += size;
    memcpy(w->tails[w->blocks], w->runs, sizeof w->runs);
    return EFG_SEQUENCE_IS_BLOCK | w->blocks++;
}

/* Pair INDEX of the block; when reading, anything. */
static struct efg_sequence_pair pair_of(const struct walk *w, uint32_t block, uint32_t index)
{
    const struct efg_sequence_segment *segment = w->segment;
    return w->is_reading ? (struct efg_sequence_pair){0, 1} : segment->pairs[segment->first[block] + index];
}

static int code_end(struct walk *w, uint32_t level, uint32_t block, uint32_t size)
{
    uint32_t c[EFG_MIXER_CONTEXTS];

    if (size < 2 || size == EFG_SEQUENCE_BLOCK)
        return size == EFG_SEQUENCE_BLOCK;
    end_contexts(w, level, size, c);
    bool is_end = !w->is_reading && size == w->segment->first[block + 1] - w->segment->first[block];
    return efg_mixer_bit(&w->mixer, c, END, is_end);
}

static uint32_t code_block(struct walk *w, uint32_t level, uint32_t block)
{
    struct efg_sequence_pair pairs[EFG_SEQUENCE_BLOCK];
    uint32_t size = 0;

    do {
        pairs[size] = code_pair(w, level - 1, pair_of(w, block, size));
        size++;
    } while (!w->failed && !code_end(w, level - 1, block, size));
    return add_block(w, pairs, size);
}

/* The level of a symbol, as an encoder makes blocks: all symbols in a block are of one level.
 */
static uint32_t level_of(const struct efg_sequence_segment *segment, uint32_t symbol)
{
    uint32_t level = 0;
    for (; symbol & EFG_SEQUENCE_IS_BLOCK; level++)
        symbol = segment->pairs[segment->first[symbol & ~EFG_SEQUENCE_IS_BLOCK]].symbol;
    return level;
}

/* So many pairs of the last block, from INDEX on, are of that level. */
static uint32_t count_level(const struct efg_sequence_segment *segment, uint32_t index, uint32_t level)
{
    uint32_t first = segment->first[segment->block_count - 1] + index, i = first;
    while (i < segment->pair_count && level_of(segment, segment->pairs[i].symbol) == level)
        i++;
    return i - first;
}

/* The last block: from its highest level down, how many pairs are of that level, and they. */
static void code_last_block(struct walk *w)
{
    struct efg_sequence_pair pairs[MOST_LAST];
    const struct efg_sequence_segment *segment = w->segment;
    uint32_t last = segment->block_count - 1, size = 0, level = 0;

    if (!w->is_reading)
        level = 1 + level_of(segment, segment->pairs[segment->first[last]].symbol);
    level = (uint32_t)code_number(w, 0, 0, 0, level);
    if (level > EFG_SEQUENCE_LEVELS)
        w->failed = true;
    while (level-- > 0 && !w->failed) {
        uint64_t count = w->is_reading ? 0 : count_level(segment, size, level);
        count = code_number(w, 1, level, 0, count);
        if (count > MOST_LAST - size)
            w->failed = true;
        for (; count > 0 && !w->failed; count--, size++)
            pairs[size] = code_pair(w, level, pair_of(w, last, size));
    }
    add_block(w, pairs, size);
    w->failed |= w->blocks != segment->block_count || w->pairs != segment->pair_count;
}

/* ---- runs ---- */

static void code_runs(struct walk *w)
{
    uint64_t nodes = 0, before[EFG_SEQUENCE_FIELDS] = {0}, run[EFG_SEQUENCE_FIELDS];

    for (uint32_t r = 0; r < w->segment->run_count && !w->failed; r++) {
        uint64_t known = nodes;
        if (!w->is_reading)
            efg_sequence_split_run(w->segment, r, &known, run);
        for (uint32_t f = 0; f < EFG_SEQUENCE_FIELDS; f++) {
            bool there = f != EFG_SEQUENCE_BRANCH || efg_sequence_next_branches(run[EFG_SEQUENCE_NEXT]);
            uint32_t left = f ? (uint32_t)run[f - 1] : 0;
            run[f] = there ? code_number(w, 2 + f, (uint32_t)before[f], left, run[f]) : 0;
        }
        if (w->is_reading)
            w->failed |= efg_sequence_join_run(w->segment, r, &known, run) != 0;
        nodes = known;
        memcpy(before, run, sizeof before);
    }
}

/* ---- both ways ---- */

static int walk_init(struct walk *w, struct efg_sequence_segment *segment, struct efg_buffer *to,
                     struct efg_reader from)
{
    size_t runs = segment->run_count, blocks = segment->block_count;
    uint32_t slots = 1024;

    memset(w, 0, sizeof *w);
    w->segment = segment;
    w->is_reading = !to;
    memset(w->runs, 0xff, sizeof w->runs);
    while (slots < MOST_SLOTS && slots < SLOTS_PER_PAIR * (runs + segment->pair_count))
        slots *= 2;
    w->here = malloc((runs + 1) * sizeof *w->here);
    w->tails = malloc((blocks + 1) * sizeof *w->tails);
    w->counts = calloc(runs + blocks + 1, sizeof *w->counts);
    if (efg_mixer_init(&w->mixer, to, from, slots) != 0 || !w->here || !w->tails || !w->counts)
        return -ENOMEM;
    return 0;
}

static void walk_fini(struct walk *w)
{
    efg_mixer_fini(&w->mixer);
    efg_map_fini(&w->followers);
    free(w->here);
    free(w->tails);
    free(w->counts);
}

static int walk(struct efg_sequence_segment *segment, struct efg_buffer *to, struct efg_reader from)
{
    struct walk w;
    int result = walk_init(&w, segment, to, from);

    if (result == 0) {
        code_runs(&w);
        if (!w.failed) {
            find_here(&w);
            code_last_block(&w);
        }
        if (to)
            efg_mixer_end(&w.mixer);
        result = w.failed ? -EBADMSG : 0;
    }
    walk_fini(&w);
    return result;
}

void efg_sequence_mix(struct efg_buffer *to, const struct efg_sequence_segment *segment)
{
    struct efg_sequence_segment same = *segment; /* only reading changes it */
    if (walk(&same, to, efg_reader(NULL, 0)) != 0)
        to->failed = true;
}

int efg_sequence_unmix(struct efg_reader from, struct efg_sequence_segment *segment)
{
    return walk(segment, NULL, from);
}

/* All symbols of the block are of one level; or of the last block, of no higher level than the
 * one before. LEVELS: of earlier blocks. Returns the level of the block, 0 if it is wrong. */
static unsigned char level_of_block(const struct efg_sequence_segment *segment, uint32_t block,
                                    const unsigned char *levels)
{
    uint32_t first = segment->first[block], end = segment->first[block + 1];
    bool is_last = block + 1 == segment->block_count;
    uint32_t most = is_last ? MOST_LAST : EFG_SEQUENCE_BLOCK;
    unsigned char level = 0;

    if (end - first > most || (!is_last && end - first < 2))
        return 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t symbol = segment->pairs[i].symbol;
        unsigned char own = symbol & EFG_SEQUENCE_IS_BLOCK ? levels[symbol & ~EFG_SEQUENCE_IS_BLOCK] : 0;
        if (i == first)
            level = own;
        else if (own > level || (own < level && !is_last))
            return 0;
    }
    return (unsigned char)(level + 1);
}

bool efg_sequence_can_mix(const struct efg_sequence_segment *segment)
{
    uint32_t block = 0;

    if (segment->run_count > EFG_SEQUENCE_MIX_MOST || segment->pair_count > EFG_SEQUENCE_MIX_MOST)
        return false;
    unsigned char *levels = malloc((size_t)segment->block_count + 1);
    while (levels && block < segment->block_count && (levels[block] = level_of_block(segment, block, levels)))
        block++;
    free(levels);
    return levels && block == segment->block_count;
}
