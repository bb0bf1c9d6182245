# SPDX-License-Identifier: BSD-3-Clause
# The program ends while its threads are in MPI.

got=
for run in 1 2 3 4 5; do # without care for the threads that go on, one in five has crashed
    ranks 2 "$tool" run -m full --summary off -o leaves.$run $bin/threads leaves 50 >out 2>&1
    got="$got $?$(grep -m 1 'Segmentation' out)"
done
same "leaves: MPI_Abort while threads are in MPI" " 7 7 7 7 7" "$got"
