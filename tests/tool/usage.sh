# SPDX-License-Identifier: BSD-3-Clause
# efgtrace run, used wrongly.

gives "run: no program" 2 "which program?" "$tool" run
gives "run: no program after --" 2 "which program?" "$tool" run -n 5 --
gives "run: unknown option" 2 'there is no option "--itertions"; did you mean "--iterations"?' \
    "$tool" run --itertions 5 true
gives "run: unknown short option" 2 'there is no option "-x"' "$tool" run -x true
gives "run: key with the wrong dash" 2 'did you mean "--log-limit"?' \
    "$tool" run --log_limit 1G true
gives "run: value missing" 2 "option --output: the value is missing; expected --output DIR" \
    "$tool" run --output
gives "run: bad number" 2 'option -n: iterations cannot be "ten": not a whole number' \
    "$tool" run -n ten true
gives "run: out of range" 2 "too small; expected a whole number from 1 to 1000000" \
    "$tool" run --iterations=0 true
gives "run: bad unit" 2 'option --interval: interval cannot be "5 minutes": no such unit' \
    "$tool" run --interval "5 minutes" true
gives "run: no unit" 2 'interval cannot be "100": the unit is missing' \
    "$tool" run --interval 100 true
gives "run: bad word" 2 'option -m: mode cannot be "fast": no such word; expected adaptive|full' \
    "$tool" run -m fast true
gives "run: help" 0 "--keep-logs" "$tool" run -n 5 --help
