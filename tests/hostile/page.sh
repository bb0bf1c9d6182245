# SPDX-License-Identifier: BSD-3-Clause
# A link in the way of the page.

# victim_is_safe NAME: the file that links lead to is as it was
victim_is_safe() {
    same "$1 is not followed" mine "$(head -c 40 "$PWD/victim")"
}

echo mine >victim
cp -r "$work/file" planted
ln -s "$PWD/victim" planted/report.html
"$tool" report --html planted >said 2>&1
same "a link in place of the page" "0 planted/report.html" "$? $(cat said)"
victim_is_safe "it"
verdict "the page is a file" "$([ ! -L planted/report.html ] || ls -l planted)"
