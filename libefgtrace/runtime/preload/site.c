/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks for one key in the machine's file, whatever else is in it. The configuration itself is the runtime's,
 * which may be what is missing.
 */
#include "site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE "/etc/efgtrace.conf"
#define LINE 200

static bool is_on(const char *value)
{
    static const char *const words[] = {"on", "yes", "true", "1"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0)
            return true;
    return false;
}

/* The last line for the key counts. */
static bool is_on_in_file(void)
{
    char line[LINE], value[8];
    bool on = false;
    FILE *file = fopen(MACHINE, "re");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " site = %7[a-z0-9]", value) == 1)
            on = is_on(value);
    if (file)
        fclose(file);
    return on;
}

bool efg_site_is_on(void)
{
    const char *value = getenv("EFGTRACE_SITE");

    return value ? is_on(value) : is_on_in_file();
}
