# SPDX-License-Identifier: BSD-3-Clause
# A spool that is missing, full, or not to be trusted: no record, and nothing else.

stencil="timeout $patience $MPIRUN -np 2 $programs/stencil2d 100"
make_spool spool
install -d elsewhere
# shellcheck disable=SC2086 # words

rm -rf spool
as_bare "missing" 0 $stencil
if in_full; then
    : >spool
    as_bare "a file" 0 $stencil
fi
rm spool
make_spool spool

# in_place NAME: with what is made there by the last command
in_place() {
    run bare $stencil
    site $stencil
    same "$1: as bare" "$(cat bare.code bare.out bare.err)" "$(cat site.code site.out site.err)"
}
ln -s "$PWD/elsewhere" spool/anna
in_place "a link in the place of the user's folder"
same "it is not followed" "" "$(ls elsewhere)"
rm spool/anna
if in_full; then
    install -d spool/anna/2000
    : >"spool/anna/$(date +%Y)"
    in_place "a file in the place of a year"
    rm -r spool/anna
fi

if [ "$(id -u)" = 0 ]; then
    install -d -o nobody -m 777 spool/anna
    in_place "a folder of somebody else"
    same "it is not used" "" "$(ls spool/anna)"
    rm -r spool/anna
    if mount -t tmpfs -o size=64k none spool 2>/dev/null; then
        head -c 64k /dev/zero >spool/fill 2>/dev/null
        in_place "full"
        same "full: nothing is left there" "" "$(find spool -type f ! -name fill)"
        if in_full; then
            rm spool/fill
            head -c 52k /dev/zero >spool/fill
            in_place "nearly full"
        fi
        umount spool
    else
        skip "full" "no file system can be mounted here"
    fi
else
    skip "a folder of somebody else, and full" "only root can make them"
fi
