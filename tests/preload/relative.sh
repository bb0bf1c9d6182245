# SPDX-License-Identifier: BSD-3-Clause
# A relative LD_PRELOAD, and a program that goes to another folder.

mkdir alone && cp "$library" "$work/$runtime" alone/
library=alone/libefgtrace.so
counted "a relative LD_PRELOAD and another folder" 1 'MPI_Barrier 1
finish' "$work/end" chdir
library=$work/libefgtrace.so
