# SPDX-License-Identifier: BSD-3-Clause
# Threads that end in the middle of what they do.

for mode in full adaptive; do
    both ends.$mode "-m $mode --interval 5ms" $bin/threads ends 30
done
matched ends.full
same "ends: no exchange is lost" 120 "$("$tool" expand ends.full | grep -c MPI_Isend)"
