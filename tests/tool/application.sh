# SPDX-License-Identifier: BSD-3-Clause
# What the application gets from efgtrace run: its arguments, its files, its environment, and what it would get without.

gives "exit code" 7 "" "$tool" run sh -c 'exit 7'
gives "program not found" 127 "no-such-program: cannot be started: not found" \
    "$tool" run no-such-program
: >text
gives "program not executable" 126 "text: cannot be started: Permission denied" "$tool" run ./text
printf '#!/no/such/interpreter\n' >script && chmod +x script
gives "script without its interpreter" 126 "interpreter" "$tool" run ./script
same "arguments" "<a b><><-n><--help><*><ü>" \
    "$("$tool" run -n 5 -- printf '<%s>' 'a b' '' -n --help '*' ü)"
same "options end at the program" "<-n><5>" "$("$tool" run printf '<%s>' -n 5)"
same "standard input" "through" "$(echo through | "$tool" run cat)"
"$tool" run sh -c 'echo out; echo err >&2' >out 2>err
same "standard output" out "$(cat out)"
same "standard error" err "$(cat err)"
same "working folder" "$PWD" "$("$tool" run pwd)"
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
