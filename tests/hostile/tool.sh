# SPDX-License-Identifier: BSD-3-Clause
# The tool, with links in the folder of a job that ended without MPI_Finalize.

ranks 2 "$tool" run -m full --save 5ms --summary off -o left "$work/planter" leave >out 2>err
same "a folder for the tool" "left/logs left/pieces 4" "$(ls -d left/* | xargs) $(ls left/*/* | wc -l)"

# tool_meets NAME CODE TEXT LINK TARGET COMMAND...: with the LINK in a copy of $from, the folder "copy"
from=left
tool_meets() {
    local name=$1 code=$2 text=$3 link=$4 target=$5
    shift 5
    renew && rm -rf copy && cp -r "$from" copy && rm -rf "copy/${link:?}" && ln -s "$target" "copy/$link"
    "$tool" "$@" >said 2>&1
    same "$name: exit code" "$code" $?
    contains "$name: said" "$(tail -c 300 said)" "$text"
    not_followed "$name"
}
cp -r left elsewhere
tool_meets "trace, logs a link" 0 copy/run.efg logs "$PWD/elsewhere/logs" trace copy
verdict "trace, logs a link: nothing is read of them" "$(ls -d copy/traces.otf2 2>/dev/null)"
tool_meets "trace, pieces a link" 0 copy/traces.otf2 pieces "$PWD/elsewhere/pieces" trace copy
verdict "trace, pieces a link: nothing is read of them" "$(ls -d copy/run.efg 2>/dev/null)"
tool_meets "trace, a log a link" 0 "0.0.log is left out: it is a link" logs/0.0.log "$PWD/elsewhere/logs/0.0.log" trace copy
tool_meets "trace, a piece a link" 0 "0.0.efg: it is a link" pieces/0.0.efg "$PWD/elsewhere/pieces/0.0.efg" trace copy
tool_meets "trace, run.efg a link" 0 copy/traces.otf2 run.efg "$PWD/theirs/run.efg" trace copy
tool_meets "trace, run.efg.new a link" 0 copy/run.efg run.efg.new "$PWD/theirs/run.efg.new" trace copy
for name in traces traces.part traces.def traces.otf2; do
    tool_meets "trace, $name a link" 1 "will not overwrite copy" $name "$PWD/theirs/$name" trace copy
done
"$tool" trace -o whole left >out 2>err
from=whole
tool_meets "report, run.efg a link" 1 "run.efg: it is a link" run.efg "$PWD/whole/run.efg" report copy
for name in traces.otf2 traces.def traces traces/0.evt; do
    tool_meets "export, $name a link" 1 "it is a link" $name "$PWD/whole/$name" export copy
done
tool_meets "expand, traces a link" 1 "there is a trace already" traces "$PWD/theirs/traces" \
    expand --format otf2 -o copy whole
ln -s whole/run.efg named.efg
"$tool" report named.efg >said 2>&1
same "a link that the user names" 0 $?
