/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run file, through all commands that read one. What they print is text that a terminal may
 * be given, JSON and XML that others can read, whatever the file has for names.
 */
#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../efgtrace/clean.h"
#include "../../efgtrace/commands.h"
#include "fuzz.h"

/* No control characters, and UTF-8 where it is not ASCII. */
static void expect_text(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    fuzz_expect(strlen(copy) == size, "no NUL bytes");
    for (char *c = copy; *c; c++)
        *c = *c == '\n' || *c == '?' ? ' ' : *c;
    fuzz_expect(!strchr(efg_clean(copy), '?'), "no control characters, and valid UTF-8");
    free(copy);
}

static void expect_json(const char *text, size_t size)
{
    cJSON *document = size ? cJSON_ParseWithLength(text, size) : NULL;
    fuzz_expect(document != NULL || !size, "valid JSON");
    cJSON_Delete(document);
}

/* Without the page's own parts: no data ends them, or begins others. */
static void expect_page(const char *text, size_t size)
{
    const char *data = strstr(text, "<script type=\"application/json\" id=\"document\">");
    const char *end = data ? strstr(data, "</script>") : NULL;
    fuzz_expect(!size || (data && end), "a page with data");
    if (!size)
        return;
    data = strchr(data, '>') + 1;
    fuzz_expect(!memchr(data, '<', (size_t)(end - data)), "data without markup");
    expect_json(data, (size_t)(end - data));
}

struct command {
    int (*call)(int argc, char **argv);
    const char *argv[6];
    void (*expect)(const char *text, size_t size);
};

/* DIR: the folder. Of the order of calls the beginning: a few bytes may stand for as many calls
 * as they like. */
#define DIR "DIR"
static const struct command commands[] = {
    {efg_cmd_report, {"report", "--all", DIR}, expect_text},
    {efg_cmd_report, {"report", "--signatures", DIR}, expect_text},
    {efg_cmd_report, {"report", DIR, "--html", "/dev/stdout"}, expect_page},
    {efg_cmd_graph, {"graph", "--all", DIR}, expect_text},
    {efg_cmd_graph, {"graph", "--signature", "none", DIR}, expect_text},
    {efg_cmd_graph, {"graph", "-f", "json", DIR}, expect_json},
    {efg_cmd_graph, {"graph", "-f", "graphml", DIR}, expect_text},
    {efg_cmd_profile, {"profile", "--all", DIR}, expect_text},
    {efg_cmd_profile, {"profile", "-f", "latex", DIR}, expect_text},
    {efg_cmd_profile, {"profile", "-f", "json", DIR}, expect_json},
    {efg_cmd_compare, {"compare", "--all", DIR, DIR}, expect_text},
    {efg_cmd_compare, {"compare", "-f", "json", DIR, DIR}, expect_json},
    {efg_cmd_expand, {"expand", "--paths", "--to", "1000", DIR}, expect_text},
    {efg_cmd_pack, {"pack", DIR}, expect_text},
};

static int call(const struct command *command)
{
    static char arguments[6][128];
    char *argv[7] = {NULL};
    int argc = 0;
    for (; argc < 6 && command->argv[argc]; argc++) {
        const char *word = command->argv[argc];
        snprintf(arguments[argc], sizeof arguments[argc], "%s",
                 strcmp(word, DIR) ? word : fuzz_folder());
        argv[argc] = arguments[argc];
    }
    optind = 0;
    return command->call(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t printed;
    const char *text;
    fuzz_write("run.efg", bytes, size);
    fuzz_printed(&printed);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        fuzz_allow(8 << 20, 2000, size);
        int code = call(&commands[i]);
        fuzz_done();
        text = fuzz_printed(&printed);
        (code ? expect_text : commands[i].expect)(text, printed);
        if (code && !i)
            break; /* the others say the same */
    }
    return 0;
}
