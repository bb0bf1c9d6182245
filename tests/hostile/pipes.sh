# SPDX-License-Identifier: BSD-3-Clause
# Pipes in the way of logs and pieces.

mkdir -p killed/pieces killed/logs
mkfifo killed/logs/0.0.log killed/pieces/0.0.efg "killed/logs/$codes.log"
timeout 20 "$tool" trace killed >said 2>&1
same "pipes in place of logs and pieces: trace ends" 1 $?
verdict "what it says of them is text" "$(LC_ALL=C grep -nP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]' said | cat -v)"
