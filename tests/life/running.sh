# SPDX-License-Identifier: BSD-3-Clause
# A job that still runs: efgtrace trace makes a trace of what there is, and disturbs nothing.

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
