# SPDX-License-Identifier: BSD-3-Clause
# What the run file says of messages and requests is what the checker counts in the trace.

for program in stencil2d persistent probes sendrecv_self waitany threads; do
    figures $program
    figures "$program 200 100" --mode full
done
figures stencil2d --windows 2
figures wavefront
