/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages on standard error. Any thread may give one that is kept, so there is a
 * lock; a thread that jumps out of a signal handler leaves it free.
 */
#include "notes.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "runtime/base/signals.h"

#define MOST 512 /* bytes of a message */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[4096]; /* for the run file: what went wrong, or should be known */

/* Keep what FORMAT and ARGUMENTS make, which is in TEXT then. Returns false if there is no room left. */
static bool keep(char text[MOST], const char *format, va_list arguments)
{
    struct efg_signals signals;

    vsnprintf(text, MOST, format, arguments);
    efg_signals_lock(&signals, &lock);
    size_t used = strlen(kept);
    int room = (int)(sizeof kept - used) - 3;
    if (room > 0)
        snprintf(kept + used, sizeof kept - used, "%s%.*s", used ? "; " : "", room, text);
    efg_signals_unlock(&signals, &lock);
    return room > 0;
}

void efg_note(const char *format, ...)
{
    char text[MOST];
    va_list arguments;

    va_start(arguments, format);
    bool is_kept = keep(text, format, arguments);
    va_end(arguments);
    if (is_kept && !efg_job.conf.is_record)
        fprintf(stderr, "efgtrace: rank %d: %s\n", efg_job.rank, text);
}

void efg_note_silently(const char *format, ...)
{
    char text[MOST];
    va_list arguments;

    va_start(arguments, format);
    keep(text, format, arguments);
    va_end(arguments);
}

char *efg_notes(void)
{
    struct efg_signals signals;

    efg_signals_lock(&signals, &lock);
    char *copy = strdup(kept);
    efg_signals_unlock(&signals, &lock);
    return copy;
}

void efg_tell(uint64_t now, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (!efg_job_is_first() || !efg_job.conf.verbose || efg_job.conf.is_record)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "efgtrace: %.3f s: %s\n", (double)(now - efg_job.start) / 1e9, text);
}
