/* SPDX-License-Identifier: BSD-3-Clause */
/* A module to load and unload. Built several times: the same code at the same offsets, in
 * frames of ROOM bytes more or less. */
#ifndef ROOM
#define ROOM 24
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT void plugin(void (*callee)(void *), void *argument);
EXPORT void plugin_at_end(void (*callee)(void *), void *argument);

static void (*last_callee)(void *);
static void *last_argument;

void plugin(void (*callee)(void *), void *argument)
{
    char room[ROOM];
    __asm__ volatile("" ::"r"(room) : "memory");
    callee(argument);
    __asm__ volatile("" ::"r"(room) : "memory");
}

/* Call it when the module is unloaded. */
void plugin_at_end(void (*callee)(void *), void *argument)
{
    last_callee = callee;
    last_argument = argument;
}

__attribute__((destructor)) static void at_end(void)
{
    if (last_callee)
        plugin(last_callee, last_argument);
}
