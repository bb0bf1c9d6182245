/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects what plug-ins say. Only while one finishes is there a speaker.
 */
#include "said.h"

#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "files/run/said.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"

#define NUMBERS 32
#define LINES 16
#define LENGTH 200                /* bytes of a line or a name */
#define SECTION ((size_t)1 << 20) /* bytes of a section */

static struct efg_buffer said, sections;
static struct {
    const struct efg_plugin *plugin; /* NULL: nobody */
    unsigned numbers, lines;
    size_t bytes; /* of its section */
    bool is_cut;
} speaker;

/* What has its place between tabs. */
static void clean(char *text, size_t size, const char *from)
{
    size_t length = strnlen(from ? from : "", size - 1);

    for (size_t i = 0; i < length; i++)
        text[i] = (unsigned char)from[i] < ' ' ? ' ' : from[i];
    text[length] = '\0';
}

/* Whether there is a speaker, and MAY go on. */
static bool may(bool go_on)
{
    if (speaker.plugin && !go_on && !speaker.is_cut) {
        speaker.is_cut = true;
        efg_note("plug-in %s says more than there is room for: the rest is left out", speaker.plugin->name);
    }
    return speaker.plugin && go_on;
}

static void put(const char *name, const char *unit, uint64_t value)
{
    uint32_t rank = (uint32_t)efg_job.rank;
    char text[LENGTH + 1], behind[32], plugin[LENGTH];

    clean(plugin, sizeof plugin, speaker.plugin->name);
    clean(text, sizeof text, name);
    clean(behind, sizeof behind, unit);
    efg_said_put(&said, &(struct efg_said_item){.plugin = plugin,
                                                .name = text,
                                                .unit = unit ? behind : NULL,
                                                .ranks = 1,
                                                .sum = value,
                                                .least = value,
                                                .most = value,
                                                .least_rank = rank,
                                                .most_rank = rank});
}

static void say_number(const char *name, const char *unit, uint64_t value)
{
    if (may(speaker.numbers++ < NUMBERS))
        put(name, unit ? unit : "", value);
}

static void say_line(const char *text)
{
    if (may(speaker.lines++ < LINES))
        put(text, NULL, 0);
}

static void put_escaped(char c)
{
    static const char from[] = "\n\t\\", to[] = "nt\\";
    const char *found = c ? strchr(from, c) : NULL;

    if (found)
        efg_buffer_put(&sections, (char[]){'\\', to[found - from]}, 2);
    else
        efg_buffer_put(&sections, &c, 1);
}

static void say_section(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    char name[LENGTH];

    if (!length || !may(speaker.bytes + length <= SECTION))
        return;
    speaker.bytes += length;
    clean(name, sizeof name, speaker.plugin->name);
    efg_buffer_print(&sections, "%s\t", name);
    for (size_t i = 0; i < length; i++)
        put_escaped(text[i]);
    efg_buffer_print(&sections, "\n");
}

static uint64_t now(void)
{
    return efg_clock_ticks() - efg_job.start;
}

const struct efgtrace_host efg_plugins_host = {
    .size = sizeof efg_plugins_host,
    .frames = efg_plugins_frames,
    .now = now,
    .number = say_number,
    .line = say_line,
    .section = say_section,
};

void efg_said_begin(struct efg_plugin *plugin)
{
    memset(&speaker, 0, sizeof speaker);
    speaker.plugin = plugin;
    put("its own time", "ns", __atomic_load_n(&plugin->time, __ATOMIC_RELAXED));
}

/* The text of BUFFER, or NULL. */
static char *text_of(struct efg_buffer *buffer)
{
    if (buffer->size)
        efg_buffer_put(buffer, "", 1);
    return buffer->failed ? NULL : (char *)buffer->data;
}

void efg_said_end(void)
{
    speaker.plugin = NULL;
    efg_job.said = text_of(&said);
    efg_job.sections = text_of(&sections);
}
