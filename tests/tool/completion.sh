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
if command -v zsh >/dev/null; then
    verdict "zsh reads it" "$(zsh -n "$root/config/completion/_efgtrace" 2>&1)"
fi
