# SPDX-License-Identifier: BSD-3-Clause
# A disk that is full.

of_steps 2000 100
mkdir small
small=$PWD/small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=2M none "$small" 2>/dev/null; then
    traced -o small/run -m full
    same "full disk: exit code and output" "0 ok stencil2d: 2000 steps" "$code $(cat out)"
    same "full disk: it is said" "yes" "$(grep -q "No space left" err && echo yes)"
    hasnt "full disk: nothing crashes" "signal" err
    if [ ! -e small/run/traces.otf2 ]; then
        grep -q "records nothing" err || # there was no room for some rank's log, not even for its beginning
            has "full disk: the summary says what to do" '`efgtrace trace -o DIR2 DIR` does it' err
        "$tool" trace -o elsewhere.full small/run >said 2>&1
        same "full disk: a trace elsewhere" "0 elsewhere.full/traces.otf2" "$? $(cat said)"
        verdict "full disk: otf2-print accepts the trace" "$(unreadable elsewhere.full/traces.otf2)"
    fi
    : >small/fill && cat /dev/zero >small/fill 2>/dev/null
    traced -o small/none
    same "no room at all: exit code and output" "0 ok stencil2d: 2000 steps" "$code $(cat out)"
    has "no room at all: it is said" "No space left" err
    same "no room at all: no empty files" "" "$(find small/none -type f -size 0)"
    umount "$small"
else
    skip "full disk" "only root can mount a small file system, and not everywhere"
fi
