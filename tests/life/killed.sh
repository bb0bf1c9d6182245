# SPDX-License-Identifier: BSD-3-Clause
# A rank is killed: of the logs, efgtrace trace makes the trace.

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
