# SPDX-License-Identifier: BSD-3-Clause
# Ranks that have no loop in common end as they do without us.

in_full && other master_worker 2000 500
in_full && other coupled 2000 500
other silent_rank 2000 500
in_full && other unstable 4000 500
