/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run file, through all commands that read one. What they print is text that a terminal may
 * be given, JSON and XML that others can read, whatever the file has for names.
 */
#include "cli/commands.h"
#include "fuzz.h"
#include "printed.h"

/* Of the order of calls the beginning: a few bytes may stand for as many calls as they like. */
static const struct fuzz_command commands[] = {
    {efg_cmd_report, {"report", "--all", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_report, {"report", "--signatures", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_report, {"report", "--json", FUZZ_DIR}, fuzz_expect_json},
    {efg_cmd_report, {"report", FUZZ_DIR, "--html", "-o", "-"}, fuzz_expect_page},
    {efg_cmd_graph, {"graph", "--all", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_graph, {"graph", "--signature", "none", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_graph, {"graph", "-f", "json", FUZZ_DIR}, fuzz_expect_json},
    {efg_cmd_profile, {"profile", "--all", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_profile, {"profile", "-f", "text", "--all", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_profile, {"profile", "-f", "latex", FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_profile, {"profile", "-f", "json", FUZZ_DIR}, fuzz_expect_json},
    {efg_cmd_compare, {"compare", "--all", FUZZ_DIR, FUZZ_DIR}, fuzz_expect_text},
    {efg_cmd_compare, {"compare", "-f", "json", FUZZ_DIR, FUZZ_DIR}, fuzz_expect_json},
    {efg_cmd_compare, {"compare", "-f", "html", FUZZ_DIR, FUZZ_DIR}, fuzz_expect_page},
    {efg_cmd_expand, {"expand", "--paths", "--to", "1000", FUZZ_DIR}, fuzz_expect_text},
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_write("run.efg", bytes, size);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (fuzz_call(&commands[i], 8 << 20, 2000, size) && !i)
            break; /* the others say the same */
    return 0;
}
