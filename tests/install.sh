#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is installed works from where it is, also once it was moved; modules and pkg-config say where.
# With a folder of their own for the libraries, as in a Debian package, it is found, too.
#
#   tests/install.sh        environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
compile stencil2d || exit 2
version=$("$tool" --version | awk '{print $2}')

# install ARGUMENT...: of make
install_it() {
    make -s -C "$root" BUILD="$build" MPICC="${MPICC%% *}" "$@" install
}

# works NAME PREFIX: a job is traced with what is there
works() {
    rm -rf out
    ranks 2 "$2/bin/efgtrace" run -m graph --summary off -o out --plugins sizes "$programs/stencil2d" 50 50 >said 2>&1
    same "$1: the job runs" "0 ok stencil2d: 50 steps" "$? $(cat said)"
    verdict "$1: there is a report" "$("$2/bin/efgtrace" report out 2>&1 >/dev/null)"
}

# --- what the build needs ---

verdict "all that the build needs is there" "$("$root/config/needs.sh" "${CC:-gcc}" 2>&1)"
PKG_CONFIG_LIBDIR=$work make -s -C "$root" BUILD="$work/none" >said 2>&1
same "without libraries nothing is built" "2 0" "$? $(find none -name '*.o' 2>/dev/null | wc -l)"
for words in "cannot be built: this is missing" "OTF2  *libotf2-trace-dev  *otf2-devel  *otf2$" \
    "libunwind .* libunwind-dev " "config/setup.sh build"; do
    verdict "what is missing has names: $words" "$(grep -q -- "$words" said || head -n 5 said)"
done
verdict "and is said once" "$([ "$(grep -c "cannot be built" said)" = 1 ] || cat said)"
verdict "what is there is not named" "$(grep libelf-dev said)"
make -s -C "$root" BUILD="$work/none" PKG_CONFIG=false >said 2>&1
same "PKG_CONFIG is asked, whatever it is" "2 1" "$? $(grep -c '  OTF2  ' said)"
make -s -C "$root" BUILD="$work/none" MPICC=no-mpicc >said 2>&1
same "without an MPI nothing is built" "2 0" "$? $(find none -name '*.o' 2>/dev/null | wc -l)"
verdict "and its packages have names" "$(grep -q '^  MPI  *libopenmpi-dev  *openmpi-devel  *openmpi$' said || head -n 5 said)"
verdict "and nobody complains beside it" "$(grep mpi.sh: said)"
make -s -C "$root" BUILD="$work/bare" D3= DAGRE= "$work/bare/page/head.html" >said 2>&1
verdict "without D3: it is said when it is built" "$(grep -q 'D3 and dagre are not found; Debian: node-d3' said || cat said)"
make -s -C "$root" BUILD="$work/bare" D3= DAGRE= "$work/bare/page/head.html" >said 2>&1
same "and only then" "" "$(cat said)"
echo '"D3 that came later"' >d3.js
echo '"dagre that came later"' >dagre.js
touch -d 2000-01-01 d3.js dagre.js
make -s -C "$root" BUILD="$work/bare" D3="$work/d3.js" DAGRE="$work/dagre.js" "$work/bare/page/head.html" >said 2>&1
same "D3 is taken once it is there, however old its file is" 2 \
    "$(cat bare/page/*.html | grep -c 'that came later')"

install_it PREFIX="$work/first"
works "installed" "$work/first"
mv first moved
works "moved" "$work/moved"
same "moved: pkg-config" "-I$work/moved/lib/pkgconfig/../../include/efgtrace" \
    "$(PKG_CONFIG_PATH=moved/lib/pkgconfig pkg-config --cflags efgtrace | sed "s|-Imoved|-I$work/moved|; s/ *$//")"
preload=$(PKG_CONFIG_PATH=$work/moved/lib/pkgconfig pkg-config --variable=preload efgtrace)
verdict "moved: pkg-config knows the library to preload" "$([ -f "$preload" ] || echo "no $preload")"
for file in moved/bin/efgtrace moved/lib/libefgtrace-runtime-*.so; do
    contains "$file looks for libraries in its prefix" "$(readelf -d "$file")" "[\$ORIGIN"
done

# --- modules ---

# With libraries of ours for the time: each says what it would do to the shell.
modules=moved/share/modulefiles
wanted="$work/moved/bin/efgtrace $work/moved"
shell='echo "$(command -v efgtrace) $EFGTRACE_ROOT"'
tcl=$(ls /usr/lib/x86_64-linux-gnu/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl /usr/lib/*/modulecmd.tcl 2>/dev/null | head -n 1)
if [ -n "$tcl" ]; then
    same "module load, Environment Modules" "$wanted" \
        "$(MODULEPATH=$work/$modules bash -c "eval \"\$(tclsh $tcl bash load efgtrace/$version)\"; $shell" 2>&1)"
else
    skip "module load, Environment Modules" "they are not installed"
fi
lmod=$(ls /usr/share/lmod/lmod/libexec/lmod 2>/dev/null)
if [ -n "$lmod" ]; then
    same "module load, Lmod" "$wanted" \
        "$(MODULEPATH=$work/$modules bash -c "eval \"\$($lmod bash load efgtrace/$version)\"; $shell" 2>&1)"
else
    skip "module load, Lmod" "it is not installed"
fi

# --- a folder of its own ---

install_it PREFIX="$work/apart" LIBDIR="$work/apart/lib/efgtrace"
works "libraries apart" "$work/apart"
same "libraries apart: pkg-config" "$work/apart/lib/efgtrace/libefgtrace.so" \
    "$(realpath "$(PKG_CONFIG_PATH=$work/apart/lib/pkgconfig pkg-config --variable=preload efgtrace)")"
make -s -C "$root" BUILD="$build" PREFIX="$work/apart" LIBDIR="$work/apart/lib/efgtrace" uninstall
same "uninstalled: nothing is left" "" "$(find apart -type f)"

# --- recipes ---

if "$python" -c "import yaml" 2>/dev/null; then
    wrong=
    "$python" "$root/tests/recipes.py" "$root" "$version" >said 2>&1 || wrong=$(tail -n 5 said)
    verdict "recipes: $(tail -n 1 said)" "$wrong"
else
    skip "recipes" "python3-yaml is not installed"
fi

finish
