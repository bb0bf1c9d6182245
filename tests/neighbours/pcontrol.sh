# SPDX-License-Identifier: BSD-3-Clause
# MPI_Pcontrol, which has more arguments than MPI says.

run "$(preloads $counting counts behind)" "$work/ring"
same "MPI_Pcontrol goes on, with all that follows the level" "3 3" \
    "$(grep -c 'neighbour was told 1, ring, 0.5, 8' err) $(grep -c 'neighbour was told -1, ring, 1.5, 9' err)"
same "MPI_Pcontrol comes to us, too" 3 "$(grep -c '^\[[0-9]*\] control 1 ring' err)"
