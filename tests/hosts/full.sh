# SPDX-License-Identifier: BSD-3-Clause
# The same of all of a run.

test_program pingpong full --full --iterations 0
