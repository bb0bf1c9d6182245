#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The command line as a user meets it: what goes wrong, with which message and exit code,
# and that `efgtrace run` changes nothing but the environment of the application.
#
#   tests/tool.sh           environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
unset OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK SLURM_PROCID
cd "$work" || exit 2

# gives NAME CODE TEXT COMMAND...: COMMAND ends with CODE, and prints TEXT somewhere
gives() {
    local name=$1 code=$2 text=$3 output got
    shift 3
    output=$("$@" 2>&1 </dev/null)
    got=$?
    if [ "$got" != "$code" ]; then
        verdict "$name" "exit code $got instead of $code, and: $output"
    else
        contains "$name" "$output" "$text"
    fi
}

# --- commands ---

gives "no command" 2 "Usage: efgtrace COMMAND" "$tool"
gives "help" 0 "Usage: efgtrace COMMAND" "$tool" --help
gives "help as a command" 0 "Usage: efgtrace COMMAND" "$tool" help
gives "help on a command" 0 "Usage: efgtrace run" "$tool" help run
gives "help on an unknown command" 2 'did you mean "run"?' "$tool" help rum
gives "version" 0 "efgtrace " "$tool" --version
gives "unknown command" 2 'there is no command "reprot"; did you mean "report"?' "$tool" reprot
gives "a program for a command" 2 "efgtrace run ./app" "$tool" ./app
gives "unknown option of the tool" 2 'there is no option "--versoin"; did you mean "--version"?' \
    "$tool" --versoin
if [ -w /dev/full ]; then
    "$tool" check >/dev/full 2>err
    same "full disk under standard output" 1 $?
    mkdir sample
    "$build/tests/test_summary" --write sample/run.efg
    for command in "report --all" "report --json" "report --signatures" "graph -f json" graph \
        "compare --all sample" "compare -f json sample"; do
        "$tool" $command sample >/dev/full 2>err
        same "$command to a full disk: one message" "1 1 1" \
            "$? $(wc -l <err) $(grep -c 'standard output.*No space left' err)"
    done
fi

# --- run: wrong use ---

gives "run: no program" 2 "which program?" "$tool" run
gives "run: no program after --" 2 "which program?" "$tool" run -n 5 --
gives "run: unknown option" 2 'there is no option "--itertions"; did you mean "--iterations"?' \
    "$tool" run --itertions 5 true
gives "run: unknown short option" 2 'there is no option "-x"' "$tool" run -x true
gives "run: key with the wrong dash" 2 'did you mean "--log-limit"?' \
    "$tool" run --log_limit 1G true
gives "run: value missing" 2 "option --output: the value is missing; expected --output DIR" \
    "$tool" run --output
gives "run: bad number" 2 'option -n: iterations cannot be "ten": not a whole number' \
    "$tool" run -n ten true
gives "run: out of range" 2 "too small; expected a whole number from 1 to 1000000" \
    "$tool" run --iterations=0 true
gives "run: bad unit" 2 'option --interval: interval cannot be "5 minutes": no such unit' \
    "$tool" run --interval "5 minutes" true
gives "run: no unit" 2 'interval cannot be "100": the unit is missing' \
    "$tool" run --interval 100 true
gives "run: bad word" 2 'option -m: mode cannot be "fast": no such word; expected adaptive|full' \
    "$tool" run -m fast true
gives "run: help" 0 "--keep-logs" "$tool" run -n 5 --help

# --- configuration ---

printf '# of ours\nmode = full\n\nitertions = 5\n' >wrong.conf
printf 'iterations = 5\ninterval = 50ms # often\n' >right.conf
mkdir folder
gives "file: unknown key" 1 \
    'wrong.conf:4: there is no key "itertions"; did you mean "iterations"?' "$tool" check wrong.conf
gives "file: missing" 1 "none.conf: cannot be read: No such file" "$tool" check none.conf
gives "file: a folder" 1 "folder: cannot be read: Is a directory" "$tool" check folder
gives "file: a program" 1 "NUL byte: this is no text file" "$tool" check "$tool"
gives "file: right" 0 "5 iterations of the main loop are recorded, then tracing is off" \
    "$tool" check right.conf
gives "file: every key" 0 "mode       = adaptive" "$tool" check "$root/config/efgtrace.conf"
if [ "$(id -u)" = 0 ]; then
    verdict "file: unreadable (skipped: root reads everything)" ""
else
    cp right.conf closed.conf && chmod 000 closed.conf
    gives "file: unreadable" 1 "closed.conf: cannot be read: Permission denied" \
        "$tool" check closed.conf
fi
gives "check: unknown option" 2 'there is no option "--all"' "$tool" check --all
gives "check: two files" 2 "one file at a time" "$tool" check right.conf right.conf
gives "environment: wrong value" 2 \
    'environment variable EFGTRACE_ITERATIONS: iterations cannot be "ten"' \
    env EFGTRACE_ITERATIONS=ten "$tool" run true
gives "environment: unknown key" 2 \
    "environment variable EFGTRACE_LOGLIMIT: there is no such key; did you mean EFGTRACE_LOG_LIMIT?" \
    env EFGTRACE_LOGLIMIT=1G "$tool" run true
gives "environment: missing file" 2 \
    "environment variable EFGTRACE_CONF: none.conf: cannot be read: No such file" \
    env EFGTRACE_CONF=none.conf "$tool" run true
gives "environment: wrong file" 2 "wrong.conf:4: there is no key" \
    env EFGTRACE_CONF=wrong.conf "$tool" run true
gives "wrong configuration starts nothing" 2 "wrong.conf:4" \
    env EFGTRACE_CONF=wrong.conf "$tool" run touch started
same "nothing was started" "" "$(ls started 2>/dev/null)"
gives "the file named is found" 0 "from: right.conf:1" env EFGTRACE_CONF=right.conf "$tool" check
cp right.conf efgtrace.conf
gives "the file here is found" 0 "from: ./efgtrace.conf:1" "$tool" check
gives "the environment beats the file" 0 "from: environment variable EFGTRACE_ITERATIONS" \
    env EFGTRACE_ITERATIONS=7 "$tool" check
cp wrong.conf efgtrace.conf
gives "the file here is checked" 2 "./efgtrace.conf:4: there is no key" "$tool" run true
rm efgtrace.conf

# --- run: what the application gets ---

gives "exit code" 7 "" "$tool" run sh -c 'exit 7'
gives "program not found" 127 "no-such-program: cannot be started: not found" \
    "$tool" run no-such-program
gives "program not executable" 126 "right.conf: cannot be started: Permission denied" \
    "$tool" run ./right.conf
printf '#!/no/such/interpreter\n' >script && chmod +x script
gives "script without its interpreter" 126 "interpreter" "$tool" run ./script
same "arguments" "<a b><><-n><--help><*><ü>" \
    "$("$tool" run -n 5 -- printf '<%s>' 'a b' '' -n --help '*' ü)"
same "options end at the program" "<-n><5>" "$("$tool" run printf '<%s>' -n 5)"
same "standard input" "through" "$(echo through | "$tool" run cat)"
"$tool" run sh -c 'echo out; echo err >&2' >out 2>err
same "standard output" out "$(cat out)"
same "standard error" err "$(cat err)"
same "working folder" "$work" "$("$tool" run pwd)"
"$tool" run sleep 100 &
pid=$!
sleep 0.3
same "it is the process that was started" sleep "$(cat /proc/$pid/comm)"
kill -TERM $pid
{ wait $pid; } 2>/dev/null
same "signals" 143 $?

env | grep -v '^_=' | sort >bare
"$tool" run env | grep -v '^_=' | sort >traced
same "environment: LD_PRELOAD and no more" "> LD_PRELOAD=$build/libefgtrace.so" \
    "$(diff bare traced | grep '^[<>]')"
same "environment: options" "EFGTRACE_ITERATIONS=9 EFGTRACE_LOG_LIMIT=2M EFGTRACE_MODE=graph \
EFGTRACE_OUTPUT=x y EFGTRACE_SUMMARY=off EFGTRACE_VERBOSE=on" \
    "$("$tool" run -n9 -m graph --log-limit=2M -o 'x y' --summary off -v env | grep ^EFGTRACE |
        sort | paste -sd ' ')"
same "an on|off option alone" "EFGTRACE_KEEP_LOGS=on" \
    "$("$tool" run --keep-logs env | grep ^EFGTRACE)"
same "an option beats the environment" "EFGTRACE_ITERATIONS=9" \
    "$(EFGTRACE_ITERATIONS=7 "$tool" run -n 9 env | grep ^EFGTRACE)"
same "no file is written by a program without MPI" "" "$(ls -d efgtrace.* 2>/dev/null)"

# --- run: the library ---

: >other.so
same "LD_PRELOAD of others is kept" "$build/libefgtrace.so:$work/other.so" \
    "$(LD_PRELOAD=$work/other.so "$tool" run sh -c 'echo $LD_PRELOAD' 2>/dev/null)"

# The runtime of AddressSanitizer has to be the first one.
echo 'int puts(const char *); char *getenv(const char *); int main(void) { return puts(getenv("LD_PRELOAD")) < 0; }' >asan.c
if ${CC:-gcc} -fsanitize=address asan.c -o asan 2>/dev/null; then
    asan=$(ldd asan | sed -n 's/^[[:space:]]*\(lib[a-z_.]*asan[^ ]*\) .*/\1/p')
    gives "a program with AddressSanitizer" 0 "${asan:+$asan:}$build/libefgtrace.so" "$tool" run ./asan
    gives "and another library" 0 "${asan:+$asan:}$build/libefgtrace.so:$build/libefgtrace-runtime.so" \
        env LD_PRELOAD="$build/libefgtrace-runtime.so" "$tool" run ./asan
    same "a script that is interpreted by such a program" "${asan:+$asan:}$build/libefgtrace.so" \
        "$(printf '#!%s\n' "$work/asan" >script; chmod +x script; "$tool" run ./script)"
    same "found by env" "${asan:+$asan:}$build/libefgtrace.so" \
        "$(printf '#! /usr/bin/env asan\n' >script; PATH=$PATH:$work "$tool" run ./script)"
    file=$(${CC:-gcc} -print-file-name="${asan:-libasan.so}")
    same "preloaded for a script that starts such a program" "$file:$build/libefgtrace.so:$file" \
        "$(LD_PRELOAD=$file ASAN_OPTIONS=detect_leaks=0 "$tool" run sh -c './asan' 2>&1)"
else
    skip "a program with AddressSanitizer" "the compiler has none"
fi
mkdir -p prefix/bin prefix/lib "a b" alone
cp "$tool" prefix/bin && cp "$build/libefgtrace.so" prefix/lib
cp "$tool" alone && cp "$tool" "$build/libefgtrace.so" "a b"
ln -s prefix/bin/efgtrace link
same "installed: ../lib" "$work/prefix/lib/libefgtrace.so" \
    "$(prefix/bin/efgtrace run sh -c 'echo $LD_PRELOAD')"
same "through a link" "$work/prefix/lib/libefgtrace.so" "$(./link run sh -c 'echo $LD_PRELOAD')"
gives "library missing" 1 "libefgtrace.so is neither in $work/alone nor" alone/efgtrace run true
gives "library named" 0 "" env EFGTRACE_LIBRARY="$build/libefgtrace.so" alone/efgtrace run true
gives "library named and missing" 1 "EFGTRACE_LIBRARY: none.so: not a readable file" \
    env EFGTRACE_LIBRARY=none.so "$tool" run true
gives "library in a folder with a blank" 1 "LD_PRELOAD cannot hold a path that contains a blank or a colon" \
    "a b/efgtrace" run true

warning="is statically linked: no library can be preloaded into it"
if echo 'int main(void){return 3;}' | ${CC:-cc} -static -x c - -o static 2>/dev/null; then
    gives "static program: warning" 3 "./static $warning" "$tool" run ./static
    gives "static program: first rank" 3 "$warning" env OMPI_COMM_WORLD_RANK=0 "$tool" run ./static
    same "static program: other ranks" "" "$(OMPI_COMM_WORLD_RANK=1 "$tool" run ./static 2>&1)"
else
    verdict "static program (skipped: nothing can be linked statically here)" ""
fi
same "dynamic program: no warning" "" "$("$tool" run true 2>&1)"
cp "$(type -P true)" setuid
if chown nobody setuid 2>/dev/null && chmod u+s setuid; then
    gives "setuid program: warning" 0 "./setuid is setuid" "$tool" run ./setuid
else
    verdict "setuid program (skipped: needs root)" ""
fi

# --- commands that read a run ---

mkdir empty
for command in report graph expand profile export trace pack; do
    [ -e "$root/efgtrace/$command.c" ] || continue
    gives "$command: help" 0 "Usage: efgtrace $command" "$tool" $command --help
    gives "$command: no DIR" 2 "which run? DIR is missing; see \`efgtrace $command --help\`" "$tool" $command
    gives "$command: three DIRs" 2 "one DIR at a time" "$tool" $command empty empty empty
    gives "$command: unknown option" 2 'there is no option "--no-such-option"' "$tool" $command --no-such-option empty
    gives "$command: unknown letter" 2 'there is no option "-?"' "$tool" $command '-?h' empty
    gives "$command: a value of none" 2 'no value goes with "--help=no"' "$tool" $command --help=no empty
    gives "$command: missing DIR" 1 "none" "$tool" $command none
    gives "$command: DIR that is no run" 1 "empty" "$tool" $command empty
    gives "$command: a file for a DIR" 1 "right.conf" "$tool" $command right.conf
done

finish
