# SPDX-License-Identifier: BSD-3-Clause
# Several neighbours, in any order. One of them calls the next MPI_X, so that the other one is called in any
# case.

us=$counting one=$work/libnext.so two=$work/liblast.so
for order in "us one two" "us two one" "one us two" "two us one" "one two us" "two one us"; do
    without= with=
    for who in $order; do
        with+=" ${!who}"
        [ $who = us ] || without+=" ${!who}"
    done
    alike "ring, $order" "${without# }" "${with# }" "$work/ring"
    case $order in # each has his own calls seen by those behind him
    us*) own=() ;;
    "one us two") own=({0,1}" MPI_Reduce 1") ;;
    "two us one") own=({0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2") ;;
    *) continue ;;
    esac
    same "ring, $order: our calls" "$(place=before && by 0 1 | as_seen "${own[@]}")" "$(ours)"
done
