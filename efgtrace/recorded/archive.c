/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the archive of a trace, in a process that does nothing else.
 *
 * What would make the library wait for ever is looked for first: event files without an end.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/disk/below.h"
#include "parts.h"

/* What is wrong with the file NAME of the archive in DIR, into TEXT; 0: nothing. */
static bool find_fault(const char *dir, const char *name, unsigned below, char *text, size_t size)
{
    char path[PATH_MAX + 512];
    unsigned char end[2] = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int file = efg_below_open(path, below, O_RDONLY);
    if (file < 0) {
        snprintf(text, size, "its file %s: %s", name, efg_below_explain(file));
        return true;
    }
    bool is_whole = lseek(file, -2, SEEK_END) >= 0 && read(file, end, 2) == 2 && end[0] == 2 && end[1] == 1;
    close(file);
    if (!is_whole)
        snprintf(text, size, "its file %s is cut short", name);
    return !is_whole;
}

/* The same for those that say what is in it, all but the first one, which has another end. */
static bool find_cut(const char *dir, char *text, size_t size)
{
    char path[PATH_MAX + 512];
    snprintf(path, sizeof path, "%s/traces", dir);
    DIR *events = efg_below_list(path, 1);
    bool found = !events;
    if (!events)
        snprintf(text, size, "its folder traces: %s", efg_below_explain(-errno));
    else
        found = find_fault(dir, "traces.def", 1, text, size);
    for (struct dirent *entry; !found && (entry = readdir(events));) {
        snprintf(path, sizeof path, "traces/%s", entry->d_name);
        found = *entry->d_name != '.' && find_fault(dir, path, 2, text, size);
    }
    if (events)
        closedir(events);
    return found;
}

OTF2_Reader *efg_recorded_open(const char *dir, char *text, size_t size)
{
    char path[PATH_MAX + 512];
    int folder = efg_below_hold(dir, 0);
    snprintf(path, sizeof path, "%s/traces.otf2", dir);
    int anchor = efg_below_open(path, 1, O_RDONLY);
    if (folder < 0 || anchor < 0) {
        snprintf(text, size, "its file traces.otf2: %s", efg_below_explain(folder < 0 ? folder : anchor));
        return NULL;
    }
    close(anchor);
    if (find_cut(dir, text, size))
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d/traces.otf2", folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (reader && OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS)
        return reader;
    snprintf(text, size, "it is no OTF2 trace");
    return NULL;
}

int efg_recorded_open_events(OTF2_Reader *reader, const struct efg_recorded_definitions *d)
{
    for (uint32_t i = 0; i < d->place_count; i++)
        if (OTF2_Reader_SelectLocation(reader, d->place[i].id) != OTF2_SUCCESS)
            return -EBADMSG;
    if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS || OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
        return -EBADMSG;
    return 0;
}

int efg_recorded_read_events(OTF2_Reader *reader, uint64_t location, const OTF2_EvtReaderCallbacks *callbacks,
                             void *data)
{
    uint64_t count;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    if (definitions && (OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) != OTF2_SUCCESS ||
                        OTF2_Reader_CloseDefReader(reader, definitions) != OTF2_SUCCESS))
        return -EBADMSG;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    if (!events || OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, data) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllLocalEvents(reader, events, &count) != OTF2_SUCCESS ||
        OTF2_Reader_CloseEvtReader(reader, events) != OTF2_SUCCESS)
        return -EBADMSG;
    return 0;
}
