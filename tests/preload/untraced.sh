# SPDX-License-Identifier: BSD-3-Clause
# Without a tracer: there is none, or it is off.

mkdir alone && cp "$library" alone/
library=$PWD/alone/libefgtrace.so
run 1 "$work/end"
contains "no runtime library: said" "$(cat "$work/err")" "$runtime"
contains "no runtime library: said" "$(cat "$work/err")" "runs untraced"
same "no runtime library: the job runs" "finalized 1 0" "$out $code"
run 1 env EFGTRACE_MODE=off "$work/end"
same "off: silent" "finalized 1 0 " "$out $code $(cat "$work/err")"
library=$work/libefgtrace.so
run 1 env FAKE_OFF=1 "$work/end"
same "switched off by the configuration: silent" "finalized 1 0 " "$out $code $(cat "$work/err")"
