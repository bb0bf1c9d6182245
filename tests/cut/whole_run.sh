# SPDX-License-Identifier: BSD-3-Clause
# Iterations of the whole run: the same on all ranks, and from its beginning to its end.

spread spread 10
in_full && spread first,spread 20
