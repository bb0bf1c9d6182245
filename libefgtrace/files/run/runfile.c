/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run file, read. What can be wrong with a file is asked in the order in which the answer
 * helps most: is it one of ours; of this version; as long as it says; undamaged; and only then
 * what is in it. So a file that was cut short is called that, and not damaged.
 *
 * To open it, the headers of the sections are gone through, and what belongs to the run is
 * read; where the ranks and the sequences are is remembered, and each is read and checked when
 * it is asked for.
 */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "files/disk/below.h"

#define MAGIC_SIZE 8

/* Says what is wrong with PATH, and returns ERROR. */
#define COMPLAIN(error, ...) (snprintf(message, size, __VA_ARGS__), (error))

static int measure(int file, uint64_t *length)
{
    struct stat facts;
    if (fstat(file, &facts))
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return S_ISDIR(facts.st_mode) ? -EISDIR : -EINVAL;
    *length = (uint64_t)facts.st_size;
    return 0;
}

static int check_header(const unsigned char *data, uint64_t length, const char *path, char *message,
                        size_t size)
{
    size_t have = length < EFG_RUN_SECTIONS ? (size_t)length : EFG_RUN_SECTIONS;
    struct efg_reader in = efg_reader(data, have);
    efg_reader_take(&in, MAGIC_SIZE);
    uint32_t version = efg_reader_u32(&in);
    bool has_version = !in.failed;
    uint64_t whole = efg_reader_u64(&in);
    uint32_t crc = efg_reader_u32(&in);
    if (!length)
        return COMPLAIN(-EBADMSG, "%s is empty: the job ended before it was written", path);
    if (memcmp(data, EFG_RUN_MAGIC, have < MAGIC_SIZE ? have : MAGIC_SIZE))
        return COMPLAIN(-EBADMSG, "%s is no run file of efgtrace; name run.efg, or a run's folder", path);
    if (has_version && version != EFG_RUN_VERSION)
        return COMPLAIN(-EBADMSG,
                        "%s is of version %u, this efgtrace reads version %u; use the efgtrace that "
                        "wrote it",
                        path, version, EFG_RUN_VERSION);
    if (in.failed)
        return COMPLAIN(-EBADMSG,
                        "%s is cut short: %llu bytes of %d or more are there; copy "
                        "it again",
                        path, (unsigned long long)length, EFG_RUN_SECTIONS);
    if (crc != efg_crc32(0, data, EFG_RUN_SECTIONS - 4))
        return COMPLAIN(-EBADMSG,
                        "%s is damaged: its header is not as it was written; copy it "
                        "again",
                        path);
    if (length < whole)
        return COMPLAIN(-EBADMSG, "%s is cut short: %llu bytes of %llu are there; copy it again", path,
                        (unsigned long long)length, (unsigned long long)whole);
    if (length > whole)
        return COMPLAIN(-EBADMSG, "%s is damaged: it has %llu bytes, %llu were expected", path,
                        (unsigned long long)length, (unsigned long long)whole);
    return 0;
}

/* --- sections --- */

struct entries {
    struct efg_run_entry *entries;
    uint32_t count;
};

struct found {                                    /* the sections of a file */
    struct efg_run_entry part[EFG_SECTION_KINDS]; /* size 0: not there */
    struct entries ranks, sequences;
};

static int add_entry(struct entries *list, struct efg_run_entry entry)
{
    if (efg_array_grow(&list->entries, list->count, 1, sizeof *list->entries))
        return -ENOMEM;
    list->entries[list->count++] = entry;
    return 0;
}

/* Sizes and offsets in FOUND are of whole sections, with their headers. */
static int find_sections(int file, uint64_t length, struct found *found)
{
    unsigned char header[EFG_SECTION_HEADER];
    int error = 0;
    for (uint64_t at = EFG_RUN_SECTIONS; at < length && !error;) {
        if (length - at < sizeof header)
            return -EBADMSG;
        error = efg_read_all(file, header, sizeof header, at);
        struct efg_section section = efg_section_get(header);
        if (!error && section.size > length - at - sizeof header)
            return -EBADMSG;
        struct efg_run_entry entry = {section.number, EFG_NONE, at, section.size + sizeof header};
        if (!error && section.kind == EFG_SECTION_RANK)
            error = add_entry(&found->ranks, entry);
        else if (!error && section.kind == EFG_SECTION_SEQUENCE)
            error = add_entry(&found->sequences, entry);
        else if (section.kind < EFG_SECTION_KINDS)
            found->part[section.kind] = entry;
        at += entry.size;
    }
    return error;
}

/* The bytes of a section, with its header, if its checksum is right. */
static int load(int file, const struct efg_run_entry *entry, unsigned char **bytes)
{
    *bytes = malloc(entry->size);
    int error = *bytes ? efg_read_all(file, *bytes, entry->size, entry->offset) : -ENOMEM;
    if (!error &&
        !efg_section_is_whole(*bytes, *bytes + EFG_SECTION_HEADER, entry->size - EFG_SECTION_HEADER))
        error = -EILSEQ; /* the checksum: told apart from what makes no sense */
    if (error) {
        free(*bytes);
        *bytes = NULL;
    }
    return error;
}

static int get_part(struct efg_run *run, uint32_t kind, const void *bytes, size_t size)
{
    switch (kind) {
    case EFG_SECTION_RUN:
        return efg_run_get_facts(run, bytes, size);
    case EFG_SECTION_NAMES:
        return efg_run_get_names(&run->common.names, bytes, size);
    case EFG_SECTION_GROUPS:
        return efg_run_get_groups(&run->common, bytes, size);
    case EFG_SECTION_TOTALS:
        return efg_totals_get(&run->common.totals, bytes, size);
    case EFG_SECTION_ORDERS:
        return efg_run_get_orders(&run->common, bytes, size);
    case EFG_SECTION_POSITIONS:
        return efg_run_get_positions(&run->common.names, bytes, size);
    default:
        return efg_run_get_sites(run, bytes, size);
    }
}

static int read_part(struct efg_run *run, const struct found *found, uint32_t kind)
{
    unsigned char *bytes;
    const struct efg_run_entry *entry = &found->part[kind];
    if (!entry->size)
        return kind == EFG_SECTION_POSITIONS ? 0 : -EBADMSG;
    int error = load(run->file - 1, entry, &bytes);
    if (!error)
        error = get_part(run, kind, bytes + EFG_SECTION_HEADER, entry->size - EFG_SECTION_HEADER);
    free(bytes);
    return error;
}

/* --- ranks and sequences --- */

static int by_rank(const void *a, const void *b)
{
    const struct efg_run_entry *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static struct efg_run_entry *find_entry(struct efg_run_entry *entries, uint32_t count, uint32_t rank)
{
    struct efg_run_entry key = {.rank = rank};
    return count ? bsearch(&key, entries, count, sizeof key, by_rank) : NULL;
}

uint32_t efg_run_index(const struct efg_run *run, uint32_t rank)
{
    const struct efg_run_entry *entry = find_entry(run->ranks, run->rank_count, rank);
    return entry ? (uint32_t)(entry - run->ranks) : EFG_NONE;
}

/* Ascending, and no rank twice. */
static int sort(struct entries *list)
{
    if (list->count)
        qsort(list->entries, list->count, sizeof *list->entries, by_rank);
    for (uint32_t i = 1; i < list->count; i++)
        if (list->entries[i].rank == list->entries[i - 1].rank)
            return -EBADMSG;
    return 0;
}

/* The ranks of RANGE are in GROUP, and in no other one. */
static int share_range(struct efg_run *run, const struct efg_range *range, uint32_t group)
{
    for (uint32_t n = 0; n < range->count; n++) {
        uint32_t index = efg_run_index(run, range->first + n * range->stride);
        if (index == EFG_NONE || run->ranks[index].group != EFG_NONE)
            return -EBADMSG;
        run->ranks[index].group = group;
    }
    return 0;
}

/* Each rank is in one group, and there are no others in it. */
static int share_groups(struct efg_run *run)
{
    uint64_t grouped = 0;
    for (uint32_t i = 0; i < run->common.group_count; i++) {
        const struct efg_ranklist *list = &run->common.groups[i].ranks;
        grouped += efg_ranklist_count(list);
        if (grouped > run->rank_count)
            return -EBADMSG;
        for (uint32_t k = 0; k < list->range_count; k++)
            if (share_range(run, &list->ranges[k], i))
                return -EBADMSG;
    }
    return grouped == run->rank_count ? 0 : -EBADMSG;
}

static int take_ranks(struct efg_run *run, struct found *found)
{
    if (sort(&found->ranks) || sort(&found->sequences))
        return -EBADMSG;
    run->ranks = found->ranks.entries;
    run->rank_count = found->ranks.count;
    run->sequences = found->sequences.entries;
    run->sequence_count = found->sequences.count;
    *found = (struct found){0};
    if (!run->rank_count)
        return run->common.totals.ranks || run->common.group_count ? -EBADMSG : 0;
    return run->common.totals.ranks >= run->rank_count ? share_groups(run) : -EBADMSG;
}

static int read_rank(const struct efg_run *run, const struct efg_run_entry *entry, struct efg_run_rank *rank)
{
    unsigned char *bytes;
    memset(rank, 0, sizeof *rank);
    int error = load(run->file - 1, entry, &bytes);
    if (!error)
        error = efg_runfile_get_rank(rank, bytes, entry->size, &run->common.groups[entry->group]);
    free(bytes);
    return error;
}

static int read_speaker(struct efg_run *run)
{
    uint64_t speaker = run->common.totals.speaker;
    uint32_t index = speaker <= UINT32_MAX ? efg_run_index(run, (uint32_t)speaker) : EFG_NONE;
    if (!run->rank_count)
        return 0;
    if (index == EFG_NONE)
        return -EBADMSG;
    return read_rank(run, &run->ranks[index], &run->speaker);
}

/* --- the run --- */

/* *PART then says what was being read. */
static int read_run(struct efg_run *run, uint64_t length, struct found *found, const char **part)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } parts[] = {{EFG_SECTION_RUN, "the facts of the run"},
                 {EFG_SECTION_NAMES, "the table of names"},
                 {EFG_SECTION_GROUPS, "the groups of ranks"},
                 {EFG_SECTION_TOTALS, "the sums over all ranks"},
                 {EFG_SECTION_ORDERS, "the list of sequences"},
                 {EFG_SECTION_SITES, "the table of source lines"},
                 {EFG_SECTION_POSITIONS, "the table of calls in loops"}};
    *part = "its list of sections";
    int error = find_sections(run->file - 1, length, found);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !error; i++) {
        *part = parts[i].name;
        error = read_part(run, found, parts[i].kind);
    }
    if (error)
        return error;
    *part = "its list of ranks";
    error = take_ranks(run, found);
    if (error)
        return error;
    *part = "the data of the rank that stands for all";
    return read_speaker(run);
}

static int explain(int error, const char *path, const char *part, char *message, size_t size)
{
    switch (error) {
    case 0:
        return 0;
    case -ENOMEM:
        return COMPLAIN(error, "%s: no memory to read it", path);
    case -EILSEQ:
        return COMPLAIN(-EBADMSG, "%s is damaged: the checksum of %s is wrong; copy it again", path, part);
    case -EBADMSG:
        return COMPLAIN(error, "%s is damaged: %s make%s no sense", path, part,
                        part[strlen(part) - 1] == 's' ? "" : "s");
    default:
        return COMPLAIN(error, "cannot read %s: %s", path, efg_below_explain(error));
    }
}

static int read_file(struct efg_run *run, const char *path, char *message, size_t size)
{
    unsigned char header[EFG_RUN_SECTIONS];
    struct found found = {0};
    const char *part = "";
    uint64_t length = 0;
    int error = measure(run->file - 1, &length);
    if (!error)
        error = efg_read_all(run->file - 1, header, length < sizeof header ? length : sizeof header, 0);
    if (error)
        return explain(error, path, part, message, size);
    error = check_header(header, length, path, message, size);
    if (!error) {
        error = read_run(run, length, &found, &part);
        error = explain(error, path, part, message, size);
    }
    free(found.ranks.entries);
    free(found.sequences.entries);
    return error;
}

int efg_runfile_open(struct efg_run *run, const char *path, unsigned below, char *message, size_t size)
{
    memset(run, 0, sizeof *run);
    int file = efg_below_open(path, below, O_RDONLY);
    if (file < 0)
        return explain(file, path, "", message, size);
    run->file = file + 1;
    int error = read_file(run, path, message, size);
    if (error)
        efg_run_fini(run);
    return error;
}

int efg_runfile_rank(const struct efg_run *run, uint32_t index, struct efg_run_rank *rank, char *message,
                     size_t size)
{
    char part[48];
    snprintf(part, sizeof part, "the data of rank %u", run->ranks[index].rank);
    return explain(read_rank(run, &run->ranks[index], rank), "run.efg", part, message, size);
}

/* Where the sequence of RANK is; NULL: nowhere. */
static struct efg_run_entry *find_sequence(const struct efg_run *run, uint32_t rank)
{
    for (uint32_t i = 0; i < run->common.order_count; i++) {
        const struct efg_ranklist *ranks = &run->common.orders[i].ranks;
        if (efg_ranklist_has(ranks, rank))
            return find_entry(run->sequences, run->sequence_count, ranks->ranges[0].first);
    }
    return NULL;
}

static int read_sequence(const struct efg_run *run, const struct efg_run_entry *entry,
                         struct efg_run_sequence *sequence)
{
    unsigned char *bytes;
    int error = load(run->file - 1, entry, &bytes);
    return error ? error : efg_run_get_sequence(sequence, bytes, entry->size);
}

int efg_runfile_sequence(const struct efg_run *run, uint32_t rank, struct efg_run_sequence *sequence,
                         char *message, size_t size)
{
    char part[48];
    const struct efg_run_entry *entry = find_sequence(run, rank);
    memset(sequence, 0, sizeof *sequence);
    if (!entry)
        return COMPLAIN(-ENODATA, "the order of the calls of rank %u was not kept (EFGTRACE_SEQUENCE)", rank);
    snprintf(part, sizeof part, "the sequence of rank %u", entry->rank);
    return explain(read_sequence(run, entry, sequence), "run.efg", part, message, size);
}
