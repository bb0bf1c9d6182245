# SPDX-License-Identifier: BSD-3-Clause
"""efgtrace for Spack: the folder config/spack belongs into packages/efgtrace of a repository of yours.
`make dist` makes the archive; with it in the current folder: spack install --no-checksum efgtrace"""
import os

from spack.package import *

try:  # Until Spack 0.23 it comes with the line above.
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Efgtrace(MakefilePackage):
    """Traces a few iterations of the main loop of unmodified MPI programs."""

    manual_download = True
    url = f"file://{os.getcwd()}/efgtrace-0.1.0.tar.gz"
    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi")
    depends_on("otf2")
    depends_on("elfutils")
    depends_on("libunwind")
    depends_on("hwloc")
    depends_on("libinih")
    depends_on("cjson")
    depends_on("sqlite")
    # It is an archive there, which becomes a part of our libraries.
    depends_on("zydis cflags=-fPIC", when="target=x86_64:")

    def flags(self, spec, prefix):
        """One MPI: that of the spec."""
        return [f"PREFIX={prefix}", f"MPICC={spec['mpi'].mpicc}", "D3=", "DAGRE="]

    def build(self, spec, prefix):
        make("all", *self.flags(spec, prefix))

    def install(self, spec, prefix):
        make("install", *self.flags(spec, prefix))

    def setup_run_environment(self, env):
        env.set("EFGTRACE_ROOT", self.prefix)
        env.prepend_path("CPATH", self.prefix.include.efgtrace)
        env.prepend_path("PYTHONPATH", self.prefix.include.efgtrace)
