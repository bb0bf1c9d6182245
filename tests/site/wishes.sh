# SPDX-License-Identifier: BSD-3-Clause
# Users who do not want a record, or more than one; programs that leave none; what is configured wrongly.

make_spool spool
stencil="timeout $patience $MPIRUN -np 2 $programs/stencil2d 100"
# shellcheck disable=SC2086 # words
EFGTRACE_MODE=off as_bare "opted out" 0 $stencil
EFGTRACE_EXCLUDE="nothing, stencil*" as_bare "excluded by its name" 0 $stencil
in_full && EFGTRACE_EXCLUDE="*/tests/programs/*" as_bare "excluded by its folder" 0 $stencil
in_full && EFGTRACE_EXCLUDE="tests, /usr/*, stencil" as_bare "not excluded" 1 $stencil

clear_spool
longer="timeout $patience $MPIRUN -np 2 $programs/stencil2d 2000" # its window comes, whatever else the machine does
# shellcheck disable=SC2086 # words
EFGTRACE_OUTPUT=$PWD/own site $longer
same "a folder of its own: exit code" 0 "$(cat site.code)"
same "a folder of its own: it has a trace" yes "$([ -f own/traces.otf2 ] && echo yes)"
has "a folder of its own: the summary is printed" "Main loop" site.err
if in_full; then
    # shellcheck disable=SC2086 # words
    EFGTRACE_ITERATIONS=3 site $longer
    has "another key: as without site" "3 iterations" site.err
    site timeout $patience $MPIRUN -np 2 "$tool" run "$programs/stencil2d" 100
    has "efgtrace run: as without site" "Main loop" site.err
fi
same "none of these leaves a record" "" "$(records)"
run tool timeout $patience $MPIRUN -np 2 "$tool" run --site --spool "$spool" "$programs/stencil2d" 100
same "efgtrace run --site: nothing is printed" "0 " "$(cat tool.code) $(cat tool.err)"
same "efgtrace run --site: a record" 1 "$(records | wc -l)"

EFGTRACE_ITERATIONS=few site $stencil
same "a wrong key: exit code and output" "0 ok stencil2d: 100 steps" "$(cat site.code) $(cat site.out)"
has "a wrong key: its user is told" 'iterations cannot be "few"' site.err
same "a wrong key: once" 1 "$(grep -c few site.err)"
run check env EFGTRACE_SITE=on "$tool" check
has "check: what a record is" "mode       = graph        from: site = on" check.out
EFGTRACE_SPOOL=here run check "$tool" check
has "check: a spool that is no path" 'spool cannot be "here"; expected a path that begins with /' check.err
