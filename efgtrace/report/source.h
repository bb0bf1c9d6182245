/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of source, where the files are still there and can be read.
 */
#ifndef EFG_REPORT_SOURCE_H
#define EFG_REPORT_SOURCE_H

#include <stddef.h>

/* TEXT: line LINE, from 1 on, of FILE, without the blanks around it; "" if it is not there. Run
 * files may come from others: FILE has to be a regular file that is named as source is. */
void efg_source_line(char *text, size_t size, const char *file, unsigned line);

#endif
