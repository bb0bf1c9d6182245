# SPDX-License-Identifier: BSD-3-Clause
# A link in the way of the run file.

cp -r "$work/left" planted && echo mine >victim && ln -s "$PWD/victim" planted/run.efg.new
"$tool" trace planted >said 2>err
same "a link in the way of the run file" "0 planted/run.efg mine" "$? $(cat said) $(cat victim)"
