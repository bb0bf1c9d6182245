/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads or writes a number of bytes, all of them. Goes on until all is read or written. A call that moves
 * no byte, without an error, would do so for ever: that is one, too.
 */
#include "io.h"

#include <errno.h>
#include <unistd.h>

int efg_write_all(int file, const void *data, size_t size, uint64_t at)
{
    for (const char *from = data; size;) {
        ssize_t done = at == EFG_IO_NEXT ? write(file, from, size) : pwrite(file, from, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done ? -errno : -ENOSPC;
        from += done;
        size -= (size_t)done;
        at += at == EFG_IO_NEXT ? 0 : (uint64_t)done;
    }
    return 0;
}

int efg_read_all(int file, void *data, size_t size, uint64_t at)
{
    for (char *to = data; size;) {
        ssize_t done = pread(file, to, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done ? -errno : -EIO;
        to += done;
        size -= (size_t)done;
        at += (uint64_t)done;
    }
    return 0;
}
