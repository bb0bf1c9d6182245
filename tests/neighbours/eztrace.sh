# SPDX-License-Identifier: BSD-3-Clause
# EZTrace, which Debian has: it looks functions up, and agrees on its clocks by calls of its own.

module=openmpi
[ "$mpi" = MPICH ] && module=mpich
if [ "$(eztrace_avail 2>/dev/null | grep -c "^$module\b")" = 1 ] && command -v otf2-print >/dev/null; then
    wanted=$(by all all all | add)
    run "" "$work/ring"
    bare="$code $(cat out)"
    own=$(eztrace -t $module -o none env | sed -n 's/^LD_PRELOAD=//p')
    for order in "$own $tracing" "$tracing $own"; do
        in_full || [ "$order" = "$own $tracing" ] || continue
        case $order in "$own"*) place=before ;; *) place=behind ;; esac
        folder=$PWD/trace.$place
        run "$order" env EZTRACE_TRACE=$module EZTRACE_TRACE_DIR="$folder.its" EFGTRACE_MODE=full \
            EFGTRACE_OUTPUT="$folder" "$work/ring"
        same "EZTrace $place: as bare" "$bare" "$code $(grep ' of ' out)"
        same "EZTrace $place: its calls" "$wanted" "$(called "$(find "$folder.its" -name '*.otf2')")"
        contains "EZTrace $place: all messages have both ends" "$(says "$folder")" "(100%)"
        [ $place = before ] || same "EZTrace $place: our calls" "$wanted" "$(called "$folder/traces.otf2")"
        accepted "EZTrace $place" "$folder/traces.otf2"
    done
else
    skip "EZTrace" "it is not there"
fi
