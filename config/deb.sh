#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A Debian package of the archive that `make dist` has made: the folder debian/ is config/debian, with the
# version, the date and the maintainer filled in. It is built in BUILD/deb, where lintian then looks at it.
#
#   config/deb.sh BUILD VERSION
#
# environment: DEBFULLNAME, DEBEMAIL   the maintainer: who builds it (default: this user on this host)
# exit code: 0; 1 it cannot be built, or lintian has found an error or a warning
set -eu
cd "$1"
maintainer="${DEBFULLNAME:-$(id -un)} <${DEBEMAIL:-$(id -un)@$(hostname -f 2>/dev/null || echo localhost)}>"
version=$2 folder=deb/efgtrace-$2
rm -rf deb
mkdir deb
tar xzf "efgtrace-$version.tar.gz" -C deb
cp -r "$folder/config/debian" "$folder/debian"
sed -i "s/@VERSION@/$version/; s/@DATE@/$(date -R)/; s/@MAINTAINER@/$maintainer/" \
    "$folder/debian/changelog" "$folder/debian/control"
sed 's/^$/./; s/^/ /' "$folder/LICENSE" >deb/license
sed -i -e '/@LICENSE@/ {r deb/license' -e 'd}' "$folder/debian/copyright"
rm deb/license
(cd "$folder" && unset CC MAKEFLAGS && dpkg-buildpackage -us -uc >../build.log 2>&1) || {
    tail -n 20 deb/build.log >&2
    exit 1
}
# Who builds it for himself may have no public address.
lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact \
    --fail-on error,warning deb/*.changes
ls deb/*.deb
