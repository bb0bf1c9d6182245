/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log, through all that reads one, but for what writes OTF2 (fuzz_otf2.c): its records, what
 * it needs defined, its messages. What one process would send to others is read as it came, and
 * as the fuzzer likes it: the bytes of the log are those of a message, too.
 */
#include "files/log/trim.h"
#include "files/match/channels.h"
#include "files/otf2/otf2.h"
#include "fuzz.h"

static void read_records(const struct efg_log_view *view)
{
    struct efg_log_reader reader = {.view = view};
    const struct efg_record *record;
    const void *payload;
    uint64_t sum = 0;
    while ((record = efg_log_read(&reader, &payload))) {
        fuzz_expect(reader.at <= view->count, "records within the log");
        for (uint64_t i = 0; payload && i < record->d; i++)
            sum += ((const unsigned char *)payload)[i];
    }
    fuzz_expect(sum < UINT64_MAX, "a sum"); /* it is needed, so all bytes are read */
}

static void unify(const void *scan, size_t size)
{
    struct efg_symbols *symbols = efg_symbols_new();
    struct efg_otf2_unifier *unifier = efg_otf2_unifier_new(symbols);
    struct efg_buffer map = {0};
    int index = efg_otf2_unify(unifier, scan, size);
    if (index >= 0)
        efg_otf2_map(unifier, index, &map);
    efg_buffer_fini(&map);
    efg_otf2_unifier_free(unifier);
    efg_symbols_free(symbols);
}

static void define(const struct efg_log_view *view)
{
    struct efg_buffer scan = {0};
    if (!efg_otf2_scan(view, NULL, &scan) && view->header->ranks < 1000)
        unify(scan.data, scan.size);
    efg_buffer_fini(&scan);
}

static void conclude(struct efg_channels *channels)
{
    struct efg_skew skew = {0};
    struct efg_strays strays = {0};
    efg_channels_prove(channels, UINT32_MAX, NULL);
    efg_channels_match(channels, UINT32_MAX);
    efg_channels_suspects(channels, UINT32_MAX);
    efg_channels_gaps(channels, UINT32_MAX, &skew);
    efg_skew_solve(&skew, EFG_SKEW_LATENCY);
    efg_channels_strays(channels, UINT32_MAX, &strays);
    efg_strays_fini(&strays);
    efg_skew_fini(&skew);
}

/* What a rank sends to each other, and gets from them. */
static void exchange(struct efg_channels *channels)
{
    struct efg_channels other = {0};
    efg_channels_sort(channels);
    for (uint32_t at = 0; at < channels->count;) {
        struct efg_buffer block = {0};
        efg_channels_put(channels, &at, &block);
        fuzz_expect(!block.size || !efg_channels_get(&other, block.data, block.size),
                    "what is put to be read");
        efg_buffer_fini(&block);
    }
    conclude(&other);
    efg_channels_fini(&other);
}

static void match(const struct efg_log_view *view, const uint8_t *bytes, size_t size)
{
    struct efg_channels channels = {0};
    efg_channels_add(&channels, view);
    exchange(&channels);
    conclude(&channels);
    efg_channels_get(&channels, bytes, size);
    efg_channels_get_back(&channels, bytes, size);
    conclude(&channels);
    efg_channels_fini(&channels);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct efg_log_view view;
    const char *path = fuzz_write("0.0.log", bytes, size), *why;
    fuzz_allow(1 << 20, 100, size);
    if (efg_log_open(&view, path, &why) == 0) {
        const uint8_t *records = size > EFG_LOG_HEADER ? bytes + EFG_LOG_HEADER : bytes;
        size_t length = size > EFG_LOG_HEADER ? size - EFG_LOG_HEADER : 0;
        read_records(&view);
        define(&view);
        match(&view, records, length);
        efg_log_unmap(&view);
    }
    fuzz_done();
    return 0;
}
