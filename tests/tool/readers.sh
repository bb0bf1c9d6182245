# SPDX-License-Identifier: BSD-3-Clause
# Commands that read a run: what is said if there is none.

mkdir empty
: >file
for command in report graph expand profile export trace; do
    gives "$command: help" 0 "Usage: efgtrace $command" "$tool" $command --help
    gives "$command: no DIR" 2 "which run? DIR is missing; see \`efgtrace $command --help\`" "$tool" $command
    gives "$command: three DIRs" 2 "one DIR at a time" "$tool" $command empty empty empty
    gives "$command: unknown option" 2 'there is no option "--no-such-option"' "$tool" $command --no-such-option empty
    gives "$command: unknown letter" 2 'there is no option "-?"' "$tool" $command '-?h' empty
    gives "$command: a value of none" 2 'no value goes with "--help=no"' "$tool" $command --help=no empty
    gives "$command: missing DIR" 1 "none" "$tool" $command none
    gives "$command: DIR that is no run" 1 "empty" "$tool" $command empty
    gives "$command: a file for a DIR" 1 "file" "$tool" $command file
done
