/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols_lack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/summary/summary.h"

#define DEBIAN "debuginfod.debian.net" /* has the debug files of all that is in Debian */

/* Servers are asked by build id. */
static void tell_of_servers(const struct efg_symbols_lack *lack)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    if (!*lack->file)
        printf("  by a build id it cannot be found, as it has none: servers are not asked\n");
    else if (!servers || !*servers)
        printf("  no server was asked, as DEBUGINFOD_URLS is not set\n");
    else if (lack->servers_said == -ENOSYS)
        printf("  no server was asked, as libdebuginfod is not installed (Debian: libdebuginfod1)\n");
    else if (lack->servers_said == -ENOENT)
        printf("  the servers of DEBUGINFOD_URLS do not have it\n");
    else
        printf("  the servers of DEBUGINFOD_URLS: %s\n", strerror(-lack->servers_said));
}

static void tell_of_module(const char *module, uint32_t places, const struct efg_symbols_lack *lack,
                           const char *folder)
{
    if (lack->is_gone) {
        printf("%s cannot be read: %u places have no name;\n", module, places);
        printf("  only where it is can they get one, as its debug file is found by what is in it\n");
        return;
    }
    printf("%s is stripped: %u places have no name; its debug file was looked for:\n", module, places);
    if (*lack->file && folder)
        printf("    %s/%s\n", folder, lack->file);
    if (*lack->file)
        printf("    %s/%s\n", EFG_DEBUG_FOLDER, lack->file);
    if (lack->link)
        printf("    %s beside it, and below %s\n", lack->link, EFG_DEBUG_FOLDER);
    tell_of_servers(lack);
}

/* Of MODULE, as an example. */
static void tell_how_to_get(const char *module, const char *dir)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    printf("In packages of Debian:\n");
    if (!servers || !strstr(servers, DEBIAN))
        printf("    DEBUGINFOD_URLS=https://" DEBIAN " efgtrace symbols %s\n", dir);
    printf("    find-dbgsym-packages %s\n", module);
    printf("  of debian-goodies: names what to install, from the archive debian-debug\n");
    printf("Of your own: what it was before it was stripped, as FOLDER/%s.debug, and\n",
           efg_summary_last_part(module));
    printf("    efgtrace symbols --debug FOLDER %s\n", dir);
}

void efg_symbols_tell_lacks(struct efg_symbols *symbols, const struct efg_run *run, const uint32_t *nameless,
                            const char *folder, const char *dir)
{
    const struct efg_run_names *names = &run->common.names;
    const char *most = NULL;
    uint32_t places = 0;
    for (uint32_t i = 0; i < names->module_count; i++) {
        struct efg_symbols_lack lack;
        if (!nameless[i] || !efg_symbols_lack(symbols, names->modules[i], &lack))
            continue;
        tell_of_module(names->modules[i], nameless[i], &lack, folder);
        if (!lack.is_gone && nameless[i] > places) {
            most = names->modules[i];
            places = nameless[i];
        }
    }
    if (most)
        tell_how_to_get(most, dir);
}
