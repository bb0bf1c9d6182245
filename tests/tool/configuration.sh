# SPDX-License-Identifier: BSD-3-Clause
# Files and variables of the configuration: what is wrong in them, and which one wins.

printf '# of ours\nmode = full\n\nitertions = 5\n' >wrong.conf
printf 'iterations = 5\ninterval = 50ms # often\n' >right.conf
mkdir folder
gives "file: unknown key" 1 \
    'wrong.conf:4: there is no key "itertions"; did you mean "iterations"?' "$tool" check wrong.conf
gives "file: missing" 1 "none.conf: cannot be read: No such file" "$tool" check none.conf
gives "file: a folder" 1 "folder is a folder, and what is checked is a configuration file" "$tool" check folder
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
