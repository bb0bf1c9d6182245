#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a command in Debian 13, which has Open MPI 5, gcc 14 and clang 19: in this folder, which is
# there what it is here, as root, and with all that the tests need. What that is made of is
# fetched the first time: 3 GB, some ten minutes.
#
#   tests/debian13.sh COMMAND...
#
# Needs root and debootstrap, the first time a network. All mounts are those of this process, and
# end with it.
#
# environment: DEBIAN13  the folder that it is in (default build/debian13)
#              MIRROR    where it is fetched from (default http://deb.debian.org/debian)
# exit code: that of the command; 77 if there can be no Debian 13, and why is the last line
set -u
cd "$(dirname "$0")/.." || exit 2
here=$PWD debian=${DEBIAN13:-build/debian13} mirror=${MIRROR:-http://deb.debian.org/debian}

none() {
    echo "$1" >&2
    exit 77
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || none "it needs root"
    command -v debootstrap >/dev/null || none "there is no debootstrap"
    unshare --mount true || none "it may not mount anything"
    if [ ! -d "$debian" ]; then # made aside, so that half of one is none
        rm -rf "$debian.new"
        mkdir -p "$debian.new"
        debootstrap --variant=minbase trixie "$debian.new" "$mirror" >&2 ||
            none "debootstrap cannot make it of $mirror"
        mv "$debian.new" "$debian"
    fi
    exec unshare --mount "tests/$(basename "$0")" --inside "$@"
fi
shift

# inside COMMAND...
inside() {
    chroot "$debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        PYTHONDONTWRITEBYTECODE=1 \
        ${CHECK_TRACE:+CHECK_TRACE=/opt/check/$(basename "$CHECK_TRACE")} \
        sh -c 'cd "$0" && exec "$@"' "$here" "$@"
}

CHECK_TRACE=${CHECK_TRACE-$here/../shared/tools/check_trace.py}
[ -f "$CHECK_TRACE" ] || CHECK_TRACE=
mkdir -p "$debian$here" "$debian/opt/check"
mount -t proc proc "$debian/proc" && mount --rbind /sys "$debian/sys" && mount --rbind /dev "$debian/dev" &&
    mount --bind "$here" "$debian$here" || none "it may not mount anything"
[ -z "$CHECK_TRACE" ] || mount --bind "$(dirname "$CHECK_TRACE")" "$debian/opt/check" || exit
cp -L /etc/resolv.conf "$debian/etc/resolv.conf"
inside config/setup.sh check || exit
inside "$@"
