# SPDX-License-Identifier: BSD-3-Clause
# Preloaded by hand, without efgtrace run.

of_steps 1000
launch env LD_PRELOAD="$library" EFGTRACE_INTERVAL=20ms EFGTRACE_OUTPUT=by_hand "${stencil[@]}"
as_bare "preloaded"
accepted "preloaded" by_hand/traces.otf2 --iterations 10
if in_full; then
    launch env LD_PRELOAD="$library" EFGTRACE_INTERVAL=20ms EFGTRACE_OUTPUT=by_shell \
        bash -c "ls / >/dev/null; ${stencil[*]}; code=\$?; echo bash >&2; exit \$code"
    as_bare "preloaded into a shell"
    same "preloaded into a shell: it works as always" 4 "$(grep -c '^bash$' err)"
    accepted "preloaded into a shell" by_shell/traces.otf2 --iterations 10
fi
traced
same "the folder's name by default" 1 "$(ls -d efgtrace.stencil2d.[0-9]* 2>/dev/null | wc -l)"
has "the next command to type" "efgtrace report " err
