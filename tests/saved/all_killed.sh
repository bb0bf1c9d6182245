# SPDX-License-Identifier: BSD-3-Clause
# All ranks are killed, and the launcher.

begin all "$pieces" -- "${stencil[@]}"
find_ranks
kill -KILL "${children[@]}" "$job"
finished
"$tool" trace all >said 2>err
same "all ranks killed: trace" "0 all/run.efg all/traces.otf2" "$? $(xargs <said)"
is_beginning "all ranks killed" all "$work/whole" 2
