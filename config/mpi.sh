#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Says what the makefile has to know of an MPI library; see --help.
set -eu

usage() {
    cat <<'END'
usage: config/mpi.sh QUESTION COMPILER

Asks the C compiler of an MPI library, as mpicc or mpicc.mpich.

  name     what its runtime is called after: openmpi4, openmpi5 .., mpich, or abi for the ABI of MPI 5;
           another MPI has no name
  compile  the options to compile with
  link     the options to link with

exit code: 0, or 1 if there is no such compiler or no answer, 2 wrong usage
END
}

case ${1-} in -h | --help) usage; exit ;; esac
[ $# -eq 2 ] || { usage >&2; exit 2; }
question=$1 compiler=$2
command -v "${compiler%% *}" >/dev/null || { echo "mpi.sh: there is no $compiler" >&2; exit 1; }

# options PATTERN: those of the compiler that match it; Open MPI and MPICH both have -show
options() {
    $compiler -show | tr ' ' '\n' | grep -E "$1" | awk '!seen[$0]++' | tr '\n' ' '
}

# MPI_COMM_WORLD has the same number in all libraries that keep to the ABI of MPICH.
name() {
    printf '%s\n' '#include <mpi.h>' 'version OMPI_MAJOR_VERSION' 'abi MPI_ABI_VERSION' 'world MPI_COMM_WORLD' |
        $compiler -E -P -x c - | sed -n 's/^version \([0-9][0-9]*\)$/openmpi\1/p; s/^abi [0-9].*/abi/p
            s/^world .*0x44000000.*/mpich/p' | head -n 1 | grep .
}

case $question in
    name) name ;;
    compile) options '^-[ID]' ;;
    link) options '^-[Ll]' ;;
    *) usage >&2; exit 2 ;;
esac
