#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Says which libraries that efgtrace is made of are missing, and in which packages they are; see --help.
set -eu

usage() {
    cat <<'END'
usage: config/needs.sh COMPILER [MPI...]

Looks for what the build needs: libraries by pkg-config (PKG_CONFIG), or by their headers with the C compiler
COMPILER. Of the compilers MPI, as mpicc or mpicc.mpich, one has to be there; the tool alone needs none.
Says on standard error what is missing, with the names of its packages in Debian, Fedora and conda-forge.

exit code: 0 all is there, 1 something is missing, 2 wrong usage
END
}

case ${1-} in -h | --help) usage; exit ;; esac
[ $# -ge 1 ] || { usage >&2; exit 2; }
compiler=$1
shift
missing=

# needs NAME DEBIAN FEDORA CONDA COMMAND...: COMMAND succeeds if it is there
needs() {
    line=$(printf '  %-11s %-17s %-22s %s' "$1" "$2" "$3" "$4")
    shift 4
    "$@" >/dev/null 2>&1 || missing="$missing$line
"
}

# shellcheck disable=SC2317 # needs calls it
has_header() {
    # shellcheck disable=SC2086 # the compiler may have words
    printf '#include <%s>\n' "$1" | $compiler ${CPPFLAGS-} ${CFLAGS-} -E -x c -
}

needs "${compiler%% *}" gcc gcc c-compiler command -v "${compiler%% *}"
needs "libc" libc6-dev glibc-devel sysroot_linux-64 has_header stdlib.h
pkg_config=${PKG_CONFIG:-pkg-config}
needs pkg-config pkg-config pkgconf-pkg-config pkg-config command -v "$pkg_config"
needs OTF2 libotf2-trace-dev otf2-devel otf2 "$pkg_config" --exists otf2
needs libunwind libunwind-dev libunwind-devel libunwind "$pkg_config" --exists libunwind
needs hwloc libhwloc-dev hwloc-devel libhwloc "$pkg_config" --exists hwloc
needs libdw libdw-dev elfutils-devel elfutils "$pkg_config" --exists libdw
needs libelf libelf-dev elfutils-libelf-devel elfutils has_header libelf.h
needs inih libinih-dev inih-devel inih "$pkg_config" --exists inih
needs cJSON libcjson-dev cjson-devel cjson "$pkg_config" --exists libcjson
needs SQLite libsqlite3-dev sqlite-devel sqlite "$pkg_config" --exists sqlite3
case $($compiler -dumpmachine 2>/dev/null) in
    x86_64*) needs Zydis libzydis-dev zydis-devel zydis has_header Zydis/Zydis.h ;;
esac
# shellcheck disable=SC2317 # needs calls it
has_mpi() {
    for mpicc in "$@"; do
        "${0%/*}/mpi.sh" name "$mpicc" && return
    done
    return 1
}
[ $# -eq 0 ] || needs MPI libopenmpi-dev openmpi-devel openmpi has_mpi "$@"

[ -z "$missing" ] && exit
{
    printf 'efgtrace cannot be built: this is missing\n'
    printf '  %-11s %-17s %-22s %s\n' '' Debian Fedora conda-forge
    printf '%sOn Debian, config/setup.sh build installs what is missing.\n' "$missing"
    echo 'What is elsewhere is found with PKG_CONFIG_PATH=FOLDERS, and CFLAGS=-IFOLDER LDFLAGS=-LFOLDER.'
} >&2
exit 1
