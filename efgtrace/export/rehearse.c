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

#include "base/array.h"
#include "files/otf2/table.h"

#define PIECE 65536 /* bytes of a file at once; a line is shorter */
#define LARGE 65536 /* bytes: such a message is sent when it is received (smpi/send-is-detached-thresh) */

struct request {     /* that is waited for later */
    uint64_t number; /* of the message on its channel, from 1 */
    bool is_send;
};

struct requests { /* the oldest first */
    struct request *list;
    uint32_t count;
};

struct channel {           /* from a rank to another, with a tag */
    uint64_t sent, posted; /* messages, receives */
    struct requests of[2]; /* of the receiver; of the sender, if that is another rank */
};

struct player {
    char *text; /* the piece at hand: [at, size) is not done */
    size_t at, size;
    uint64_t offset, line;  /* of the file behind the piece; number of the line at hand, from 1 */
    uint64_t met;           /* operations of all ranks that it has come to */
    struct request request; /* of the call that blocks, while IS_POSTED */
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

/* A message: its line, that begins one end of it or waits for that. */
struct end {
    struct channel *channel;
    struct requests *requests;
    bool is_send, is_large;
};

/* A small message is sent at once: it has number 0. */
static struct request begin(const struct end *e)
{
    uint64_t number = e->is_send ? ++e->channel->sent : ++e->channel->posted;
    return (struct request){e->is_send && !e->is_large ? 0 : number, e->is_send};
}

static bool is_done(const struct channel *c, const struct request *r)
{
    return r->number <= (r->is_send ? c->posted : c->sent);
}

/* Whether the call can end; it is begun once. */
static bool block(struct player *p, const struct end *e)
{
    if (!p->is_posted)
        p->request = begin(e);
    p->is_posted = !is_done(e->channel, &p->request);
    return !p->is_posted;
}

static int open_request(const struct end *e)
{
    struct requests *r = e->requests;
    if (efg_array_grow(&r->list, r->count, 1, sizeof *r->list))
        return -ENOMEM;
    r->list[r->count++] = begin(e);
    return 0;
}

/* For the oldest one; there may be none, as what it was for has no other end. */
static bool wait(const struct end *e)
{
    struct requests *r = e->requests;
    if (r->count && !is_done(e->channel, r->list))
        return false;
    if (r->count)
        memmove(r->list, r->list + 1, --r->count * sizeof *r->list);
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

/* The end of a message of RANK that WORD and three numbers are about. */
static struct end end_of(struct stage *s, uint32_t rank, const char *word, const unsigned *number)
{
    bool is_wait = !strcmp(word, "wait"),
         is_send = is_wait ? number[0] == rank : strstr(word, "send") != NULL;
    unsigned from = is_wait   ? number[0]
                    : is_send ? rank
                              : number[0],
             to = is_wait   ? number[1]
                  : is_send ? number[0]
                            : rank;
    struct channel *c = channel_of(s, from, to, number[is_wait ? 2 : 1]);
    if (!c)
        s->error = -ENOMEM;
    return (struct end){c, c ? &c->of[is_send && from != to] : NULL, is_send, number[2] >= LARGE};
}

static bool is_of_message(const char *word)
{
    return strstr(word, "send") || strstr(word, "recv") || !strcmp(word, "wait");
}

static bool is_alone(const char *word)
{
    return !strcmp(word, "compute") || !strcmp(word, "sleep") || !strcmp(word, "init") ||
           !strcmp(word, "finalize");
}

/* Whether RANK does its ACTION, a line; else it waits. */
static bool act(struct stage *s, uint32_t rank, const char *action)
{
    unsigned me, number[3];
    char word[32];
    int count = sscanf(action, "%u %31s %u %u %u", &me, word, &number[0], &number[1], &number[2]);
    bool is_message = count >= 2 && is_of_message(word);
    if (count < 2 || me != rank || (is_message && count < 5))
        s->error = -EBADMSG;
    if (s->error || !is_message)
        return s->error || is_alone(word) || meet(s, &s->players[rank]);
    struct end end = end_of(s, rank, word, number);
    if (s->error)
        return false;
    if (*word == 'w')
        return wait(&end);
    if (*word != 'i')
        return block(&s->players[rank], &end);
    s->error = open_request(&end);
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
    for (uint32_t i = 0; i < 2 * s.channel_room; i++)
        free(s.channels[i / 2].of[i % 2].list);
    free(s.players);
    free(s.channels);
    efg_otf2_table_fini(&s.names);
    return error;
}
