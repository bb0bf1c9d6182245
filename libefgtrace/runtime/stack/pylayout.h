/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where CPython keeps what is read here: offsets, in bytes, in structures of its versions 3.9 to 3.13 on
 * 64-bit machines. They do not change within a version (its ABI); a build that has others, such as one
 * without the global lock, does not pass the checks in python.c.
 */
#ifndef EFG_PYLAYOUT_H
#define EFG_PYLAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_PY_FIRST 9 /* versions 3.9 to 3.13 */
#define EFG_PY_LAST 13

struct efg_pylayout {
    uint16_t state_frame;    /* PyThreadState: the frame, or what is between */
    int16_t between_frame;   /* _PyCFrame: the frame; -1: there is none */
    uint16_t code, previous; /* of a frame: the function, the frame that called it */
    uint16_t at;             /* where the function is: see is_index */
    bool is_index;           /* an index of 4 bytes; else a pointer */
    uint16_t owner;          /* a byte that says whether the frame is none of a function; 0: all are */
    uint16_t file, name, first_line, lines; /* PyCodeObject; lines is what PyCode_Addr2Line reads */
    uint16_t instructions;                  /* PyCodeObject; 0 with an index */
    uint16_t bytes;                         /* PyCodeObject: bytes with the instructions; 0: they are in it */
    uint16_t stack;          /* of a frame: its evaluation stack, or a pointer to it */
    uint16_t locals;         /* PyCodeObject: how many variables are below the stack; 0: STACK is a pointer */
    uint16_t range_index;    /* iterator of range: rounds; 0: only what is left of the range is there */
    uint8_t argument_bytes;                 /* what the argument of a jump counts: 1 or 2 bytes */
    const char *kinds;                      /* of the 256 instructions: enum efg_pykind */
    const char *caches;                     /* of each, units behind it; in hexadecimal; NULL: none */
    uint16_t ascii, compact;                /* where the text of a str begins, if it is ASCII, and if not */
};

/* What an instruction does with the flow. */
enum efg_pykind {
    EFG_PY_GOES_ON = '.',
    EFG_PY_PREFIX = 'x', /* higher bits of the argument of the next one */
    EFG_PY_CALLS = 'c',
    EFG_PY_FORWARD = 'f',                         /* jump, from the next one on */
    EFG_PY_BACKWARD = 'b',
    EFG_PY_ABSOLUTE = 'a',
    EFG_PY_IF_FORWARD = 'F',                      /* branch */
    EFG_PY_IF_BACKWARD = 'B',
    EFG_PY_IF_ABSOLUTE = 'A',
    EFG_PY_FOR = 'I',                             /* branch forward: the next round of `for`, or its end */
    EFG_PY_WITH = 'W',                            /* leaves something on the stack while a block lasts */
    EFG_PY_ENDS = 'e',                            /* returns, or raises an exception */
    EFG_PY_YIELDS = 'y',                          /* returns, and is called again behind it */
    EFG_PY_MAY_YIELD = 'Y',                       /* so if the argument of the next one is EFG_PY_YIELDED */
    EFG_PY_UNKNOWN = '?',
};

#define EFG_PY_TYPE 8         /* PyObject.ob_type */
#define EFG_PY_LENGTH 16      /* of bytes and str */
#define EFG_PY_BYTES 32       /* bytes: what they are */
#define EFG_PY_STATE 32       /* str: bits, as follows */
#define EFG_PY_KIND(state) ((state) >> 2 & 7) /* bytes of a character: 1, 2, 4 */
#define EFG_PY_COMPACT 0x20
#define EFG_PY_ASCII 0x40
#define EFG_PY_SIZE 16        /* of list and tuple */
#define EFG_PY_ITEMS 24       /* tuple: what is in it */
#define EFG_PY_ROUNDS 16      /* iterator of list or tuple: how many items were taken, what they are of */
#define EFG_PY_SEQUENCE 24
#define EFG_PY_INNER 24       /* enumerate: an iterator; zip: a tuple of them */
#define EFG_PY_RANGE 16       /* iterator of range: start, step, length; 8 further if the index is there */
#define EFG_PY_YIELDED(argument) (((argument) & 3) == 1) /* RESUME: not what was waited for */
#define EFG_PY_NO_FUNCTION 3 /* _PyInterpreterFrame.owner: FRAME_OWNED_BY_CSTACK */

/* Of version 3.MINOR, which is EFG_PY_FIRST to EFG_PY_LAST. */
extern const struct efg_pylayout efg_pylayouts[EFG_PY_LAST - EFG_PY_FIRST + 1];

#endif
