# SPDX-License-Identifier: BSD-3-Clause
# The level of threads stays the one that the program has asked for.

for level in $(in_full && echo -1 0 1) 2; do # 3: all others
    both level.$level "-m graph" $bin/threads level $level
done
