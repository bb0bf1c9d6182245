/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local: logs and pieces of a running job that lie on its nodes (key `local`), not yet in its folder DIR. The
 * file DIR/local tells where, as text:
 *
 *     efgtrace local 1
 *     HOST FOLDER
 *     ...
 *
 * a line for each node; FOLDER has logs/ and pieces/ as DIR has. When all has been moved to DIR, it is
 * removed. What another user has written there leads nowhere: a FOLDER has to belong to the owner of
 * DIR/local.
 */
#ifndef EFG_LOCAL_H
#define EFG_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define EFG_LOCAL "local"

struct efg_local_node {
    char *host, *folder;
    bool is_seen; /* the folder is there, on this host */
    bool is_away; /* it is not, and this is not the host */
};

/* Where the files of a job are: in place 0, which is DIR, and in places 1 to COUNT. */
struct efg_local {
    const char *dir;
    struct efg_local_node *nodes;
    uint32_t count;
};

/* Append what is to be written: the first line, or that of a node. */
void efg_local_put_head(struct efg_buffer *out);
void efg_local_put(struct efg_buffer *out, const char *host, const char *folder);

/* What DIR/local says; without it, or if it cannot be read, there is DIR alone. DIR outlives it. Returns 0 or
 * -ENOMEM. */
int efg_local_read(struct efg_local *local, const char *dir);
void efg_local_fini(struct efg_local *local);

/* The folder of PLACE; NULL: it is not seen from here. */
const char *efg_local_folder(const struct efg_local *local, uint32_t place);

/* Move the file FROM to TO, which may be on another file system: TO is whole or not there. BELOW: names of
 * each that are ours (below.h). Returns 0 or -errno: it is where it was. */
int efg_local_move(const char *from, unsigned below_from, const char *to, unsigned below_to);

#endif
