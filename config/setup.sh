#!/bin/sh
# Installs the Debian packages that a task needs and that are missing; see --help.
set -eu

usage() {
    cat <<'EOF'
usage: config/setup.sh GROUP...

Installs what is missing of the Debian packages of each group. Says nothing, and needs neither
root nor a network, when all of them are there; else says what it installs and does so as root
or through sudo.

  build   the compiler, Open MPI and the libraries that efgtrace is made of
  page    what the pages of `efgtrace report --html` draw with, 250 small packages; without them
          they have tables and lists only
  demo    build, and LAMMPS, the application that `make demo` traces
  check   demo, page, and what the tests need: other compilers, clang-format, cmocka, readers of OTF2, mpi4py, pandas,
          iproute2 for hosts that are namespaces, MPICH, what unpacks its test suite, a browser and what
          drives it, SimGrid, valgrind, PAPI, LLVM's OpenMP
  firefox check, and Firefox, for PAGE_BROWSER=firefox tests/page.sh
  fuzz    check, and the fuzzer of clang for `make fuzz`
  slurm   Slurm: the header of its plug-ins, and the daemons for `make check-slurm`, which Debian starts when
          they are installed
  deb     build, page, and what Debian packages are made and checked with
  apps    check, and the larger applications of `make check-apps`
  bench   apps, the tracer and the compressor that `make bench` compares with,
          and gnuplot that draws the results

exit code: 0 all is there, 1 it could not be installed, 2 wrong usage
EOF
}

build="gcc libc6-dev make pkg-config openmpi-bin libopenmpi-dev libunwind-dev libotf2-trace-dev
    libhwloc-dev libdw-dev libelf-dev libinih-dev libcjson-dev libsqlite3-dev
    libzydis-dev"
page="node-d3 node-dagre-layout"
demo="$build lammps lammps-examples otf2-tools"
check="$demo $page g++ gfortran clang clang-format libcmocka-dev mandoc graphviz python3 python3-otf2
    python3-six python3-yaml python3-mpi4py python3-pandas iproute2 mpich libmpich-dev xz-utils chromium
    chromium-driver python3-selenium libsimgrid-dev valgrind libpapi-dev libomp-dev zsh"
firefox="$check firefox-esr"
fuzz="$check libclang-rt-dev"
apps="$check quantum-espresso openfoam openfoam-examples hpcc"
deb="$build $page mpich libmpich-dev debhelper fakeroot lintian"
slurm="libslurm-dev slurmctld slurmd slurm-client munge util-linux"
bench="$apps eztrace zstd gnuplot-nox"

give_up() {
    printf 'setup: %s\nsetup: please install: %s\n' "$1" "$missing" >&2
    exit 1
}

packages=
for group in "$@"; do
    case $group in
        build) packages="$packages $build" ;;
        page) packages="$packages $page" ;;
        demo) packages="$packages $demo" ;;
        check) packages="$packages $check" ;;
        firefox) packages="$packages $firefox" ;;
        fuzz) packages="$packages $fuzz" ;;
        slurm) packages="$packages $slurm" ;;
        deb) packages="$packages $deb" ;;
        apps) packages="$packages $apps" ;;
        bench) packages="$packages $bench" ;;
        -h | --help) usage; exit ;;
        *) printf 'setup: unknown group "%s"\n' "$group" >&2; usage >&2; exit 2 ;;
    esac
done
[ -n "$packages" ] || { usage >&2; exit 2; }

# Each package that is not installed, once, on one line. Packages that dpkg has never heard of are
# missing in its answer, so what it answers is taken away from what is wanted. (No dpkg: all.)
# shellcheck disable=SC2086 # the lists are split into words on purpose
missing=$({
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null || :
    printf 'wanted %s\n' $packages
} | awk '$1 == "installed" { there[$2] = 1 }
         $1 == "wanted" && !there[$2]++ { printf "%s%s", sep, $2; sep = " " }')
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || give_up "this is no Debian, so their names may differ here"
as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || give_up "this needs root, and there is no sudo"
    as_root=sudo
fi
echo "setup: installing ${as_root:+with sudo }$missing" >&2
$as_root apt-get -q update >&2 || give_up "apt-get update failed"
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends \
    $missing >&2 || give_up "apt-get install failed"
