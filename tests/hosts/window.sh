# SPDX-License-Identifier: BSD-3-Clause
# A window on two hosts: the same iterations, every message matched, none received before it was sent.

test_program stencil2d adaptive --iterations 10
test_program pingpong adaptive --iterations 10
