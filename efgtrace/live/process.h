/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process: what the kernel says of a thread on this host.
 */
#ifndef EFG_PROCESS_H
#define EFG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct efg_process { /* all zero: not known */
    bool is_known;   /* the process is of this host, and was asked about */
    bool is_there;   /* it is the one that was meant, and has not ended */
    char state;      /* of the thread: R, S, D, T ...; 0: it has ended */
    uint64_t cpu;    /* ns that the thread has had a processor */
    uint64_t waited; /* ns that it was ready to run, and had none; 0 where the kernel does not count that */
    uint64_t all_cpu; /* ns that all threads of the process have, to 10 ms */
    uint64_t bytes;  /* read and written by the process; 0 where that may not be known */
};

/* Ask about thread THREAD of process PID, which was STARTED then: field 22 of /proc/PID/stat. */
struct efg_process efg_process_ask(uint32_t pid, uint32_t thread, uint64_t started);

#endif
