/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting as JSON: of all, of locations, of sites, of pairs of ranks, of iterations.
 */
#include "json.h"

#include <stdlib.h>

#include "cli/json.h"

#define PAIRS 10000 /* that are told, at most */
#define BRIEF_PAIRS 2000
#define BRIEF_OBJECTS 200
#define LITTLE 0.001 /* of all waiting: sites with less are not told in brief */

const char efg_waits_json_help[] =
    "  waiting  of the recorded iterations: {all W, efficiency {parallel, balance,\n"
    "           serialisation, transfer, time, ideal, most, mean}, path (length of the critical\n"
    "           path), caused, unknown, locations [{rank, thread, W}],\n"
    "           sites [{label, hash, W, caused C, by [[location (index), computation, mpi,\n"
    "           waiting, caused directly and indirectly by the computation before, by the\n"
    "           calls (two numbers each), on the critical path the same two, in MPI if messages\n"
    "           needed no time]]}],\n"
    "           after (by, of what follows the last call),\n"
    "           objects [{kind (communicator, window or file), name, ranks (of its communicator; not\n"
    "           of a file), locations (that use it), calls, time, waiting (both in its calls),\n"
    "           bytes}] by falling time, objects_left_out,\n"
    "           pairs [[rank that waits, rank that it waits for or null, time, waits]] by falling\n"
    "           time, pairs_left_out, iterations [{number, phase, begin, end, locations, longest,\n"
    "           efficiency {parallel, balance, serialisation, transfer}, W}],\n"
    "           messages {matched, alone}, collectives {calls, unmatched}, epochs {all, alone}\n"
    "           (of MPI_Win_start and MPI_Win_post)}\n"
    "           W: {time, computation, mpi, transfer, waiting {KIND: time}, calls}; time =\n"
    "           computation + mpi, mpi = transfer + waiting. by: with the computation before the\n"
    "           calls. C: {computation {direct, indirect, path}, mpi {the same}}: waiting of\n"
    "           others that was caused\n";

static void add_sum(cJSON *to, const struct efg_waits_sum *sum)
{
    efg_json_number(to, "time", sum->computation + sum->mpi);
    efg_json_number(to, "computation", sum->computation);
    efg_json_number(to, "mpi", sum->mpi);
    efg_json_number(to, "transfer", efg_waits_transfer(sum));
    efg_json_number(to, "calls", sum->calls);
    cJSON *waiting = cJSON_AddObjectToObject(to, "waiting");
    for (int kind = EFG_WAIT_NONE + 1; kind < EFG_WAITS; kind++)
        if (sum->waited[kind])
            efg_json_number(waiting, efg_wait_name((enum efg_wait)kind), sum->waited[kind]);
}

static void put_number(cJSON *array, uint64_t number)
{
    cJSON_AddItemToArray(array, cJSON_CreateNumber((double)number));
}

static void put_rank(cJSON *array, uint32_t rank)
{
    cJSON_AddItemToArray(array, rank == EFG_NONE ? cJSON_CreateNull() : cJSON_CreateNumber(rank));
}

static void add_locations(cJSON *to, const struct efg_waits *waits)
{
    cJSON *locations = cJSON_AddArrayToObject(to, "locations");
    for (uint32_t i = 0; i < waits->location_count; i++) {
        cJSON *location = cJSON_CreateObject();
        efg_json_number(location, "rank", waits->locations[i].rank);
        efg_json_number(location, "thread", waits->locations[i].thread);
        add_sum(location, &waits->locations[i].sum);
        cJSON_AddItemToArray(locations, location);
    }
}

/* --- sites --- */

static void add_cost(cJSON *to, const struct efg_waits_cost *cost)
{
    static const char *const parts[EFG_PARTS] = {"computation", "mpi"};
    cJSON *caused = cJSON_AddObjectToObject(to, "caused");
    for (int part = 0; part < EFG_PARTS; part++) {
        cJSON *one = cJSON_AddObjectToObject(caused, parts[part]);
        efg_json_number(one, "direct", (uint64_t)(cost->direct[part] + 0.5));
        efg_json_number(one, "indirect", (uint64_t)(cost->indirect[part] + 0.5));
        efg_json_number(one, "path", cost->path[part]);
    }
}

/* Returns it. */
static cJSON *add_site(cJSON *sites, const struct efg_waits *waits, const struct efg_recorded *recorded,
                       const struct efg_recorded_names *names, uint32_t site)
{
    char label[512];
    struct efg_node node;
    cJSON *to = cJSON_CreateObject();
    efg_recorded_label(names, &recorded->sites[site], label, sizeof label);
    efg_recorded_node(names, &recorded->sites[site], &node);
    efg_json_text(to, "label", label);
    efg_json_hex(to, "hash", node.hash);
    add_sum(to, &waits->sites[site]);
    add_cost(to, &waits->costs[site]);
    cJSON_AddItemToArray(sites, to);
    return to;
}

static void add_place(cJSON *by, const struct efg_waits_place *place)
{
    cJSON *row = cJSON_CreateArray();
    put_number(row, place->location);
    put_number(row, place->sum.computation);
    put_number(row, place->sum.mpi);
    put_number(row, efg_waits_waited(&place->sum));
    for (int part = 0; part < EFG_PARTS; part++) {
        put_number(row, (uint64_t)(place->cost.direct[part] + 0.5));
        put_number(row, (uint64_t)(place->cost.indirect[part] + 0.5));
    }
    for (int part = 0; part < EFG_PARTS; part++)
        put_number(row, place->cost.path[part]);
    put_number(row, place->ideal);
    cJSON_AddItemToArray(by, row);
}

static bool is_little(const struct efg_waits *waits, uint32_t site)
{
    const struct efg_waits_cost *cost = &waits->costs[site];
    double most = (double)efg_waits_waited(&waits->sites[site]);
    for (int part = 0; part < EFG_PARTS; part++) {
        double caused = efg_waits_caused(cost, (enum efg_waits_part)part);
        most = caused > most ? caused : most;
    }
    return most < LITTLE * (double)efg_waits_waited(&waits->all);
}

/* Without what each rank has of them. */
static void add_sites_in_brief(cJSON *to, const struct efg_waits *waits, const struct efg_recorded *recorded,
                               const struct efg_recorded_names *names)
{
    cJSON *sites = cJSON_AddArrayToObject(to, "sites");
    for (uint32_t i = 0; i < waits->site_count; i++)
        if (!is_little(waits, i))
            add_site(sites, waits, recorded, names, i);
}

/* Each site's rows are put into its array, so that places are gone through once. */
static void add_sites(cJSON *to, const struct efg_waits *waits, const struct efg_recorded *recorded,
                      const struct efg_recorded_names *names)
{
    cJSON *sites = cJSON_AddArrayToObject(to, "sites");
    cJSON **by = cJSON_malloc(((size_t)waits->site_count + 1) * sizeof *by);
    for (uint32_t i = 0; by && i < waits->site_count; i++)
        by[i] = cJSON_AddArrayToObject(add_site(sites, waits, recorded, names, i), "by");
    cJSON *after = cJSON_AddArrayToObject(to, "after");
    for (uint32_t i = 0; by && i < waits->place_count; i++)
        add_place(waits->places[i].site == EFG_NONE ? after : by[waits->places[i].site], &waits->places[i]);
    cJSON_free(by);
}

/* --- objects, pairs, iterations --- */

static cJSON *make_object(const struct efg_recorded_object *named, const struct efg_waits_object *object)
{
    static const char *const kinds[] = {
        [EFG_OBJECT_COMM] = "communicator", [EFG_OBJECT_WIN] = "window", [EFG_OBJECT_IO] = "file"};
    cJSON *to = cJSON_CreateObject();
    cJSON_AddStringToObject(to, "kind", kinds[named->kind]);
    efg_json_text(to, "name", named->name);
    if (named->kind != EFG_OBJECT_IO)
        efg_json_number(to, "ranks", named->ranks);
    efg_json_number(to, "locations", object->locations);
    efg_json_number(to, "calls", object->calls);
    efg_json_number(to, "time", object->mpi);
    efg_json_number(to, "waiting", object->waited);
    efg_json_number(to, "bytes", object->bytes);
    return to;
}

static void add_objects(cJSON *to, const struct efg_waits *waits, const struct efg_recorded *recorded,
                        uint32_t most)
{
    uint32_t count, *sorted = efg_waits_objects(waits, &count),
                    left = sorted && count > most ? count - most : 0;
    cJSON *objects = cJSON_AddArrayToObject(to, "objects");
    for (uint32_t i = 0; sorted && i < count - left; i++)
        cJSON_AddItemToArray(objects, make_object(&recorded->objects[sorted[i]], &waits->objects[sorted[i]]));
    efg_json_number(to, "objects_left_out", left);
    free(sorted);
}

static void add_pairs(cJSON *to, const struct efg_waits *waits, uint32_t most)
{
    uint32_t count = waits->pair_count < most ? waits->pair_count : most;
    cJSON *pairs = cJSON_AddArrayToObject(to, "pairs");
    for (uint32_t i = 0; i < count; i++) {
        cJSON *row = cJSON_CreateArray();
        put_rank(row, waits->pairs[i].waiter);
        put_rank(row, waits->pairs[i].other);
        put_number(row, waits->pairs[i].time);
        put_number(row, waits->pairs[i].count);
        cJSON_AddItemToArray(pairs, row);
    }
    efg_json_number(to, "pairs_left_out", waits->pair_count - count);
}

void efg_waits_json_shares(cJSON *to, const struct efg_waits_shares *shares)
{
    cJSON_AddNumberToObject(to, "parallel", shares->parallel);
    cJSON_AddNumberToObject(to, "balance", shares->balance);
    cJSON_AddNumberToObject(to, "serialisation", shares->serialisation);
    cJSON_AddNumberToObject(to, "transfer", shares->transfer);
}

static void add_iterations(cJSON *to, const struct efg_waits *waits)
{
    cJSON *iterations = cJSON_AddArrayToObject(to, "iterations");
    for (uint32_t i = 0; i < waits->iteration_count; i++) {
        const struct efg_waits_iteration *it = &waits->iterations[i];
        cJSON *iteration = cJSON_CreateObject();
        efg_json_number(iteration, "number", efg_recorded_key_number(it->key));
        efg_json_number(iteration, "phase", efg_recorded_key_phase(it->key));
        efg_json_number(iteration, "begin", it->begin);
        efg_json_number(iteration, "end", it->end);
        efg_json_number(iteration, "locations", it->locations);
        efg_json_number(iteration, "longest", it->longest);
        struct efg_waits_shares shares = efg_waits_shares(it);
        efg_waits_json_shares(cJSON_AddObjectToObject(iteration, "efficiency"), &shares);
        add_sum(iteration, &it->sum);
        cJSON_AddItemToArray(iterations, iteration);
    }
}

static void add_efficiency(cJSON *to, const struct efg_waits_efficiency *e)
{
    cJSON *efficiency = cJSON_AddObjectToObject(to, "efficiency");
    cJSON_AddNumberToObject(efficiency, "parallel", e->parallel);
    cJSON_AddNumberToObject(efficiency, "balance", e->balance);
    cJSON_AddNumberToObject(efficiency, "serialisation", e->serialisation);
    cJSON_AddNumberToObject(efficiency, "transfer", e->transfer);
    efg_json_number(efficiency, "time", e->time);
    efg_json_number(efficiency, "ideal", e->ideal);
    efg_json_number(efficiency, "most", e->most);
    efg_json_number(efficiency, "mean", e->mean);
}

cJSON *efg_waits_json(const struct efg_waits *waits, const struct efg_recorded *recorded,
                      const struct efg_recorded_names *names, bool is_brief)
{
    cJSON *to = cJSON_CreateObject();
    add_sum(cJSON_AddObjectToObject(to, "all"), &waits->all);
    add_efficiency(to, &waits->efficiency);
    efg_json_number(to, "path", waits->path);
    efg_json_number(to, "caused", (uint64_t)(waits->caused + 0.5));
    efg_json_number(to, "unknown", (uint64_t)(waits->unknown + 0.5));
    add_objects(to, waits, recorded, is_brief ? BRIEF_OBJECTS : UINT32_MAX);
    add_pairs(to, waits, is_brief ? BRIEF_PAIRS : PAIRS);
    if (is_brief) {
        add_sites_in_brief(to, waits, recorded, names);
    } else {
        add_locations(to, waits);
        add_sites(to, waits, recorded, names);
        add_iterations(to, waits);
    }
    cJSON *messages = cJSON_AddObjectToObject(to, "messages");
    efg_json_number(messages, "matched", waits->messages);
    efg_json_number(messages, "alone", waits->alone);
    cJSON *collectives = cJSON_AddObjectToObject(to, "collectives");
    efg_json_number(collectives, "calls", waits->collectives);
    efg_json_number(collectives, "unmatched", waits->unmatched);
    cJSON *epochs = cJSON_AddObjectToObject(to, "epochs");
    efg_json_number(epochs, "all", waits->epochs);
    efg_json_number(epochs, "alone", waits->epochs_alone);
    return to;
}
