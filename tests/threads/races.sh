# SPDX-License-Identifier: BSD-3-Clause
# Data races, as the thread sanitizer sees them.

# raced DIR LIBRARIES COMMAND...: what it reports; DIR is the output. With a long history: where a stack is no longer
# known, what MPI does is not recognised as MPI's.
raced() {
    local dir=$1 libraries=$2
    shift 2
    ranks 2 env TSAN_OPTIONS="suppressions=$sources/foreign.supp exitcode=0 history_size=7 log_path=$work/$dir.race" \
        LD_PRELOAD="$libraries" EFGTRACE_OUTPUT="$dir" EFGTRACE_SUMMARY=off EFGTRACE_WINDOWS=3 \
        EFGTRACE_ITERATIONS=2 EFGTRACE_SAVE=5ms EFGTRACE_INTERVAL=5ms "$@" >"$dir.out" 2>&1 ||
        echo "exit code $?: $(tail -n 2 "$dir.out")"
    cat "$work/$dir.race".* 2>/dev/null | grep SUMMARY | sort | uniq -c | head -n 3
}

watched=$build/thread/libefgtrace.so
if [ "$mpi" = MPICH ] || [ ! -f "$watched" ]; then
    skip "races" "not built for the thread sanitizer (make check-all does, for Open MPI)"
else
    for name in heavy threads; do
        $MPICC -g -O1 -fsanitize=thread "$sources/$name.c" -o "$name.watched" -lpthread -ldl || exit 2
    done
    $MPICC -g -O1 -fsanitize=thread -shared -fPIC "$sources/planted.c" -o planted.so || exit 2
    verdict "races: none of ours" "$(raced races "$watched" ./heavy.watched 60)"
    for what in "finalize 20" "ends 3" "completes 10" "one_by_one 10" "puts 3"; do
        verdict "races: none in $what" "$(raced "race.$what" "$watched" ./threads.watched $what)"
    done
    contains "races: one that is planted is seen" \
        "$(raced planted "$PWD/planted.so $watched" ./heavy.watched 20)" "data race"
fi
