/* SPDX-License-Identifier: BSD-3-Clause */
#include "otf2_trace.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/otf2/otf2.h"

char trace_dir[64];
char trace_warnings[4096];

int trace_make_dir(void **state)
{
    (void)state;
    strcpy(trace_dir, "/tmp/efg_test_otf2.XXXXXX");
    trace_warnings[0] = '\0';
    return mkdtemp(trace_dir) ? 0 : -1;
}

int trace_remove_dir(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", trace_dir);
    return system(command);
}

static void note(const char *path, const char *what)
{
    size_t used = strlen(trace_warnings);
    const char *base = strrchr(path, '/');
    snprintf(trace_warnings + used, sizeof trace_warnings - used, "%s: %s\n", base + 1, what);
}

/* Convert the logs of RANKS ranks, thread 0, that were made in dir. */
int trace_convert(int ranks)
{
    static char paths[16][128];
    char *list[16];
    for (int i = 0; i < ranks; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/logs/%d.0.log", trace_dir, ranks - 1 - i);
        list[i] = paths[i];
    }
    struct efg_run_skew skew;
    return efg_otf2_convert(trace_dir, list, ranks, NULL, note, &skew);
}

/* otf2-print has 200 MB of tables, which it goes through although nearly all are empty: with large pages
 * that takes a fifth of the processor time. */
static const char large_pages[] = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=268435456";

int trace_run(const char *format, const char *options)
{
    char command[1024];
    setenv("GLIBC_TUNABLES", large_pages, 1);
    snprintf(command, sizeof command, format, trace_dir, options);
    return system(command);
}

/* Definitions and references are right: of traces of a part of a job. */
void trace_expect_readable(void)
{
    assert_int_equal(trace_run("timeout 60 otf2-print --silent -Werror %s/traces.otf2 >&2%s", ""), 0);
}

static void expect_accepted(const char *checker, const char *options)
{
    char format[600];
    snprintf(format, sizeof format, "/usr/bin/python3 %s %%s/traces.otf2 %%s >%s/report", checker, trace_dir);
    if (trace_run(format, options) != 0) {
        trace_run("cat %s/report >&2%s", "");
        fail();
    }
}

/* The trace is right as far as tools can tell. */
void trace_expect_valid(const char *options)
{
    const char *other = getenv("CHECK_TRACE");
    trace_expect_readable();
    if (other)
        expect_accepted(other, options);
    expect_accepted(CHECKER, options);
}

void trace_expect_in_report(const char *text)
{
    if (trace_run("grep -q -- '%2$s' %1$s/report", text) != 0) {
        trace_run("cat %s/report >&2%s", "");
        fail_msg("no \"%s\"", text);
    }
}

/* --- reading a trace --- */

struct reading {
    FILE *out;
    const char *strings[256];
    uint32_t regions[256]; /* names */
};

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
    struct reading *r = user;
    if (self < 256)
        r->strings[self] = strdup(string);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t first, uint32_t last)
{
    struct reading *r = user;
    (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file;
    (void)first, (void)last;
    if (self < 256)
        r->regions[self] = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct reading *r = user;
    (void)location, (void)attributes;
    fprintf(r->out, "%" PRIu64 " Enter %s\n", time, r->strings[r->regions[region]]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct reading *r = user;
    (void)location, (void)attributes;
    fprintf(r->out, "%" PRIu64 " Leave %s\n", time, r->strings[r->regions[region]]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_switch(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                   OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    struct reading *r = user;
    (void)location, (void)attributes;
    fprintf(r->out, "%" PRIu64 " %s\n", time, mode == OTF2_MEASUREMENT_OFF ? "Off" : "On");
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader, struct reading *r)
{
    uint64_t read;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, r);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
}

static void read_events(OTF2_Reader *reader, struct reading *r, uint64_t location)
{
    uint64_t read;
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_Reader_SelectLocation(reader, location);
    OTF2_Reader_OpenEvtFiles(reader);
    OTF2_Reader_GetEvtReader(reader, location);
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_switch);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, r);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalEvents(reader, events, &read);
    OTF2_Reader_CloseGlobalEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
}

static char *read_trace(uint64_t location)
{
    char path[PATH_MAX], *text = NULL;
    size_t size;
    struct reading r = {0};
    snprintf(path, sizeof path, "%s/traces.otf2", trace_dir);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        return NULL;
    r.out = open_memstream(&text, &size);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    read_definitions(reader, &r);
    read_events(reader, &r, location);
    OTF2_Reader_Close(reader);
    fclose(r.out);
    for (int i = 0; i < 256; i++)
        free((char *)(uintptr_t)r.strings[i]);
    return text;
}

/* --- what is expected of it --- */

void trace_expect_events(uint64_t location, const char *expected)
{
    char *text = read_trace(location);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* Enter and Leave are balanced and in order. */
void trace_expect_balanced(uint64_t location)
{
    char *text = read_trace(location), *stack[64], *save;
    int depth = 0;
    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *name = strrchr(line, ' ') + 1;
        if (strstr(line, " Enter "))
            stack[depth++] = name;
        else if (strstr(line, " Leave ") && (depth == 0 || strcmp(stack[--depth], name) != 0))
            fail_msg("%s", line);
    }
    assert_int_equal(depth, 0);
    free(text);
}
