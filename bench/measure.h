/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder measure of themselves.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ns of CLOCK: CPU time where the machine may be shared. */
static inline double measure_time(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The number of FIELD ("VmHWM": in kB) in /proc/self/status, or -1. */
static inline long measure_status(const char *field)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = -1;
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            value = atol(line + strlen(field) + 1);
    if (file)
        fclose(file);
    return value;
}

#endif
