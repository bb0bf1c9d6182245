/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the live files of a job. They come from the job, or from whoever could write to its folder: numbers
 * are checked before they are used, names cleaned before they are printed. A file that is cut short, or is
 * another one, is left out, with a word.
 */
#define _GNU_SOURCE
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/none.h"
#include "cli/clean.h"
#include "cli/complain.h"
#include "files/disk/below.h"
#include "files/log/record.h"

#define MOST_PARTS 65536 /* ranks of a node: more is damage */

static uint64_t clock_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The clock of NODE now: that of this host, or as its time of day has it. */
static uint64_t node_time(const struct efg_look_node *node)
{
    const struct efg_live_head *head = &node->head;

    return node->is_here ? clock_ns(CLOCK_MONOTONIC)
                         : head->ticks + (clock_ns(CLOCK_REALTIME) - head->realtime);
}

/* --- files --- */

/* SIZE bytes from AT, with a zero behind; NULL if they are not there. */
static char *read_bytes(const char *path, uint64_t at, size_t size)
{
    char *bytes = malloc(size + 1);
    int file = efg_below_open(path, 2, O_RDONLY);
    int error = file < 0 ? file : bytes ? efg_read_all(file, bytes, size, at) : -ENOMEM;

    if (file >= 0)
        close(file);
    if (error) {
        free(bytes);
        return NULL;
    }
    bytes[size] = '\0';
    return bytes;
}

static const char *wrong_head(const struct efg_live_head *head)
{
    if (memcmp(head->magic, EFG_LIVE_MAGIC, sizeof head->magic) != 0)
        return "it is no live file, or is just being made";
    if (head->version != EFG_LIVE_VERSION)
        return "it was written by another version of efgtrace";
    if (!head->parts || head->parts > MOST_PARTS || head->parts > head->ranks ||
        head->names > EFG_LIVE_HEAD - EFG_LIVE_PAGE)
        return "it is damaged";
    return NULL;
}

/* Returns NULL, or why not. */
static const char *read_node(struct efg_look_node *node)
{
    char here[256] = "";
    struct efg_live_head *head = (struct efg_live_head *)read_bytes(node->path, 0, sizeof *head);
    const char *wrong = head ? wrong_head(head) : "it cannot be read, or is cut short";

    if (!wrong) {
        node->head = *head;
        node->head.host[sizeof head->host - 1] = node->head.application[sizeof head->application - 1] = '\0';
        node->names = read_bytes(node->path, EFG_LIVE_PAGE, head->names);
        wrong = node->names ? NULL : "it is cut short";
    }
    free(head);
    gethostname(here, sizeof here - 1);
    node->is_here = strcmp(here, node->head.host) == 0;
    efg_clean(node->head.host);
    efg_clean(node->head.application);
    return wrong;
}

static int add_ranks(struct efg_look *look, uint32_t node)
{
    uint32_t parts = look->nodes[node].head.parts;

    if (efg_array_grow(&look->ranks, look->rank_count, parts, sizeof *look->ranks) != 0)
        return -ENOMEM;
    for (uint32_t i = 0; i < parts; i++)
        look->ranks[look->rank_count++] = (struct efg_look_rank){
            .node = (void *)(uintptr_t)node, /* until all nodes are there */
            .at = EFG_LIVE_HEAD + (uint64_t)i * EFG_LIVE_PART,
        };
    look->size = look->nodes[node].head.ranks;
    return 0;
}

static int add_node(struct efg_look *look, const char *name)
{
    struct efg_look_node node = {0};

    if (efg_array_grow(&look->nodes, look->node_count, 1, sizeof node) != 0 ||
        asprintf(&node.path, "%s/live/%s", look->dir, name) < 0)
        return -ENOMEM;
    const char *wrong = read_node(&node);
    if (!wrong) {
        look->nodes[look->node_count] = node;
        return add_ranks(look, look->node_count++);
    }
    efg_clean(node.path);
    fprintf(stderr, "efgtrace %s: %s is left out: %s\n", look->command, node.path, wrong);
    free(node.path);
    free(node.names);
    return 0;
}

static bool is_live_file(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".live") == 0;
}

/* --- looks --- */

/* Returns whether the part is there, and its process has begun to use it. */
static bool take(struct efg_look_rank *rank, struct efg_look_moment *moment)
{
    struct efg_live_rank *part = (struct efg_live_rank *)read_bytes(rank->node->path, rank->at, sizeof *part);

    moment->time = node_time(rank->node);
    if (!part)
        return false;
    moment->part = *part;
    free(part);
    if (moment->part.threads > EFG_LIVE_THREADS)
        moment->part.threads = EFG_LIVE_THREADS;
    for (uint32_t i = 0; i < moment->part.threads && rank->node->is_here; i++)
        moment->process[i] =
            efg_process_ask(moment->part.pid, moment->part.thread[i].id, moment->part.started);
    return moment->part.state != EFG_LIVE_NOTHING;
}

bool efg_look_again(struct efg_look *look)
{
    bool is_there = false;

    for (uint32_t i = 0; i < look->rank_count; i++)
        is_there |= take(&look->ranks[i], &look->ranks[i].last);
    return is_there;
}

void efg_look_wait(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

    while (nanosleep(&left, &left) != 0)
        ;
}

void efg_look_shift(struct efg_look *look)
{
    for (uint32_t i = 0; i < look->rank_count; i++)
        look->ranks[i].first = look->ranks[i].last;
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = ((const struct efg_look_rank *)a)->first.part.rank;
    uint32_t y = ((const struct efg_look_rank *)b)->first.part.rank;

    return (x > y) - (x < y);
}

/* Ranks that have not begun, or are there twice, are none. */
static void take_first(struct efg_look *look)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < look->rank_count; i++) {
        struct efg_look_rank *rank = &look->ranks[i];
        rank->node = &look->nodes[(uintptr_t)rank->node];
        if (take(rank, &rank->first) && rank->first.part.rank < look->size)
            look->ranks[count++] = *rank;
    }
    qsort(look->ranks, count, sizeof *look->ranks, compare_ranks);
    look->rank_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!i || compare_ranks(&look->ranks[look->rank_count - 1], &look->ranks[i]) != 0)
            look->ranks[look->rank_count++] = look->ranks[i];
    for (uint32_t i = 0; i < look->rank_count; i++)
        look->ranks[i].last = look->ranks[i].first;
}

static int complain_nothing(const struct efg_look *look)
{
    char path[PATH_MAX];

    fprintf(stderr, "efgtrace %s: %s shows nothing: ", look->command, look->dir);
    snprintf(path, sizeof path, "%s/run.efg", look->dir);
    if (efg_below_is_there(path, 1))
        fprintf(stderr, "the job has ended; `efgtrace report %s` says what it did\n", look->dir);
    else if (efg_below_is_there(look->dir, 0))
        fprintf(stderr,
                "the job has not begun or has ended, or runs with `live = off`, or this is not the folder "
                "that it writes to\n");
    else
        fprintf(stderr, "there is no such folder; name the one that the job writes to, "
                        "efgtrace.<application>.<id>\n");
    return EFG_TOLD;
}

int efg_look_open(struct efg_look *look, const char *command, const char *dir)
{
    char path[PATH_MAX];
    int error = 0;

    *look = (struct efg_look){.command = command, .dir = dir, .symbols = efg_symbols_new()};
    snprintf(path, sizeof path, "%s/live", dir);
    DIR *folder = efg_below_list(path, 1);
    for (struct dirent *entry; folder && !error && (entry = readdir(folder));)
        if (is_live_file(entry->d_name))
            error = add_node(look, entry->d_name);
    if (folder)
        closedir(folder);
    if (error)
        return efg_complain(command, "not enough memory");
    take_first(look);
    return look->rank_count ? 0 : complain_nothing(look);
}

void efg_look_close(struct efg_look *look)
{
    for (uint32_t i = 0; i < look->rank_count; i++) {
        free(look->ranks[i].text);
        free(look->ranks[i].comms);
    }
    for (uint32_t i = 0; i < look->node_count; i++) {
        free(look->nodes[i].path);
        free(look->nodes[i].names);
    }
    free(look->ranks);
    free(look->nodes);
    efg_symbols_free(look->symbols);
}

struct efg_look_rank *efg_look_find(const struct efg_look *look, uint32_t rank)
{
    struct efg_look_rank key = {.first.part.rank = rank};

    return bsearch(&key, look->ranks, look->rank_count, sizeof key, compare_ranks);
}

/* --- what numbers mean --- */

static int learn_comms(struct efg_look_rank *rank)
{
    unsigned long long identity;
    struct efg_look_comm comm = {0};
    int at = 0;

    for (char *line = rank->text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "C %u %llx %d %d %d %d %n", &comm.id, &identity, &comm.kind, &comm.rank, &comm.size,
                   &comm.peers, &at) != 6)
            continue;
        if (efg_array_grow(&rank->comms, rank->comm_count, 1, sizeof comm) != 0)
            return -ENOMEM;
        comm.identity = identity;
        comm.list = line + at;
        rank->comms[rank->comm_count++] = comm;
    }
    return 0;
}

int efg_look_learn(struct efg_look *look)
{
    for (uint32_t i = 0; i < look->rank_count; i++) {
        struct efg_look_rank *rank = &look->ranks[i];
        uint32_t size = rank->last.part.text;
        if (rank->text || size > EFG_LIVE_PART - EFG_LIVE_MAPPED)
            continue;
        rank->text = read_bytes(rank->node->path, rank->at + EFG_LIVE_MAPPED, size);
        if (rank->text && learn_comms(rank) != 0)
            return -ENOMEM;
    }
    return 0;
}

const struct efg_look_comm *efg_look_comm(const struct efg_look_rank *rank, uint32_t id)
{
    for (uint32_t i = 0; i < rank->comm_count; i++)
        if (rank->comms[i].id == id)
            return &rank->comms[i];
    return NULL;
}

/* The next run of a list, at *AT: its first rank and how many. Returns whether there is one. */
static bool next_run(const char **at, uint32_t *first, uint32_t *count)
{
    unsigned last;
    int used = 0;

    if (sscanf(*at, "%u%n", first, &used) != 1)
        return false;
    *at += used;
    *count = 1;
    if (sscanf(*at, "-%u%n", &last, &used) == 1 && last >= *first) {
        *at += used;
        *count = last - *first + 1;
    }
    *at += **at == ',';
    return true;
}

uint32_t efg_look_partner(const struct efg_look_comm *comm, int partner)
{
    uint32_t first, count, left = (uint32_t)partner;

    if (!comm || partner < 0 || partner >= comm->peers)
        return EFG_NONE;
    if (*comm->list == '*')
        return left;
    for (const char *at = comm->list; next_run(&at, &first, &count); left -= count)
        if (left < count)
            return first + left;
    return EFG_NONE;
}

bool efg_look_has(const struct efg_look_comm *comm, uint32_t rank)
{
    uint32_t first, count;

    if (!comm || *comm->list == '*' || *comm->list == '?')
        return true;
    for (const char *at = comm->list; next_run(&at, &first, &count);)
        if (rank >= first && rank - first < count)
            return true;
    return false;
}

/* What follows KEY and ID in TEXT, to its line's end, to OUT; "" if there is no such line. */
static void find_line(const char *text, char key, uint32_t id, char *out, size_t size)
{
    char head[32];

    *out = '\0';
    snprintf(head, sizeof head, "%c %u ", key, id);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, head, strlen(head)) == 0) {
            const char *from = line + strlen(head);
            snprintf(out, size, "%.*s", (int)strcspn(from, "\n"), from);
            return;
        }
}

const char *efg_look_call(const struct efg_look_rank *rank, uint32_t call)
{
    static char name[64];

    find_line(rank->node->names, 'N', call, name, sizeof name);
    return *name ? efg_clean(name) : "?";
}

/* The innermost function of one frame. */
static void name_frame(struct efg_symbols *symbols, const char *module, uint64_t offset, char *text,
                       size_t size)
{
    const struct efg_symbol *frames;

    efg_symbols_find(symbols, module, offset, &frames);
    const char *file = strrchr(frames->file, '/') ? strrchr(frames->file, '/') + 1 : frames->file;
    if (strcmp(frames->function, "?") == 0)
        snprintf(text, size, "%s+%#llx", strrchr(module, '/') ? strrchr(module, '/') + 1 : module,
                 (unsigned long long)offset);
    else if (*file)
        snprintf(text, size, "%s (%s:%u)", frames->function, file, frames->line);
    else
        snprintf(text, size, "%s", frames->function);
}

void efg_look_place(const struct efg_look *look, const struct efg_look_rank *rank, uint32_t path, char *text,
                    size_t size)
{
    char frames[1024], module[PATH_MAX];
    unsigned number;
    unsigned long long offset;

    *text = '\0';
    if (rank->text)
        find_line(rank->text, 'P', path, frames, sizeof frames);
    if (!rank->text || sscanf(frames, "%u:%llx", &number, &offset) != 2)
        return;
    find_line(rank->text, 'M', number, module, sizeof module);
    name_frame(look->symbols, module, offset, text, size);
    efg_clean(text);
}
