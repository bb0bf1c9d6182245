/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What rank 0 does alone for the trace of a large job: bench_locations LOG DIR [RANKS...]
 *
 * LOG is that of a rank of a real job (--keep-logs). RANKS ranks (default 10000 to 1000000), 128 on a host,
 * have one like it, so all that they define is the same but for who they are. As in MPI_Finalize, what each
 * log needs is unified, each rank gets its map, and the global definitions are written to an archive in DIR.
 * Processor time of each step, and memory. Scans and maps of all ranks are held at once there; here only
 * what the unifier keeps counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/disk/below.h"
#include "files/otf2/otf2.h"
#include "measure.h"

#define PER_HOST 128

static void fail(const char *what)
{
    fprintf(stderr, "bench_locations: %s\n", what);
    exit(1);
}

static double seconds(void)
{
    return measure_time(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

static struct efg_otf2_unifier *unify_all(const struct efg_log_view *log, uint32_t ranks, uint64_t *bytes,
                                          double *took)
{
    struct efg_log_header header = *log->header;
    struct efg_log_view view = *log;
    struct efg_symbols *symbols = efg_symbols_new();
    struct efg_otf2_unifier *u = symbols ? efg_otf2_unifier_new(symbols) : NULL;

    view.header = &header;
    header.ranks = ranks;
    for (uint32_t rank = 0; rank < ranks && u; rank++) {
        struct efg_buffer scan = {0};
        header.rank = rank;
        snprintf(header.host, sizeof header.host, "host%06u", rank / PER_HOST);
        int error = efg_otf2_scan(&view, &scan); /* by the rank itself: its time does not count */
        double begin = seconds();
        if (error || efg_otf2_unify(u, scan.data, scan.size) < 0)
            fail("the log cannot be unified");
        *took += seconds() - begin;
        *bytes += scan.size;
        efg_buffer_fini(&scan);
    }
    return u;
}

static double make_maps(struct efg_otf2_unifier *u, uint32_t ranks, uint64_t *bytes)
{
    double begin = seconds();

    for (uint32_t i = 0; i < ranks; i++) {
        struct efg_buffer map = {0};
        if (efg_otf2_map(u, (int)i, &map))
            fail("no memory");
        *bytes += map.size;
        efg_buffer_fini(&map);
    }
    return seconds() - begin;
}

static double define(struct efg_otf2_unifier *u, uint32_t ranks, const char *dir)
{
    uint64_t *events = calloc(ranks, sizeof *events);

    if (!events || efg_otf2_make(dir, 0))
        fail("the archive cannot be made");
    OTF2_Archive *archive = efg_otf2_open(dir, 0, 0);
    if (!archive || OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS)
        fail("the archive cannot be opened");
    double begin = seconds();
    if (efg_otf2_define(u, archive, events, false) || efg_otf2_close(archive))
        fail("the definitions cannot be written");
    double took = seconds() - begin;
    if (efg_otf2_publish(dir, 0))
        fail("the archive cannot be published");
    free(events);
    return took;
}

static void measure(const struct efg_log_view *log, uint32_t ranks, const char *dir)
{
    uint64_t scans = 0, maps = 0;
    double unified = 0;
    char path[4096];
    struct efg_otf2_unifier *u = unify_all(log, ranks, &scans, &unified);
    if (!u)
        fail("no memory");
    double mapped = make_maps(u, ranks, &maps), defined = define(u, ranks, dir);

    snprintf(path, sizeof path, "%s/traces.def", dir);
    printf("%8u %8.2f %8.2f %8.2f %8.2f %10.2f %8.0f %8.0f %10.1f %8.0f\n", ranks, unified, mapped, defined,
           unified + mapped + defined, 1e6 * (unified + mapped + defined) / ranks, (double)scans / ranks,
           (double)maps / ranks, (double)efg_below_size(path, 1) / 1e6,
           (double)measure_status("VmHWM") / 1e3);
    efg_otf2_unifier_free(u);
    efg_otf2_remove(dir, 0);
}

int main(int argc, char **argv)
{
    static char *const usual[] = {"10000", "100000", "1000000", NULL};
    struct efg_log_view log;
    const char *why;

    if (argc > 2)
        efg_below_make_folder(argv[2], 0);
    if (argc < 3 || efg_log_open(&log, argv[1], &why))
        fail("usage: bench_locations LOG DIR [RANKS...]");
    printf("%8s %8s %8s %8s %8s %10s %8s %8s %10s %8s\n", "ranks", "unify s", "maps s", "define s", "all s",
           "us a rank", "scan B", "map B", "defs MB", "peak MB");
    for (char *const *ranks = argc > 3 ? argv + 3 : usual; *ranks; ranks++)
        measure(&log, (uint32_t)strtoul(*ranks, NULL, 10), argv[2]);
    return 0;
}
