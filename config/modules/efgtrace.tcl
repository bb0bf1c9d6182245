#%Module1.0
# SPDX-License-Identifier: BSD-3-Clause
# For Environment Modules. The prefix is found from where this file is: PREFIX/share/modulefiles/efgtrace/VERSION
set file $ModulesCurrentModulefile
set version [file tail $file]
set prefix [file dirname [file dirname [file dirname [file dirname $file]]]]

proc ModulesHelp {} {
    puts stderr "mpirun -np 4 efgtrace run ./app; see man efgtrace"
}
module-whatis "Name: efgtrace"
module-whatis "Version: $version"
module-whatis "Description: traces a few iterations of the main loop of unmodified MPI programs"
conflict efgtrace
setenv EFGTRACE_ROOT $prefix
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path CPATH $prefix/include/efgtrace
prepend-path PYTHONPATH $prefix/include/efgtrace
