# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM without a launcher.

terminate alone
{ wait $job; } 2>/dev/null
same "SIGTERM, without a launcher: it ends by it" 143 $?
job=
verdict "SIGTERM, without a launcher: a piece" "$([ -f alone/pieces/0.0.efg ] || ls alone alone/pieces)"
