# SPDX-License-Identifier: BSD-3-Clause
# A library begins MPI in its constructor, or ends it when main has returned: in its destructor, or in a function
# that it has given to atexit in its constructor. Both are outside the time from our constructor to when main has returned.

$MPICC -g -O1 -shared -fPIC "$root/tests/life/library.c" -o libserve.so &&
    $MPICC -g -O1 "$root/tests/life/served.c" -o served ./libserve.so || exit 2

# served WORDS: bare and traced, to the folder out.WORDS
served() {
    folder=out.$1
    export LIBRARY=$1
    launch ./served
    cp out bare && bare=$code
    launch "$tool" run --interval 20ms -o "$folder" ./served
    same "library, $1: exit code" "$bare" "$code"
    same "library, $1: output" "$(sort bare)" "$(sort out)"
    hasnt "library, $1: nobody says that nothing was traced" "nothing was traced" err
    unset LIBRARY
}

for when in init-destructor init-atexit destructor $(in_full && echo init-earlier atexit); do
    served "$when"
    has "library, $when: summary" "Traced       10 iterations" err
    accepted "library, $when" "$folder/traces.otf2" --iterations 10
    same "library, $when: its calls, too" 501 \
        "$("$tool" expand --rank 0 "$folder" 2>/dev/null | grep -c MPI_Allreduce)"
done
