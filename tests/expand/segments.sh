# SPDX-License-Identifier: BSD-3-Clause
# Segments that are done before the end.

traces shuffled
lossless "$work/shuffled"
same "shuffled: a sequence of each rank" 2 "$(orders "$work/shuffled")"
verdict "shuffled: more than is kept in memory" "$([ "$(stat -c %s "$work/shuffled/run.efg")" -gt 262144 ] ||
    ls -l "$work/shuffled")"
verdict "shuffled: nothing is left of the logs" "$(ls "$work/shuffled/logs" 2>&1 | grep -v 'cannot access')"
