-- SPDX-License-Identifier: BSD-3-Clause
-- For Lmod. The prefix is found from where this file is: PREFIX/share/modulefiles/efgtrace/VERSION.lua
local prefix = myFileName():match("(.*)/share/modulefiles/")

whatis("Name: efgtrace")
whatis("Version: " .. myModuleVersion())
whatis("Description: traces a few iterations of the main loop of unmodified MPI programs")
help("mpirun -np 4 efgtrace run ./app; see man efgtrace")
conflict("efgtrace")
setenv("EFGTRACE_ROOT", prefix)
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CPATH", pathJoin(prefix, "include/efgtrace"))
prepend_path("PYTHONPATH", pathJoin(prefix, "include/efgtrace"))
