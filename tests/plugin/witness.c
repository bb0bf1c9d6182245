/*
 * A plug-in that checks what it is told while it is told it, and says the first thing that is wrong.
 */
#include <efgtrace-plugin.h>
#include <stdio.h>
#include <string.h>

#define NODES 1000

static const struct efgtrace_host *host;
static struct efgtrace_event before; /* as pre was told */
static uint64_t calls, left, iterations, last, bytes;
static unsigned loops, opened, closed;
static uint64_t hash[NODES];
static char wrong[200], options[64];

static void expect(int is_right, const char *what, const char *function)
{
    if (!is_right && !*wrong)
        snprintf(wrong, sizeof wrong, "%s: %s, after %llu calls", what, function, (unsigned long long)calls);
}

static const char *init(struct efgtrace_start *start)
{
    host = start->host;
    expect(start->version == EFGTRACE_PLUGIN_VERSION && start->ranks == 4 && start->rank < 4, "start", "");
    snprintf(options, sizeof options, "%s", start->options);
    return NULL;
}

static void pre(const struct efgtrace_event *e)
{
    expect(!before.function, "two pre in a row", e->function);
    expect(e->enter >= left && !e->leave && e->node == EFGTRACE_NONE, "not as before a call", e->function);
    before = *e;
}

static void check_path(const struct efgtrace_event *e)
{
    struct efgtrace_frame frames[2] = {{0}};
    uint32_t depth = host->frames(e, frames, 2);

    expect(depth >= 2 && strstr(frames[0].module, "stencil2d"), "call path", e->function);
}

static void check_data(const struct efgtrace_event *e)
{
    int is_send = strcmp(e->function, "MPI_Isend") == 0;

    if (is_send || strcmp(e->function, "MPI_Irecv") == 0) {
        const struct efgtrace_data *data = is_send ? &e->sent : &e->received;
        const struct efgtrace_data *other = is_send ? &e->received : &e->sent;
        expect((uint64_t)data->count * data->type_size == 128 && data->bytes == 128, "size", e->function);
        expect(data->world >= 0 && data->world < 4 && data->tag >= 0 && data->tag < 4, "partner",
               e->function);
        expect(other->partner == EFGTRACE_NO_PARTNER && !other->bytes, "other direction", e->function);
        expect(e->kind == EFGTRACE_POINT2POINT && e->comm.size == 4 && e->comm.id > 1, "communicator",
               e->function);
    }
    if (strcmp(e->function, "MPI_Bcast") == 0)
        expect(e->root == 0 && e->kind == EFGTRACE_ONE2ALL && e->received.bytes == 8, "root", e->function);
}

static void pos(const struct efgtrace_event *e)
{
    expect(before.function && e->function == before.function && e->path == before.path, "no pre",
           e->function);
    expect(e->enter >= before.enter && e->leave >= e->enter && host->now() >= e->leave, "times", e->function);
    expect(e->node < NODES && e->node_hash && e->is_watched && !e->result, "node", e->function);
    expect(!hash[e->node % NODES] || hash[e->node % NODES] == e->node_hash, "another node", e->function);
    hash[e->node % NODES] = e->node_hash;
    check_path(e);
    check_data(e);
    before.function = NULL;
    left = e->leave;
    bytes += e->sent.bytes;
    calls++;
}

static void loop(const struct efgtrace_loop *l)
{
    expect(l->hash && strlen(l->name) == 10, "loop", l->name);
    loops++;
}

static void iteration(const struct efgtrace_iteration *i)
{
    expect(!iterations || i->number == last + 1 || loops > 1, "number of an iteration", "");
    last = i->number;
    iterations++;
}

static void window(const struct efgtrace_window *w)
{
    expect(w->is_open ? opened == closed : opened == closed + 1, "window", "");
    if (w->is_open)
        opened++;
    else
        closed++;
}

static void finalize(const struct efgtrace_host *h)
{
    expect(loops && iterations && opened == closed && opened, "nothing was found", "");
    h->line(*wrong ? wrong : "all is right");
    h->line(options);
    h->number("calls", "", calls);
    h->number("bytes", "B", bytes);
    h->number("last", "", last);
    h->section("a\tb\\c\n");
}

EFGTRACE_PLUGIN = {.version = EFGTRACE_PLUGIN_VERSION,
                   .init = init,
                   .pre = pre,
                   .pos = pos,
                   .loop = loop,
                   .iteration = iteration,
                   .window = window,
                   .finalize = finalize};
