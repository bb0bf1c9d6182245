/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A configuration: as a file, and its lines as variables of the environment. What is accepted
 * is shown as text that means the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/conf/conf.h"
#include "fuzz.h"

static struct efg_conf conf, again;
static char message[512];

static void expect_shown(void)
{
    char value[4096], other[4096];
    efg_conf_default(&again);
    for (const struct efg_key *key = efg_conf_keys(); key->name; key++) {
        efg_conf_show(&conf, key->name, value, sizeof value);
        fuzz_expect(!efg_conf_set(&again, key->name, value, "here", message, sizeof message),
                    "a value that is shown to be accepted");
        efg_conf_show(&again, key->name, other, sizeof other);
        fuzz_expect(!strcmp(value, other), "a value to mean what it is shown as");
        fuzz_expect(*efg_conf_source(&conf, key->name) != '\0', "where a value came from");
    }
}

static void expect_message(int error)
{
    fuzz_expect(!error || (*message && memchr(message, '\0', sizeof message)), "a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1), *variables[64];
    size_t count = 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    const char *path = fuzz_write("efgtrace.conf", bytes, size);

    fuzz_allow(64 << 10, 16, size);
    efg_conf_default(&conf);
    *message = '\0';
    int error = efg_conf_read(&conf, path, message, sizeof message);
    expect_message(error);
    expect_shown();

    for (char *line = strtok(text, "\n"); line && count < 63; line = strtok(NULL, "\n"))
        if (strncmp(line, "EFGTRACE_CONF=", 14))
            variables[count++] = line;
    variables[count] = NULL;
    *message = '\0';
    error = efg_conf_load(&conf, variables, message, sizeof message);
    expect_message(error);
    expect_shown();
    fuzz_done();
    free(text);
    return 0;
}
