# SPDX-License-Identifier: BSD-3-Clause
# Ranks whose configuration is in different folders.

unset EFGTRACE_OUTPUT
mkdir here there
printf 'output = %s\nwindows = 1\n' "$PWD/trace" >here/efgtrace.conf
printf 'output = %s\nwindows = 3\n' "$PWD/trace.there" >there/efgtrace.conf
as_bare "other folders" $bare -- -np 2 $(wd here) $with $any : -np 2 $(wd there) $with $any
has "other folders: said" "rank 2 is configured differently (output, windows)" err
recorded "other folders" "0 1 2 3"
export EFGTRACE_OUTPUT=trace
