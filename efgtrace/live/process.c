/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asks the kernel about threads, by the files of /proc.
 */
#include "process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NS 1000000000u

/* The first bytes of the file PATH; "" if it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(text, 1, size - 1, file) : 0;

    text[got] = '\0';
    if (file)
        fclose(file);
}

/* From /proc/.../stat, behind the name, which may have anything in it: state, ticks of processor, start. */
static bool read_stat(const char *path, char *state, uint64_t *cpu, uint64_t *started)
{
    char text[1024];
    unsigned long long user, system, start;

    read_text(path, text, sizeof text);
    const char *at = strrchr(text, ')');
    if (!at ||
        sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu",
               state, &user, &system, &start) != 4)
        return false;
    *cpu = (user + system) * (NS / (uint64_t)sysconf(_SC_CLK_TCK));
    *started = start;
    return true;
}

/* All bytes that went through read and write, on disk or not. */
static uint64_t read_bytes(uint32_t pid)
{
    char path[64], text[1024];
    unsigned long long in = 0, out = 0;

    snprintf(path, sizeof path, "/proc/%u/io", pid);
    read_text(path, text, sizeof text);
    return sscanf(text, "rchar: %llu wchar: %llu", &in, &out) == 2 ? in + out : 0;
}

struct efg_process efg_process_ask(uint32_t pid, uint32_t thread, uint64_t started)
{
    struct efg_process p = {.is_known = true};
    char path[64], text[256], state = 0;
    unsigned long long cpu = 0, waited = 0;
    uint64_t its_start = 0, ticks = 0;

    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    p.is_there = read_stat(path, &state, &p.all_cpu, &its_start) && its_start == started && state != 'Z';
    if (!p.is_there)
        return p;
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, thread);
    if (!read_stat(path, &p.state, &ticks, &its_start))
        return p;
    snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", pid, thread);
    read_text(path, text, sizeof text);
    p.cpu = sscanf(text, "%llu %llu", &cpu, &waited) == 2 ? cpu : ticks;
    p.waited = waited;
    p.bytes = read_bytes(pid);
    return p;
}
