# SPDX-License-Identifier: BSD-3-Clause
# Completion of efgtrace for bash. Commands, options and their words are those that --help lists.

_efgtrace_words()
{
    local tool=$1 command=$2 before=$3 word=$4
    case $word in
        -*) "$tool" "$command" --help | sed -nE 's/^ +((-[A-Za-z]), )?(--[a-z-]+)([^a-z-].*)?$/\2 \3/p' ;;
        *) case $before in # "  -f, --format text|json|html   html: a web page"
            -?*) "$tool" "$command" --help | grep -E -e "^ .*(^| )$before[, ]" |
                sed -nE 's/^.*--[a-z-]+ \[?([a-z0-9]+(\|[a-z0-9]+)+)\]?( .*)?$/\1/p' |
                tr '|' ' ' ;;
        esac ;;
    esac
}

_efgtrace()
{
    local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
    # "--format=json" is three words here
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$word" != = ] || word=
    if ((COMP_CWORD == 1)) || [ "$before" = help ]; then
        words="$("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p') help --help --version"
    else
        words=$(_efgtrace_words "$tool" "${COMP_WORDS[1]}" "$before" "$word")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [ -n "$words" ] || compopt -o default 2>/dev/null # files
}
complete -F _efgtrace efgtrace
