/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of graphs, by Graphviz's program dot.
 */
#ifndef EFG_RENDER_H
#define EFG_RENDER_H

#include "base/buffer.h"

/* Append the picture of the graph DOT in FORMAT ("svg", "png", ...) to PICTURE, for COMMAND.
 * Messages of dot go to standard error. Returns 0; else says there what is wrong and what
 * to do, and returns EFG_TOLD. */
int efg_render(const char *command, const struct efg_buffer *dot, const char *format,
               struct efg_buffer *picture);

#endif
