# SPDX-License-Identifier: BSD-3-Clause
# The commands, and what they say if their output has no room.

gives "no command" 2 "Usage: efgtrace COMMAND" "$tool"
gives "help" 0 "Usage: efgtrace COMMAND" "$tool" --help
gives "help as a command" 0 "Usage: efgtrace COMMAND" "$tool" help
gives "help on a command" 0 "Usage: efgtrace run" "$tool" help run
gives "help on an unknown command" 2 'did you mean "run"?' "$tool" help rum
gives "version" 0 "efgtrace " "$tool" --version
gives "unknown command" 2 'there is no command "reprot"; did you mean "report"?' "$tool" reprot
gives "unknown command, like none of them" 2 'no command "loops"; there are run, report, graph, ' "$tool" loops run
gives "a program for a command, in PATH" 2 "to run the program: efgtrace run true" "$tool" true
gives "a program for a command" 2 "efgtrace run ./app" "$tool" ./app
gives "unknown option of the tool" 2 'there is no option "--versoin"; did you mean "--version"?' \
    "$tool" --versoin
if [ -w /dev/full ]; then
    "$tool" check >/dev/full 2>err
    same "full disk under standard output" 1 $?
    mkdir sample
    sample --write sample/run.efg
    for command in "report --all" "report --json" "report --signatures" "graph -f json" graph \
        "compare --all sample" "compare -f json sample"; do
        "$tool" $command sample >/dev/full 2>err
        same "$command to a full disk: one message" "1 1 1" \
            "$? $(wc -l <err) $(grep -c 'standard output.*No space left' err)"
    done
fi
