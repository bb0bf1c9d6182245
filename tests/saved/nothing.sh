# SPDX-License-Identifier: BSD-3-Clause
# There is nothing that can be read.

cp -r "$work/left" fewer
rm fewer/pieces/*
echo nothing >fewer/pieces/0.0.efg
"$tool" trace fewer >said 2>&1
same "no piece can be read" 1 $?
has "no piece can be read: says so" "cannot make fewer/run.efg: no piece can be read" said
verdict "no piece can be read: nothing is left" "$(ls fewer/run.efg* 2>/dev/null)"
rm fewer/pieces/*
"$tool" report fewer >said 2>&1
has "no piece: report says it" "has saved nothing yet (EFGTRACE_SAVE)" said
