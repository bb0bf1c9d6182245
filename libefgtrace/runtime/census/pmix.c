/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board of PMIx: a key of each process, put before MPI's own PMIx_Commit, so that it
 * travels with what MPI puts.
 *
 * PMIx comes with MPI, in a version and from a place that only MPI knows: so it is neither
 * linked nor included. What is passed to it is declared here as its standard lays it out since
 * version 3.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define KEY "efgtrace.notice"
#define PATIENCE 10 /* s, for servers that take a question for a thing to wait for */
enum { TYPE_BOOL = 1, TYPE_INT = 6, TYPE_UINT32 = 14 }; /* of a value */
enum { SCOPE_GLOBAL = 3, SUCCESS = 0 };

struct process {
    char space[256];
    uint32_t rank;
};

struct value {
    uint16_t type;
    union {
        bool flag;
        int integer;
        uint32_t uint32;
        void *longest[3];
    } data;
};

struct info {
    char key[512];
    uint32_t flags;
    struct value value;
};

typedef int put_function(uint8_t scope, const char *key, struct value *value);
typedef int get_function(const struct process *process, const char *key, const struct info *infos,
                         size_t count, struct value **value);

static get_function *get_value;
static bool is_pinned;

void efg_pmix_pin(void *put, void *get, enum efg_notice notice)
{
    struct value value = {.type = TYPE_UINT32, .data.uint32 = (uint32_t)notice};
    const char *space = getenv("PMIX_NAMESPACE");
    put_function *put_value = (put_function *)put;
    if (is_pinned || !put || !get || !space || strlen(space) >= sizeof(struct process){0}.space)
        return;
    get_value = (get_function *)get;
    is_pinned = put_value(SCOPE_GLOBAL, KEY, &value) == SUCCESS;
}

bool efg_pmix_is_pinned(void)
{
    return is_pinned;
}

enum efg_notice efg_pmix_read(int rank)
{
    static const struct info how[2] = {
        {"pmix.immediate", 0, {TYPE_BOOL, {.flag = true}}},
        {"pmix.timeout", 0, {TYPE_INT, {.integer = PATIENCE}}},
    };
    struct process process = {.rank = (uint32_t)rank};
    struct value *value = NULL;
    enum efg_notice notice = EFG_NOTICE_NONE;
    snprintf(process.space, sizeof process.space, "%s", getenv("PMIX_NAMESPACE"));
    if (get_value(&process, KEY, how, 2, &value) == SUCCESS && value && value->type == TYPE_UINT32)
        notice = (enum efg_notice)value->data.uint32;
    free(value);
    return notice;
}
