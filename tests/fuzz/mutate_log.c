/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logs, changed mostly behind their header, which is a page of which little means anything. The
 * header then says that all words there are used.
 */
#include <string.h>

#include "files/log/log.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);

static void set_used(uint8_t *bytes, uint64_t used)
{
    memcpy(bytes + offsetof(struct efg_log_header, used), &used, sizeof used);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    if (size < EFG_LOG_HEADER || room <= EFG_LOG_HEADER || seed % 64 == 0)
        return LLVMFuzzerMutate(bytes, size, room);
    if (seed % 16 == 1) {
        LLVMFuzzerMutate(bytes, sizeof(struct efg_log_header), sizeof(struct efg_log_header));
        return size;
    }
    size = EFG_LOG_HEADER +
           LLVMFuzzerMutate(bytes + EFG_LOG_HEADER, size - EFG_LOG_HEADER, room - EFG_LOG_HEADER);
    set_used(bytes, (size - EFG_LOG_HEADER) / sizeof(uint32_t));
    return size;
}
