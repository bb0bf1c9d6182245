#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What a user meets around a run: wrong configuration, folders that cannot be made, jobs that
# are killed or end in other ways, disks and logs that are full, and what the keys do. The
# program is mostly tests/programs/stencil2d, on 4 ranks.
#
#   tests/life.sh           environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
unset OMPI_MCA_pml
job=

clean_up() {
    [ -n "$job" ] && kill "$job" 2>/dev/null && wait "$job" 2>/dev/null
    mountpoint -q "$work/small" 2>/dev/null && umount "$work/small"
    rm -rf "$work"
}

compile stencil2d nested_solver &&
    $MPICC -g -O1 tests/life/ending.c -o "$programs/ending" || exit 2
cd "$work" || exit 2

# launch COMMAND...: on 4 ranks, to ./out, ./err, $code
launch() {
    ranks 4 "$@" >out 2>err
    code=$?
}

# With samples at 20 ms the main loop is found within 0.2 s.
steps=400
stencil=("$programs/stencil2d" $steps 500)
traced() { # OPTION...
    launch "$tool" run --interval 20ms "$@" "${stencil[@]}"
}

# as_bare NAME: the job ended as it should
as_bare() {
    same "$1: exit code" 0 "$code"
    same "$1: output" "ok stencil2d: $steps steps" "$(cat out)"
}

# ours: our lines of ./err before the summary
ours() {
    grep '^efgtrace: ' err
}

# --- wrong configuration stops the job in MPI_Init ---

printf 'itertions = 5\n' >wrong.conf
wrong_configuration() { # NAME MESSAGE
    same "$1: exit code" 2 "$code"
    same "$1: nothing ran" "" "$(cat out)"
    same "$1: one message" "1" "$(grep -cF -e "$2" err)"
    same "$1: no folder" "" "$(ls -d efgtrace.* 2>/dev/null)"
}
launch env LD_PRELOAD="$library" EFGTRACE_ITERATIONS=ten "${stencil[@]}"
wrong_configuration "wrong value, preloaded" 'EFGTRACE_ITERATIONS: iterations cannot be "ten"'
launch env LD_PRELOAD="$library" EFGTRACE_CONF=wrong.conf "${stencil[@]}"
wrong_configuration "wrong key, preloaded" 'wrong.conf:1: there is no key "itertions"'
has "wrong key, preloaded: the nearest one" 'did you mean "iterations"?' err
if [ "$mpi" != MPICH ]; then # whose UCX would call it
    echo 'void ini_parse_stream(void) { __builtin_trap(); }' >names.c # as UCX exports one
    $MPICC -shared -fPIC names.c -o names.so || exit 2
    launch env LD_PRELOAD="$library $PWD/names.so" EFGTRACE_CONF=wrong.conf "${stencil[@]}"
    wrong_configuration "wrong key, inih of another library" 'wrong.conf:1: there is no key "itertions"'
fi
launch "$tool" run -n ten "${stencil[@]}"
wrong_configuration "wrong option, run" 'iterations cannot be "ten"'
launch env EFGTRACE_CONF=wrong.conf "$tool" run "${stencil[@]}"
wrong_configuration "wrong key, run" 'wrong.conf:1: there is no key "itertions"'
launch "$tool" run ./none
same "no such program: one message" "127 1" "$code $(grep -c './none: cannot be started: not found' err)"

# --- folders ---

: >file
for folder in file/below /proc/efgtrace; do
    traced -o $folder
    as_bare "$folder cannot be made"
    same "$folder cannot be made: one message" "1" "$(ours | grep -c "cannot make the folder $folder: ")"
    same "$folder cannot be made: and no other" "1" "$(ours | wc -l)"
done
same "a file in the way is left alone" "0" "$(stat -c %s file)"
mkdir there && echo mine >there/summary.txt
traced -o there
as_bare "the folder exists"
has "the folder exists: message" "there exists and is left alone; the output goes to there.2" err
same "the folder exists: left alone" "summary.txt mine" "$(ls there) $(cat there/summary.txt)"
accepted "there.2" there.2/traces.otf2 --iterations 10
traced -o there/new/deep/
as_bare "a folder below others"
has "a folder below others: made" "Traced       10 iterations" there/new/deep/summary.txt

# deep LENGTH: a folder whose name has so many bytes, and make it the working directory
deep() {
    local left=$(($1 - ${#work}))
    cd "$work" || exit 2
    while [ $left -gt 1 ]; do
        local part=$((left > 200 ? 199 : left - 1))
        [ $((left - 1 - part)) = 1 ] && part=$((part - 1)) # a slash and nothing
        mkdir -p "$(printf '%*s' $part '' | tr ' ' d)" && cd "$(printf '%*s' $part '' | tr ' ' d)" || exit 2
        left=$((left - 1 - part))
    done
}
for length in 2828 3900; do
    deep $length
    same "a working directory of $length characters" $length "$(pwd | tr -d '\n' | wc -c)"
    traced -o here
    as_bare "a working directory of $length characters"
    accepted "a working directory of $length characters" here/traces.otf2 --iterations 10
    same "a working directory of $length characters: nothing else is said" "" "$(ours | grep -v ' ranks on ')"
done
deep 4050
traced -o here
as_bare "a working directory of 4050 characters"
same "a working directory of 4050 characters: one message" \
    "1" "$(ours | grep -c 'cannot make the folder here: File name too long')"
same "a working directory of 4050 characters: no folder" "" "$(ls -d here 2>/dev/null)"
cd "$work" || exit 2

# --- jobs that are killed, or still run ---

# begin DIR OPTION...: a long job in the background; returns when its window is closed
begin() {
    local dir=$1 i
    shift
    $MPIRUN -np 4 "$tool" run -o "$dir" --interval 20ms -v "$@" \
        "$programs/stencil2d" 4000 500 >out 2>err </dev/null &
    job=$!
    for ((i = 0; i < 300; i++)); do
        grep -q "recorded up to iteration" err && break
        sleep 0.1
    done
    sleep 0.3 # rank 0 said so: the others are as far within some iterations
}

# ranks_of PROCESS: below it; MPICH's launcher has another process in between
ranks_of() {
    local child
    for child in $(cat "/proc/$1/task/$1/children"); do
        if [ "$(cat "/proc/$child/comm")" = stencil2d ]; then echo "$child"; else ranks_of "$child"; fi
    done
}

begin killed
kill -KILL "$(ranks_of "$job" | tail -n 1)"
{ wait "$job"; } 2>/dev/null
job=
"$tool" report killed >said 2>&1
same "killed: report fails" 1 $?
has "killed: report says what to do" '`efgtrace trace killed` writes what it has traced' said
"$tool" trace killed >said 2>&1 # the launcher ends the others by SIGTERM: they have saved
same "killed: trace" "0 killed/traces.otf2" "$? $(tail -n 1 said)"
accepted "killed" killed/traces.otf2 --iterations 10
"$tool" trace killed >said 2>&1
same "killed: once more" 1 $?
has "killed: will not overwrite" "it already has a trace" said

begin running
"$tool" trace -o elsewhere running >said 2>&1
same "running: snapshot elsewhere" "0 elsewhere/traces.otf2" "$? $(cat said)"
"$tool" trace running >said 2>&1
same "running: snapshot in place" "0 running/traces.otf2" "$? $(cat said)"
accepted "running: elsewhere" elsewhere/traces.otf2 --iterations 10
accepted "running: in place" running/traces.otf2 --iterations 10
wait "$job"
same "running: the job ends well" "0 ok stencil2d: 4000 steps" "$? $(cat out)"
job=
accepted "running: the job's own trace" running/traces.otf2 --iterations 10
same "running: no logs are left" "" "$(ls running/logs 2>/dev/null)"
"$tool" report running >said 2>&1
has "running: report" "Traced       10 iterations" said

# --- other ends ---

for how in exit abort; do
    launch "$programs/ending" $how
    bare=$code
    launch "$tool" run --interval 20ms -o ended.$how "$programs/ending" $how
    same "$how: exit code" "$bare" "$code"
    "$tool" trace ended.$how >said 2>&1
    same "$how: the logs give a trace" "0 ended.$how/run.efg ended.$how/traces.otf2" "$? $(grep -v ^efgtrace said | xargs)"
    accepted "$how" ended.$how/traces.otf2 --iterations 10
done

# --- too little room ---

stencil=("$programs/stencil2d" 5000 100)
traced -o limit -m full --log-limit 1M
same "log limit: exit code and output" "0 ok stencil2d: 5000 steps" "$code $(cat out)"
has "log limit: the summary says it" "the log ended early: log_limit is reached" limit/summary.txt
# Each rank stops where its own log is full: some may have made a collective that others have not.
verdict "log limit: otf2-print accepts the trace" "$(unreadable limit/traces.otf2)"
verdict "log limit: the checker finds nothing else" \
    "$(faults limit/traces.otf2 --min-matched 0.5 | grep -v '^FAIL collectives .* None on rank')"

"$root/tests/record.py" limit/traces.otf2 --rank 2 --iterations 2000 --case stencil2d >sequence 2>said
same "record.py: a line per call" \
    "$(otf2-print limit/traces.otf2 | grep -c '^ENTER  *2 .*Region: "MPI_')" "$(grep -vc '#' sequence)"
same "record.py: each call site is a path" "12" "$(grep -v '#' sequence | cut -d' ' -f1 | sort -nu | tail -n 1)"

mkdir small
stencil=("$programs/stencil2d" 2000 100)
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=2M none small 2>/dev/null; then
    traced -o small/run -m full
    same "full disk: exit code and output" "0 ok stencil2d: 2000 steps" "$code $(cat out)"
    same "full disk: it is said" "yes" "$(grep -q "No space left" err && echo yes)"
    hasnt "full disk: nothing crashes" "signal" err
    if [ ! -e small/run/traces.otf2 ]; then
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
    umount small
else
    skip "full disk" "only root can mount a small file system, and not everywhere"
fi

# --- AddressSanitizer ---

mkdir asan && stencil=("$work/asan/stencil2d" $steps 500)
if $MPICC -fsanitize=address -g -O1 "$root/tests/programs/stencil2d.c" -o asan/stencil2d -lm 2>/dev/null &&
    echo '#include <mpi.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            volatile char *end = malloc(8);
            MPI_Init(&argc, &argv);
            MPI_Allreduce(MPI_IN_PLACE, &argc, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            end[7 + argc / 4] = 1;
            return MPI_Finalize();
        }' >beyond.c && $MPICC -fsanitize=address -g -O1 beyond.c -o beyond; then
    export ASAN_OPTIONS=detect_leaks=0 # of which MPI libraries have many
    traced -o sanitized
    as_bare "AddressSanitizer"
    accepted "AddressSanitizer" sanitized/traces.otf2 --iterations 10
    launch ./beyond
    bare=$code
    launch "$tool" run -o beyond.out ./beyond
    same "AddressSanitizer finds an error: exit code" "$bare" "$code"
    has "AddressSanitizer finds an error: where" "beyond.c:7" err
    unset ASAN_OPTIONS
else
    skip "AddressSanitizer" "the compiler has none"
fi
stencil=("$programs/stencil2d" 2000 100)

# --- keys ---

stencil=("$programs/stencil2d" $steps 500)
traced -o quiet --summary off
as_bare "summary off"
same "summary off: nothing is said" "" "$(cat err)"
has "summary off: it is kept" "Traced       10 iterations" quiet/summary.txt

traced -o kept --keep-logs
same "keep-logs: a log per rank" "0.0.log 1.0.log 2.0.log 3.0.log" "$(ls kept/logs | xargs)"
"$tool" trace -o again kept >said 2>&1
same "keep-logs: a second trace" 0 $?
accepted "keep-logs" again/traces.otf2 --iterations 10

stencil=("$programs/stencil2d" 1000 500)
traced -o three --windows 3
same "windows 3" "3" "$(grep -c '^  *number [0-9]* to' three/summary.txt)"
accepted "windows 3" three/traces.otf2 --iterations 30
traced -o skipped --skip 300
first=$(sed -n 's/.*iterations, number \([0-9]*\) to .*/\1/p' skipped/summary.txt)
verdict "skip 300" "$([ "${first:-0}" -ge 300 ] || echo "the first iteration is ${first:-none}")"
stencil=("$programs/stencil2d" $steps 500)

traced -o told -v
as_bare "verbose"
for what in "main loop found" "the ranks agreed to record from iteration" "recording from iteration" \
    "recorded up to iteration"; do
    same "verbose: $what" 1 "$(ours | grep -c " s: $what")"
done

traced -m off -o nothing
as_bare "mode off"
same "mode off: nothing is said or written" " " "$(cat err) $(ls -d nothing 2>/dev/null)"

# visits DIR: of the pivot
visits() {
    "$tool" graph "$1" --format json |
        /usr/bin/python3 -c 'import json, sys; print((json.load(sys.stdin)["pivot"] or {"visits": 0})["visits"])'
}
for level in finer coarser; do # auto may take either
    launch "$tool" run --interval 20ms -o level.$level --level $level "$programs/nested_solver" 150 700
    inner=$(sed -n 's/^inner iterations: //p' out)
    wanted=150
    [ $level = finer ] && wanted=$inner
    got=$(visits level.$level)
    verdict "level $level" "$([ $((got - wanted)) -ge -3 ] && [ $((got - wanted)) -le 3 ] ||
        echo "$got visits of the pivot, $wanted iterations")"
    said="no loop is coarser"
    [ $level = finer ] && said="EFGTRACE_LEVEL=auto    selects the 150 x"
    has "level $level: the summary says it" "$said" level.$level/summary.txt
done

# --- preloaded by hand ---

launch env LD_PRELOAD="$library" EFGTRACE_INTERVAL=20ms EFGTRACE_OUTPUT=by_hand "${stencil[@]}"
as_bare "preloaded"
accepted "preloaded" by_hand/traces.otf2 --iterations 10
launch env LD_PRELOAD="$library" EFGTRACE_INTERVAL=20ms EFGTRACE_OUTPUT=by_shell \
    bash -c "ls / >/dev/null; ${stencil[*]}; code=\$?; echo bash >&2; exit \$code"
as_bare "preloaded into a shell"
same "preloaded into a shell: it works as always" 4 "$(grep -c '^bash$' err)"
accepted "preloaded into a shell" by_shell/traces.otf2 --iterations 10
traced
same "the folder's name by default" 1 "$(ls -d efgtrace.stencil2d.[0-9]* 2>/dev/null | wc -l)"
has "the next command to type" "efgtrace report " err

finish
