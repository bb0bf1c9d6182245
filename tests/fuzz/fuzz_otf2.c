/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log that is made a trace. Memory: OTF2 takes 1 MB and more a file that is open.
 */
#include <getopt.h>
#include <stdio.h>

#include "cli/commands.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char dir[128];
    size_t printed;
    snprintf(dir, sizeof dir, "%s/job", fuzz_folder());
    fuzz_write("job/logs/0.0.log", bytes, size);
    fuzz_printed(&printed);
    fuzz_allow(64 << 20, 1000, size);
    optind = 0;
    efg_cmd_trace(2, (char *[]){"trace", dir, NULL});
    fuzz_done();
    fuzz_empty("job");
    return 0;
}
