# SPDX-License-Identifier: BSD-3-Clause
# A run file that names another folder.

cp "$work/file/run.efg" moved.efg
"$tool" report --html moved.efg >said 2>&1
same "a run file that names another folder: the page is beside it" "0 ./report.html" "$? $(cat said)"
