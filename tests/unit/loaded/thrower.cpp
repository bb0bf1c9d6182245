// SPDX-License-Identifier: BSD-3-Clause
// Frames that an exception leaves.
extern "C" void catch_in(void (*callee)(void *), void *argument);
extern "C" void throw_from(void);

extern "C" void catch_in(void (*callee)(void *), void *argument)
{
    try {
        callee(argument);
    } catch (int) {
    }
}

extern "C" void throw_from(void)
{
    throw 1;
}
