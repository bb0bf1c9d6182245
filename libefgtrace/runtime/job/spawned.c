/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * That there is a trace of the other world is known by its folder: the makers look for it when they
 * end, and the made ones have been told the name of theirs.
 */
#include "spawned.h"

#include <stdio.h>
#include <stdlib.h>

#include "files/disk/below.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/record/spawn.h"

static struct efg_job *const job = &efg_job;

/* --- who made us --- */

/* Asked for at the start: the program may disconnect, and then there was nobody. */
static int is_spawned(void)
{
    static enum { UNKNOWN, NO, YES } answer;
    MPI_Comm parent = MPI_COMM_NULL;
    if (answer == UNKNOWN && !job->is_of_sessions)
        PMPI_Comm_get_parent(&parent);
    if (answer == UNKNOWN)
        answer = parent == MPI_COMM_NULL ? NO : YES;
    return answer == YES;
}

const char *efg_spawned_maker(void)
{
    const char *folder = getenv(EFG_SPAWN_MAKER);
    return is_spawned() && folder && *folder == '/' ? folder : "";
}

/* --- the summary --- */

static void note_made(void)
{
    char folder[EFG_PATH];
    unsigned count = efg_spawn_count();
    if (!count)
        return;
    const char *noun = count == 1 ? "process" : "processes", *verb = count == 1 ? "is" : "are";
    snprintf(folder, sizeof folder, "%.4000s.spawned", job->folder);
    if (*job->folder && efg_below_is_there(folder, 0))
        efg_note_silently("%u spawned %s %s traced in %.200s", count, noun, verb, folder);
    else
        efg_note_silently("%u spawned %s %s not traced", count, noun, verb);
}

void efg_spawned_note(void)
{
    note_made();
    if (!efg_job_is_first() || !is_spawned())
        return;
    const char *maker = efg_spawned_maker();
    if (*maker)
        efg_note_silently("spawned by the program in %.200s", maker);
    else
        efg_note_silently("spawned by another program, whose folder is not known");
}
