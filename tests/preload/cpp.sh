# SPDX-License-Identifier: BSD-3-Clause
# Each call once: C++, with calls from statics, and exceptions through them.

if command -v "$MPICXX" >/dev/null; then
    $MPICXX "$tests/static.cpp" -o "$PWD/static" || exit 1
    counted "C++ statics and exceptions" 2 'MPI_Send 3
MPI_Send never left 3
MPI_Barrier 1
MPI_Allreduce 3
finish' "$PWD/static"
fi
