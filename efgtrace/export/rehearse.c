/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks take turns: each goes on until it waits for another one. If a whole turn does nothing, and not all
 * are at their ends, they never will be. The files are read in pieces, so that memory does not grow with
 * them.
 */
#include "rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/otf2/table.h"

#define PIECE 65536 /* bytes of a file at once; a line is shorter */

struct channel { /* from a rank to another, with a tag */
    uint64_t sent, posted, open,
        first; /* messages; receives; those of them that are waited for later; the oldest */
};

struct player {
    char *text; /* the piece at hand: [at, size) is not done */
    size_t at, size;
    uint64_t offset, line; /* of the file behind the piece; number of the line at hand, from 1 */
    uint64_t met;          /* operations of all ranks that it has come to */
    bool is_posted, is_over;
};

struct stage {
    const char *dir;
    uint32_t size;
    struct player *players;
    struct efg_otf2_table names; /* of channels */
    struct channel *channels;
    uint32_t channel_room;
    uint64_t *at_least; /* how many ranks have come to this many operations: a ring */
    uint64_t met;       /* that all have come to */
    int error;
};

/* --- reading --- */

static int read_piece(const struct stage *s, uint32_t rank)
{
    struct player *p = &s->players[rank];
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%u.txt", s->dir, rank);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    memmove(p->text, p->text + p->at, p->size - p->at);
    p->size -= p->at;
    p->at = 0;
    ssize_t got = pread(file, p->text + p->size, PIECE - p->size, (off_t)p->offset);
    int error = got < 0 ? -errno : 0;
    close(file);
    if (got > 0) {
        p->offset += (uint64_t)got;
        p->size += (size_t)got;
    }
    return error;
}

/* The line at hand, which ends in a newline; NULL at the end of the file, or after an error. */
static char *line_of(struct stage *s, uint32_t rank)
{
    struct player *p = &s->players[rank];
    if (!memchr(p->text + p->at, '\n', p->size - p->at)) {
        s->error = read_piece(s, rank);
        if (!s->error && p->size && !memchr(p->text, '\n', p->size))
            s->error = -EBADMSG;
    }
    return s->error || p->at == p->size ? NULL : p->text + p->at;
}

/* --- actions --- */

static struct channel *channel_of(struct stage *s, unsigned from, unsigned to, unsigned tag)
{
    const uint32_t key[] = {from, to, tag};
    uint32_t at = efg_otf2_intern(&s->names, key, sizeof key);
    if (at != EFG_NONE && at >= s->channel_room) {
        uint32_t room = 2 * at + 16;
        struct channel *more = realloc(s->channels, room * sizeof *more);
        if (!more)
            return NULL;
        memset(more + s->channel_room, 0, (room - s->channel_room) * sizeof *more);
        s->channels = more;
        s->channel_room = room;
    }
    return at == EFG_NONE ? NULL : &s->channels[at];
}

/* Whether the receive can end; it is posted once. */
static bool receive(struct player *p, struct channel *c)
{
    if (!p->is_posted)
        c->posted++;
    p->is_posted = c->sent < c->posted;
    return !p->is_posted;
}

static void post(struct channel *c)
{
    c->posted++;
    if (!c->open++)
        c->first = c->posted;
}

static bool wait(struct channel *c)
{
    if (c->open && c->sent < c->first)
        return false;
    c->open -= c->open > 0;
    c->first++;
    return true;
}

/* Whether all ranks have come to the operation that P is at. */
static bool meet(struct stage *s, struct player *p)
{
    if (!p->is_posted) {
        p->met++;
        s->at_least[p->met % 2]++;
    }
    if (s->at_least[p->met % 2] == s->size && s->met < p->met) {
        s->met = p->met;
        s->at_least[(p->met + 1) % 2] = 0;
    }
    p->is_posted = s->met < p->met;
    return !p->is_posted;
}

/* Whether RANK does its ACTION, a line; else it waits. */
static bool act(struct stage *s, uint32_t rank, const char *action)
{
    struct player *p = &s->players[rank];
    unsigned me, a, b, c;
    char word[32];
    int count = sscanf(action, "%u %31s %u %u %u", &me, word, &a, &b, &c);
    bool is_send = count >= 4 && strstr(word, "send"), is_receive = count >= 4 && strstr(word, "recv"),
         is_wait = count >= 5 && !strcmp(word, "wait");
    if (is_wait && a == rank)
        return true;
    struct channel *channel = is_send      ? channel_of(s, rank, a, b)
                              : is_receive ? channel_of(s, a, rank, b)
                              : is_wait    ? channel_of(s, a, b, c)
                                           : NULL;
    if ((is_send || is_receive || is_wait) && !channel)
        s->error = -ENOMEM;
    else if (is_send)
        channel->sent++;
    else if (is_receive && *word == 'i')
        post(channel);
    else if (is_receive)
        return receive(p, channel);
    else if (is_wait)
        return wait(channel);
    else if (count < 2 || me != rank)
        s->error = -EBADMSG;
    else if (strcmp(word, "compute") && strcmp(word, "sleep") && strcmp(word, "init") &&
             strcmp(word, "finalize"))
        return meet(s, p);
    return true;
}

/* --- all of them --- */

/* Go on with RANK. Returns whether it has done anything. */
static bool go_on(struct stage *s, uint32_t rank)
{
    struct player *p = &s->players[rank];
    bool has_done = false, can = true;
    while (can && !p->is_over) {
        char *line = line_of(s, rank), *end = line ? strchr(line, '\n') : NULL;
        p->is_over = !line;
        if (!line)
            break;
        *end = '\0'; /* sscanf would look for the end of all */
        can = act(s, rank, line) && !s->error;
        *end = '\n';
        if (can) {
            p->at += (size_t)(end + 1 - line);
            p->line++;
            has_done = true;
        }
    }
    return has_done;
}

/* A turn does something as long as there is hope. */
static int play(struct stage *s, char *message, size_t room)
{
    bool has_done = true;
    uint32_t waiting = 0;
    while (has_done && !s->error) {
        has_done = false;
        waiting = s->size;
        for (uint32_t i = s->size; i-- > 0;) {
            has_done |= go_on(s, i);
            waiting = s->players[i].is_over ? waiting : i;
        }
    }
    if (s->error || waiting == s->size)
        return s->error;
    const char *line = s->players[waiting].text + s->players[waiting].at;
    snprintf(message, room, "rank %u would wait forever in line %llu: %.*s", waiting,
             (unsigned long long)s->players[waiting].line + 1, (int)strcspn(line, "\n"), line);
    return -EDEADLK;
}

int efg_rehearse(const char *dir, uint32_t size, char *message, size_t room)
{
    struct stage s = {.dir = dir, .size = size, .players = calloc(size, sizeof *s.players)};
    uint64_t ring[2] = {0};
    s.at_least = ring;
    int error = s.players ? 0 : -ENOMEM;
    *message = '\0';
    for (uint32_t i = 0; i < size && !error; i++) {
        s.players[i].text = calloc(1, PIECE + 1);
        error = s.players[i].text ? 0 : -ENOMEM;
    }
    if (!error)
        error = play(&s, message, room);
    for (uint32_t i = 0; s.players && i < size; i++)
        free(s.players[i].text);
    free(s.players);
    free(s.channels);
    efg_otf2_table_fini(&s.names);
    return error;
}
