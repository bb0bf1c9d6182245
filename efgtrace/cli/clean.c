/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces what misleads or breaks readers of a text. UTF-8 is checked byte by byte, as Unicode has it;
 * what is misleading is looked up in a short list.
 */
#include "clean.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Characters that end a line, or turn the direction of the text around them, so that it does
 * not say what it seems to: each as its bytes but for the last one, which is from LOW to HIGH.
 */
static bool is_misleading(const unsigned char *text)
{
    static const struct {
        const char *bytes;
        unsigned char low, high;
    } kinds[] = {{"\xd8", 0x9c, 0x9c},      /* U+061C */
                 {"\xe2\x80", 0x8e, 0x8f},  /* U+200E, U+200F */
                 {"\xe2\x80", 0xa8, 0xae},  /* U+2028 to U+202E */
                 {"\xe2\x81", 0xa6, 0xa9}}; /* U+2066 to U+2069 */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].bytes);
        if (!strncmp((const char *)text, kinds[i].bytes, length) && text[length] >= kinds[i].low &&
            text[length] <= kinds[i].high)
            return true;
    }
    return false;
}

/* Bytes of the UTF-8 character at TEXT, 0 if it is none that XML and JSON may hold. */
static size_t character(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead, low, high;
    } kinds[] = {{0xe0, 0xc0, 0xc2, 0xdf}, {0xf0, 0xe0, 0xe0, 0xef}, {0xf8, 0xf0, 0xf0, 0xf4}};
    if (*text < 0x80)
        return *text >= ' ' && *text != 0x7f;
    for (size_t more = 1; more <= 3; more++) {
        if ((*text & kinds[more - 1].mask) != kinds[more - 1].lead)
            continue;
        if (*text < kinds[more - 1].low || *text > kinds[more - 1].high)
            return 0;
        for (size_t i = 1; i <= more; i++) {
            if ((text[i] & 0xc0) != 0x80)
                return 0;
        }
        unsigned second = text[1];
        bool wrong = (*text == 0xc2 && second < 0xa0) || (*text == 0xe0 && second < 0xa0) ||
                     (*text == 0xed && second > 0x9f) || (*text == 0xf0 && second < 0x90) ||
                     (*text == 0xf4 && second > 0x8f) || (*text == 0xef && second == 0xbf && text[2] >= 0xbe);
        return wrong ? 0 : more + 1;
    }
    return 0;
}

char *efg_clean(char *text)
{
    for (char *at = text; *at;) {
        const unsigned char *here = (const unsigned char *)at;
        size_t size = is_misleading(here) ? 0 : character(here);
        if (!size)
            *at = '?';
        at += size ? size : 1;
    }
    return text;
}
