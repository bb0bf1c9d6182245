/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folder: the texts that are left in the output folder.
 */
#ifndef EFG_FOLDER_H
#define EFG_FOLDER_H

#include "base/buffer.h"

/* Write TEXT to the new file NAME in the folder; there is none if that is not possible. */
void efg_folder_write(const char *name, const struct efg_buffer *text);

#endif
