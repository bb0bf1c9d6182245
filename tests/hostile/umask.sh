# SPDX-License-Identifier: BSD-3-Clause
# Whatever the umask, others write to nothing of ours.

(umask 0 && ranks 2 "$tool" run -m full --save 5ms --summary off --keep-logs -o open/to/all "$work/planter" '') >out 2>err
same "umask 0: folders are writable for their owner only" "" "$(find open -type d -perm /022 | xargs)"
same "umask 0: all folders are there" "open open/to open/to/all open/to/all/logs open/to/all/traces" \
    "$(find open -type d | sort | xargs)"
