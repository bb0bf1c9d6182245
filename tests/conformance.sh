#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# MPICH's test suite, of Debian's source package, against the MPI that is installed: each program
# that passes bare gives the same exit code and output when it is traced (tests/conformance/suite.py
# says how). The suite is fetched and built in BUILD/conformance, and is no part of this repository.
#
# The table of all results is BUILD/conformance/results.md; tests/conformance/results.md is one of them.
#
# usage: tests/conformance.sh [FOLDER[/PROGRAM]...]     default: all; it takes an hour or two. What
#        was run before is not run again: remove BUILD/conformance/results.jsonl to begin anew
#        tests/conformance.sh --some     those of tests/conformance/some, in C, always anew: what
#        `make check-all` has of it; `make check` has none
# environment: BUILD  where the build is (default build)
#              MPICC  what it was built with (default mpicc); mpicc.mpich: the suite's own MPI, with
#                     what MPI 4 has
# Last line: "N passed, N failed". exit code: 0 no difference, or known ones (tests/conformance/exceptions),
# 1 others, 2 no suite
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$root" && cd "${BUILD:-build}" && pwd)
here=$build/conformance
apt=$here/apt
what=all
if [ "${1:-}" = --some ]; then
    what=some here=$here.some
    rm -f "$here/results.jsonl"
    # shellcheck disable=SC2046 # names
    set -- $(grep -v '^#' "$root/tests/conformance/some")
fi
export BUILD="$build"
case ${MPICC:-mpicc} in *mpich*) suffix=.mpich ;; *) suffix= ;; esac

# Sources need a source list, which a system may not have: this one is our own.
fetch() {
    . /etc/os-release
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    cd "$apt"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
        "http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
    set -- -q -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=
    apt-get "$@" update && apt-get "$@" source --download-only mpich
}

unpack() {
    rm -rf "$here/mpi"
    tar xf "$apt"/mpich_*.orig.tar.* -C "$here" --wildcards --strip-components=2 'mpich-*/test/mpi' \
        --exclude 'mpich-*/modules'
}

# configure OPTION...: for the MPI of the build
configure() {
    ./configure --with-mpi=/usr --enable-threads=multiple MPIEXEC=mpiexec$suffix \
        MPICC=mpicc$suffix MPICXX=mpicxx$suffix MPIF77=mpif77$suffix MPIFC=mpifort$suffix \
        CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 CFLAGS="-g -O1 -w" CXXFLAGS="-g -O1 -w" \
        FFLAGS="-w -fallow-argument-mismatch" FCFLAGS="-w -fallow-argument-mismatch" "$@" >../configure.log 2>&1
}

# Its mpi_f08 part is left out where the MPI is another one, twice, but builds, but for a name that it
# does not declare; its C++ part, but for two names that Open MPI's C++ binding does not have. What is
# in its lists and not among its targets is made by name. What does not build is left out, and counted.
make_all() {
    [ -f "$here/built" ] && return
    unpack && cd "$here/mpi" || return
    sed -i 's/test "\$enable_f08" = "yes" -a "\$FROM_MPICH" = "yes"/test "$enable_f08" = "yes"/' configure
    sed -i 's/MTestReturnValue(errs)/0/' f08/io/c2f902cio.c
    [ -n "$suffix" ] || sed -i 's/MPI::Win::NULL_\(COPY\|DELETE\)_FN/MPI_WIN_NULL_\1_FN/g' \
        util/mtest_cxx.cxx cxx/rma/fkeyvalwinx.cxx
    configure --enable-cxx --enable-fortran=all || return
    make -k -j2 V=0 >../build.log 2>&1
    make -k -j2 V=0 -C f08 >>../build.log 2>&1
    for program in f77/ext/allocmemf f90/ext/allocmemf90 f08/ext/allocmemf90; do
        make -k V=0 -C "${program%/*}" "${program##*/}" >>../build.log 2>&1
    done
    touch ../built
}

# compiled ARGUMENT...: with what the suite's Makefiles have, of a suite that is not configured
compiled() {
    mpicc$suffix -g -O1 -w -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -Iinclude -Idtpools/include -Iutil "$@" >>../build.log 2>&1
}

# make_library: what all programs call; of single, and of thread, what only those of that kind call
make_library() {
    for source in util/mtest.c util/mtest_common.c util/mtest_single.c util/mtest_thread.c util/dtypes.c \
        dtpools/src/*.c; do
        flags=
        [ "$source" != util/mtest_thread.c ] || flags=-DMTEST_USE_THREAD
        compiled $flags -c "$source" -o "util/$(basename "$source" .c).o" || return
    done
    rm -f util/libsuite.a
    ar rc util/libsuite.a $(ls util/*.o | grep -v -e mtest_single -e mtest_thread)
}

# of_makefile PROGRAM WHAT: its sources or flags, if they are not only those of all
of_makefile() {
    sed -n "s/^$1_$2 *= *//p" Makefile.am | sed 's/\$(AM_CPPFLAGS)//'
}

# make_some FOLDER/PROGRAM...
make_some() {
    if [ ! -f "$here/built" ]; then
        unpack && cd "$here/mpi" && cp "$root/tests/conformance/config.h" include/mpitestconf.h &&
            cp include/mpitestconf.h dtpools/dtpoolsconf.h && make_library && touch ../built || return
        # What depends on the MPI in these lists is not among those programs.
        find . -name testlist.in -exec sh -c 'cp "$1" "${1%.in}"' copy {} ';'
    fi
    cd "$here/mpi" || return
    for program in "$@"; do
        folder=${program%/*} name=${program##*/} kind=single
        case $folder in threads/*) kind=thread ;; esac
        sources=$(cd "$folder" && of_makefile "$name" SOURCES)
        compiled $(cd "$folder" && of_makefile "$name" CPPFLAGS) $([ $kind = single ] || echo -DMTEST_USE_THREAD) \
            -o "$program" "$folder/${sources:-$name.c}" util/mtest_$kind.o util/libsuite.a -lm -lpthread || return
    done
}

mkdir -p "$here"
[ -n "$(ls "$apt"/mpich_*.orig.tar.* 2>/dev/null)" ] || (fetch) || {
    echo "conformance: the sources of mpich cannot be fetched" >&2
    [ $what = some ] || exit 2
    echo "0 passed, 0 failed, 1 skipped"
    exit
}
(make_$what "$@") || {
    echo "conformance: the suite cannot be built; see $here/configure.log and build.log" >&2
    exit 2
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec /usr/bin/python3 "$root/tests/conformance/suite.py" --table "$here/results.md" "$here" "$@"
