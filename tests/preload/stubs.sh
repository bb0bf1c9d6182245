# SPDX-License-Identifier: BSD-3-Clause
# A library of stubs that has MPI_Barrier and no PMPI_Barrier, and one that has neither.

echo 'int MPI_Barrier(void *comm) { return comm ? 1 : 8; }' >"$PWD/stub.c"
echo 'int MPI_Barrier(void *); int main(void) { return MPI_Barrier(0); }' >"$PWD/serial.c"
$CC -fPIC -shared "$PWD/stub.c" -Wl,-soname,libstub.so -o "$PWD/libstub.so" &&
    $CC "$PWD/serial.c" "$PWD/libstub.so" -Wl,-rpath,"$PWD" -o "$PWD/serial" || exit 1
said=$(LD_PRELOAD=$library "$PWD/serial" 2>&1; echo "exit $?")
same "stubs without PMPI" "exit 8" "$said"

echo >"$PWD/stub.c"
$CC -fPIC -shared "$PWD/stub.c" -Wl,-soname,libstub.so -o "$PWD/libstub.so" || exit 1
said=$(ulimit -c 0; LD_PRELOAD=$library "$PWD/serial" 2>&1)
contains "no MPI library at all" "$said" "calls MPI_Barrier, but no MPI library is loaded"
