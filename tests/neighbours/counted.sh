# SPDX-License-Identifier: BSD-3-Clause
# A ring, beside each neighbour in each place: each call is counted once by each of the two.

run $counting "$work/ring"
same "ring, alone: our calls" "$(by 0 1 2)" "$(ours)"
for place in $places; do
    for neighbour in $neighbours $others; do
        build ring $neighbour $place $ring
        beside ring $neighbour $place
        case $neighbour in
        counts | next)
            wanted=$(by 0 1 2 | as_seen "0 MPI_Reduce 1" "1 MPI_Reduce 1" "2 MPI_Reduce 1")
            same "ring, $neighbour $place: its calls" "$(by 0 1 2)" "$(its)" ;;
        requests | late) wanted=$(by 0 1 2) ;;
        last) wanted=$(by 0 1 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2") ;;
        first) wanted=$(by 1 2 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {1,2}" MPI_Send 1" "0 MPI_Recv 2") ;;
        esac
        same "ring, $neighbour $place: our calls" "$wanted" "$(ours)"
    done
done
