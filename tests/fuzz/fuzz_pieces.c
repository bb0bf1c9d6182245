/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a killed job leaves: a piece, with the segments of its order that were written out
 * before behind it, one file after the other. What can be made of them can be read.
 */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "files/run/parts.h"
#include "fuzz.h"
#include "mutate_run.h"

/* The number of the section of the first rank, 0 if there is none. */
static uint32_t rank_of(const uint8_t *bytes, size_t size)
{
    for (size_t at = EFG_RUN_SECTIONS; at < size && size - at >= EFG_SECTION_HEADER;) {
        struct efg_section section = efg_section_get(bytes + at);
        if (section.kind == EFG_SECTION_RANK)
            return section.number;
        if (section.size > size - at - EFG_SECTION_HEADER)
            break;
        at += EFG_SECTION_HEADER + section.size;
    }
    return 0;
}

static int call(int (*command)(int, char **), const char *name)
{
    char dir[128], word[16];
    snprintf(dir, sizeof dir, "%s/job", fuzz_folder());
    snprintf(word, sizeof word, "%s", name);
    optind = 0;
    return command(2, (char *[]){word, dir, NULL});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t printed, own = run_size(bytes, size);
    uint32_t rank = rank_of(bytes, own);
    char name[64];
    fuzz_printed(&printed);
    snprintf(name, sizeof name, "job/pieces/%u.0.efg", rank);
    fuzz_write(name, bytes, own);
    snprintf(name, sizeof name, "job/logs/%u.0.order", rank);
    fuzz_write(name, bytes + own, size - own);
    fuzz_allow(64 << 20, 2000, size);
    if (call(efg_cmd_trace, "trace") == EFG_EXIT_OK)
        fuzz_expect(call(efg_cmd_report, "report") == EFG_EXIT_OK, "a run file that is read");
    fuzz_done();
    fuzz_empty("job");
    return 0;
}
