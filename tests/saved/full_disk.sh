# SPDX-License-Identifier: BSD-3-Clause
# A disk that is full.

mkdir small
small=$PWD/small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none "$small" 2>/dev/null; then
    cat /dev/zero >small/fill 2>/dev/null
    rm small/fill && head -c 61440 /dev/zero >small/fill
    ranks 2 "$tool" run -m graph --save 20ms --interval 20ms --summary off -o small/run \
        "$programs/stencil2d" 1000 500 >out 2>err
    same "full disk: exit code and output" "0 ok stencil2d: 1000 steps" "$? $(cat out)"
    verdict "full disk: it is said once a rank at most" "$(
        grep 'cannot be saved' err | sort | uniq -d | head -n 1)"
    has "full disk: it is said" 'cannot be saved, in case the job is killed: No space left' err
    umount "$small"
else
    skip "full disk" "only root can mount a small file system, and not everywhere"
fi
