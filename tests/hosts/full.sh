# SPDX-License-Identifier: BSD-3-Clause
# The same of all of a run, with the logs on the hosts while it runs.

mkdir "$work/near" && near=$work/near
test_program pingpong full --full --iterations 0
near=
