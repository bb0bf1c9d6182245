# SPDX-License-Identifier: BSD-3-Clause
# Completion in shells: commands, options, and their words.

# bash_offers WANTED WORD...: after these words, the last of which may be empty
bash_offers() {
    local wanted=$1
    shift
    same "bash: efgtrace $*" "$wanted" "$(PATH=$build:$PATH bash -c '
        . "$0" && COMP_WORDS=(efgtrace "$@") && COMP_CWORD=$# && _efgtrace && echo "${COMPREPLY[*]}"' \
        "$root/config/completion/efgtrace.bash" "$@")"
}
bash_offers "report" rep
bash_offers "graph" gr
bash_offers "--select --skip --signature --stable --sequence --save --summary --symbols --site --spool" run --s
bash_offers "--from --format" expand --f
bash_offers "perfetto json otf2 simgrid folded csv" export -f ""
bash_offers "html" report --format h
bash_offers "adaptive full graph off" run --mode ""
bash_offers "auto finer coarser" run --level =
bash_offers "finer" run --level = f
bash_offers "report" help re
bash_offers "" report ""
for command in $("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    same "bash: all options of $command" "$("$tool" "$command" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort | paste -sd ' ')" \
        "$(PATH=$build:$PATH bash -c '. "$0" && COMP_WORDS=(efgtrace "$1" --) COMP_CWORD=2 && _efgtrace && printf "%s\n" "${COMPREPLY[@]}"' \
            "$root/config/completion/efgtrace.bash" "$command" | sort | paste -sd ' ')"
done

# zsh_offers WANTED WORD...: what its completion is told, whatever the last word begins with
zsh_offers() {
    local wanted=$1
    shift
    same "zsh: efgtrace $*" "$wanted" "$(PATH=$build:$PATH zsh -f -c '
        file=$0
        compadd() { shift; print -r -- $* }
        _describe() { print -r -- ${found%%:*} }
        _files() { print files }
        compset() { }
        complete() { . "$file" }
        words=(efgtrace "$@") CURRENT=$(($# + 1))
        complete' "$root/config/completion/_efgtrace" "$@" 2>&1)"
}
zsh_offers "$(PATH=$build:$PATH efgtrace --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | paste -sd ' ') help" help ""
zsh_offers "text html json" report -f ""
zsh_offers "text html json" report --format h
zsh_offers "auto finer coarser" run --level=f
zsh_offers "files" report ""
