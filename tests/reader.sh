#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace.py as a reader: its tables are what the trace and the run file have; what cannot be read is an error
# that says why. With pandas, if it is there.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
compile stencil2d nested_solver || exit 2
cd "$work" || exit 2

traced stencil2d -- "$programs/stencil2d"
traced nested_solver -- "$programs/nested_solver"
graphed untraced 2 -- "$programs/stencil2d"
for run in stencil2d nested_solver; do
    while IFS=$'\t' read -r name why; do verdict "$run: $name" "$why"; done < <(
        EFGTRACE_TOOL=$tool "$python" "$root/tests/reader.py" $run $run/traces.otf2 2>&1)
done

# said CODE: the last line that Python prints
said() {
    EFGTRACE_TOOL=$tool PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/libefgtrace/user "$python" -c "import efgtrace; $1" 2>&1 |
        tail -n 1
}

same "no folder" "OSError: efgtrace report: nowhere: No such file or directory; name the folder that a run wrote" \
    "$(said 'efgtrace.Run("nowhere").rows("loops")')"
has "no trace" "OSError: efgtrace export: " <(said 'efgtrace.Run("untraced").rows("events")')
same "a run without a trace has the other tables" 2 "$(said 'print(len(efgtrace.Run("untraced").rows("ranks")))')"
has "no such table" "no table 'call': there are calls, nodes, " <(said 'efgtrace.Run("stencil2d").rows("call")')
has "no tool" "say where by EFGTRACE_TOOL" <(
    said 'efgtrace.__file__ = "/x"; import os; del os.environ["EFGTRACE_TOOL"]; os.environ["PATH"] = ""; efgtrace.Run("x")')
printf '#!/bin/sh\necho "{\\"format\\": \\"efgtrace-report\\", \\"version\\": 2}"\n' >later
chmod +x later
has "JSON of a later version" "writes efgtrace-report of version 2; this module reads efgtrace-report of version 1" <(
    said 'efgtrace.Run("stencil2d", "./later").rows("loops")')
same "where pandas is needed, that is said" \
    "ImportError: a data frame needs pandas, which is not installed; without it: rows('loops')" \
    "$(said 'import sys; sys.modules["pandas"] = None; efgtrace.Run("stencil2d")["loops"]')"
same "pandas is not needed" True "$(said 'import sys; sys.modules["pandas"] = None; print(len(efgtrace.Run("nested_solver").rows("calls")) > 0)')"
finish
