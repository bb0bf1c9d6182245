/* SPDX-License-Identifier: BSD-3-Clause */
#include "printed.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clean.h"
#include "fuzz.h"

/* No control characters, and UTF-8 where it is not ASCII. */
void fuzz_expect_text(const char *text, size_t size)
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

void fuzz_expect_json(const char *text, size_t size)
{
    cJSON *document = size ? cJSON_ParseWithLength(text, size) : NULL;
    fuzz_expect(document != NULL || !size, "valid JSON");
    cJSON_Delete(document);
}

/* Without the page's own parts: no data ends them, or begins others. */
void fuzz_expect_page(const char *text, size_t size)
{
    const char *data = strstr(text, "<script type=\"application/json\" id=\"document\">");
    const char *end = data ? strstr(data, "</script>") : NULL;
    fuzz_expect(!size || (data && end), "a page with data");
    if (!size)
        return;
    data = strchr(data, '>') + 1;
    fuzz_expect(!memchr(data, '<', (size_t)(end - data)), "data without markup");
    fuzz_expect_json(data, (size_t)(end - data));
}

static int call(const struct fuzz_command *command)
{
    static char words[FUZZ_WORDS][128];
    char *argv[FUZZ_WORDS + 1] = {NULL};
    int argc = 0;
    for (; argc < FUZZ_WORDS && command->argv[argc]; argc++) {
        const char *word = command->argv[argc];
        size_t stem = strncmp(word, FUZZ_DIR, strlen(FUZZ_DIR)) ? 0 : strlen(FUZZ_DIR);
        snprintf(words[argc], sizeof words[argc], "%s%s", stem ? fuzz_folder() : "", word + stem);
        argv[argc] = words[argc];
    }
    optind = 0;
    return command->call(argc, argv);
}

int fuzz_call(const struct fuzz_command *command, size_t base, size_t factor, size_t size)
{
    size_t printed;
    fuzz_printed(&printed); /* what was left */
    fuzz_allow(base, factor, size);
    int code = call(command);
    fuzz_done();
    const char *text = fuzz_printed(&printed);
    (code ? fuzz_expect_text : command->expect)(text, printed);
    return code;
}
