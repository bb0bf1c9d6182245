/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The board of hydra, MPICH's process manager: its key-value space, by PMI's first protocol,
 * which is a line of text there and a line back over a socket that the process has from its
 * start. MPICH keeps the functions that speak it to itself. It says "init" again when it
 * begins, which hydra allows.
 *
 * Invariant: no question of ours is open while MPI may ask one.
 */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

#define LINE 4096      /* bytes, at most, of a question or an answer */
#define PATIENCE 10000 /* ms for an answer */
#define NAME 512       /* bytes of the name of the space */

static char space[NAME]; /* its name, "" if there is none */
static bool is_pinned;

/* Slurm's processes may have such a socket as well, and speak another protocol. */
static int find_socket(void)
{
    const char *number = getenv("PMI_FD");
    return number && isdigit((unsigned char)*number) && getenv("MPI_LOCALNRANKS") ? atoi(number) : -1;
}

/* The next byte that comes. Returns 0 or -EPROTO. */
static int receive_byte(int socket, char *byte)
{
    struct pollfd some = {.fd = socket, .events = POLLIN};
    int ready, got;
    do
        ready = poll(&some, 1, PATIENCE);
    while (ready < 0 && errno == EINTR);
    do
        got = ready > 0 ? (int)read(socket, byte, 1) : 0;
    while (got < 0 && errno == EINTR);
    return got == 1 ? 0 : -EPROTO;
}

/* An answer up to its end of line, which is taken off. Nothing behind it is read. */
static int receive(int socket, char answer[LINE])
{
    for (size_t size = 0; size < LINE && receive_byte(socket, answer + size) == 0; size++)
        if (answer[size] == '\n') {
            answer[size] = '\0';
            return 0;
        }
    return -EPROTO;
}

/* Returns 0 if hydra has answered that it has done so; its ANSWER then. */
static int ask(char answer[LINE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static int ask(char answer[LINE], const char *format, ...)
{
    static bool is_silent; /* a late answer would be taken for that to another question */
    char question[LINE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(question, sizeof question, format, arguments);
    va_end(arguments);
    int socket = find_socket();
    if (is_silent || length >= LINE || write(socket, question, (size_t)length) != length)
        return -EPROTO;
    is_silent = receive(socket, answer) != 0;
    const char *result = is_silent ? NULL : strstr(answer, " rc=");
    return is_silent || (result && atoi(result + 4) != 0) ? -EPROTO : 0;
}

/* Returns 0 if the space has a name. */
static int find_space(void)
{
    char answer[LINE];
    const char *name;
    if (*space)
        return 0;
    if (find_socket() < 0 || ask(answer, "cmd=init pmi_version=1 pmi_subversion=1\n") != 0 ||
        ask(answer, "cmd=get_my_kvsname\n") != 0)
        return -EPROTO;
    name = strstr(answer, " kvsname=");
    if (name)
        sscanf(name, " kvsname=%511s", space);
    return *space ? 0 : -EPROTO;
}

/* A value cannot be put twice. */
void efg_hydra_pin(enum efg_notice notice)
{
    const char *rank = getenv("PMI_RANK");
    char answer[LINE];
    if (rank && find_space() == 0 &&
        ask(answer, "cmd=put kvsname=%s key=efgtrace.%d.%d value=1\n", space, (int)notice, atoi(rank)) == 0)
        is_pinned = true;
}

/* It takes note of the end of processes only that have said "init". There is no answer. */
void efg_hydra_abort(int code)
{
    char question[64];
    int length = snprintf(question, sizeof question, "cmd=abort exitcode=%d\n", code);
    if (find_space() == 0 && write(find_socket(), question, (size_t)length) != length)
        return; /* it has gone itself */
}

bool efg_hydra_is_pinned(void)
{
    return is_pinned;
}

const char *efg_hydra_space(void)
{
    return space;
}

enum efg_notice efg_hydra_read(int rank)
{
    char answer[LINE];
    for (int notice = EFG_NOTICE_SURE; notice > EFG_NOTICE_NONE; notice--)
        if (ask(answer, "cmd=get kvsname=%s key=efgtrace.%d.%d\n", space, notice, rank) == 0)
            return (enum efg_notice)notice;
    return EFG_NOTICE_NONE;
}
