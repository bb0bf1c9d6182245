/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions of scripts are made and read here, and nowhere else. */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MARK "python:"

void efg_script_name(char *name, size_t size, const char *function, uint32_t first_line, const char *file)
{
    snprintf(name, size, MARK "%s:%u:%s", function, first_line, file);
}

uint64_t efg_script_hash(const char *name)
{
    const char *file = strrchr(name, ':'), *base = file ? strrchr(file, '/') : NULL;
    size_t before = file ? (size_t)(file - name) : 0;
    base = base ? base + 1 : name + before;
    return efg_hash_bytes(efg_hash_bytes(0, name, before), base, strlen(base));
}

bool efg_script_is(const char *name)
{
    return strncmp(name, MARK, sizeof MARK - 1) == 0;
}

bool efg_script_read(const char *name, char *function, size_t size, uint32_t *first_line, const char **file)
{
    const char *begin = name + sizeof MARK - 1;
    const char *end = efg_script_is(name) ? strchr(begin, ':') : NULL;
    if (!end || !strchr(end + 1, ':'))
        return false;
    snprintf(function, size, "%.*s", (int)(end - begin), begin);
    *first_line = (uint32_t)strtoul(end + 1, NULL, 10);
    *file = strchr(end + 1, ':') + 1;
    return true;
}
