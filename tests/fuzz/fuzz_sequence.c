/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments of sequences, as run files and logs/RANK.THREAD.order have them: what can be read is
 * gone through, and written and read again it is the same.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "core/order/reader.h"
#include "files/order/sequence_file.h"
#include "fuzz.h"
#include "../unit/equal_segments.h"

/* A few bytes may stand for as many calls as they like: the first ones, and those behind a
 * leap. */
static void go_through(const struct efg_sequence_segment *segment, uint64_t leap)
{
    struct efg_sequence_reader reader;
    uint64_t count, at = segment->start, end = at + segment->length;
    uint32_t node;
    efg_sequence_reader_init(&reader, segment, 1);
    for (int i = 0; i < 1000 && efg_sequence_next(&reader, &node, &count) > 0; i++) {
        fuzz_expect(count > 0 && count <= end - at, "as many calls as it says");
        at += count;
    }
    if (!efg_sequence_skip(&reader, at + leap % (end - at + 1)))
        efg_sequence_next(&reader, &node, &count);
    efg_sequence_reader_fini(&reader);
}

/* What nothing refers to is left out, as in a copy. */
static void write_again(const struct efg_sequence_segment *segment, uint32_t mix_pairs)
{
    struct efg_buffer bytes = {0};
    struct efg_sequence_segment copy, back;
    fuzz_expect(!efg_sequence_segment_copy(&copy, segment), "a copy of what was read");
    efg_sequence_put(&bytes, segment, mix_pairs);
    struct efg_reader in = efg_reader(bytes.data, bytes.size);
    fuzz_expect(!efg_sequence_get(&in, &back), "a segment that is read again");
    fuzz_expect(are_equal_segments(&copy, &back), "the same segment");
    fuzz_expect(in.at == in.size, "all of its bytes");
    efg_sequence_segment_fini(&back);
    efg_sequence_segment_fini(&copy);
    efg_buffer_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct efg_reader in = efg_reader(bytes, size);
    struct efg_sequence_segment segment;
    fuzz_allow(38 << 20, 24, size); /* as sequence_file.h says */
    while (in.at < in.size && !efg_sequence_get(&in, &segment)) {
        fuzz_done();
        go_through(&segment, efg_hash_bytes(0, bytes, size));
        write_again(&segment, 0);
        write_again(&segment, EFG_SEQUENCE_MIX_PAIRS);
        efg_sequence_segment_fini(&segment);
        fuzz_allow(38 << 20, 24, size);
    }
    fuzz_done();
    return 0;
}
