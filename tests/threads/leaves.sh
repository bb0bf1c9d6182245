# SPDX-License-Identifier: BSD-3-Clause
# The program ends while its threads are in MPI.

got= wanted=
for run in 1 $(in_full && echo 2 3 4 5); do # without care for the threads that go on, one in five has crashed
    ranks 2 "$tool" run -m full --summary off -o leaves.$run $bin/threads leaves 50 >out 2>&1
    got="$got $?$(grep -m 1 'Segmentation' out)" wanted="$wanted 7"
done
same "leaves: MPI_Abort while threads are in MPI" "$wanted" "$got"
