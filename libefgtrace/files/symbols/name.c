/* SPDX-License-Identifier: BSD-3-Clause */
#include "name.h"

#include <stdbool.h>
#include <string.h>

#define OPERATOR "operator"

/* The '(' at ARGUMENTS, in FUNCTION, is that of operator(). */
static bool is_operator(const char *function, const char *arguments)
{
    size_t length = strlen(OPERATOR);

    return (size_t)(arguments - function) >= length &&
           !strncmp(arguments - length, OPERATOR "()", length + 2);
}

/* Arguments begin with a '(' that is in no <...>, not at the very front, and not that of operator() or an
 * anonymous namespace. */
size_t efg_name_end(const char *function)
{
    size_t end = strlen(function);
    int depth = 0;

    for (size_t i = 1; i < end; i++) {
        depth += function[i] == '<' && function[i - 1] != 'r';
        depth -= function[i] == '>' && depth > 0 && function[i - 1] != '-';
        if (function[i] != '(' || depth)
            continue;
        if (is_operator(function, function + i))
            return i + strlen("()");
        if (strncmp(function + i, "(anonymous", 10) != 0)
            return i;
    }
    return end;
}
