# SPDX-License-Identifier: BSD-3-Clause
# What /etc/efgtrace.conf says. It is made in a copy of /etc that these jobs alone see.

make_spool spool
cp -a /etc etc 2>/dev/null
if unshare -m sh -c 'mount --bind etc /etc' 2>/dev/null; then
    # machine TEXT COMMAND...: with this file, and nothing in the environment
    machine() {
        local text=$1
        shift
        printf '%b' "$text" >etc/efgtrace.conf
        run site unshare -m sh -c 'mount --bind etc /etc && LD_PRELOAD=$0 exec "$@"' "$library" "$@"
    }
    stencil="timeout $patience $MPIRUN -np 2 $programs/stencil2d 100"
    run bare $stencil
    # as_usual NAME RECORDS
    as_usual() {
        same "$1: as bare" "$(cat bare.code bare.out bare.err)" "$(cat site.code site.out site.err)"
        same "$1: records" "$2" "$(records | wc -l)"
    }
    machine "site = on\nspool = $spool\n" $stencil
    as_usual "site" 1
    machine "spool = $spool\n site=yes # all\nexclude = stencil2d\n" $stencil
    as_usual "excluded" 1
    if in_full; then
        machine "site = on\nspool = $spool\nno-key = 1\n" $stencil
        as_usual "a wrong key" 1
        machine "no-key = 1\nsite = on\nspool = $spool\n" $stencil
        as_usual "a wrong key before it" 1
        stencil="${stencil% *} 2000" # its window comes, whatever else the machine does
        run bare $stencil
        machine "site = on\nspool = $spool\nmode = adaptive\n" $stencil
        as_usual "a trace, if the machine wants one" 2
        same "a trace: it is there" 1 "$(find "$spool" -name traces.otf2 | wc -l)"
    fi
    machine "spool = $spool\n" $stencil
    has "no site: as always" "Main loop" site.err
else
    skip "the machine's file" "no folder can be put in the place of /etc here"
fi
