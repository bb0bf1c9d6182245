# efgtrace: what you can say
#
#   make                build/efgtrace and build/libefgtrace.so, usable in place
#   make demo           set up, build, trace a real application
#   make check          set up, build, run the tests: of each part what proves it
#   make check-all      the same, and all the rest: before a release, and after changes of the runtime
#   make check-quick    some of each kind, in a minute or so: for every day
#   make fuzz-sequence  a million random sequences, expanded again, with sanitizers (SEQUENCES=N)
#   make fuzz           hostile files: each of what reads files, FUZZ_TIME=60 seconds each (FUZZ="run log ...")
#   make builds         other compilers, options and MPIs: built without a warning, and tested (ONLY=openmpi5)
#   make accidents      what happens to jobs, and what is readable then (ACCIDENTS=--every: half an hour)
#   make conformance    MPICH's test suite, bare and traced: fetched, built and run, an hour or two
#   make check-slurm    Slurm's daemons on this host, with the plug-in (CASES="option site ...")
#   make check-apps     set up, build, run the larger applications (APPS="lammps pw ..."), their pages
#   make soak           an hour of everything at once: memory, cost, files stay as they are (SOAK_TIME=s)
#   make bench          what it costs, beside its peers (BENCH_RUNS=3: quick, 5 minutes)
#   make bench-instructions   instructions per call; repeatable
#   make bench-order          how large what is kept of all calls is (APPS="sweep lammps ...")
#   make bench-loops          the rule for the main loop, on programs and recordings (LOOPS=record: make them)
#   make bench-reduction      how much smaller the reduced traces are (APPS="lammps pw ...")
#   make papers             tables and figures of the papers, to bench/papers (APPS="stencil lammps ...")
#   make bench-keep           whether slow and typical iterations are kept (TABLES="injected drift simulated full large hpcc")
#   make install        to PREFIX (/usr/local), below DESTDIR; make uninstall: away again
#   make dist           the sources as build/efgtrace-VERSION.tar.gz
#   make deb            a Debian package of them, in build/deb, and what lintian says of it
#   make clean
#
#   SAN=address,undefined   build with sanitizers, in a folder of its own
#   CC=clang                another compiler
#   PKG_CONFIG=program      another pkg-config
#   BUILD=folder            another place to build in
#   MPICC=mpicc.mpich       the MPI to build for, alone, and to test with; else for each MPI that is found
#   D3=FILE DAGRE=FILE      the libraries that the page of a report draws with
#   SPANK=FILE              the header spank.h of the Slurm that the plug-in is for; empty: none
#   LIBDIR=folder           where the libraries are installed (PREFIX/lib), if elsewhere
#   RPATH=                  do not look for other libraries in the prefix first
#   V=1                     show the commands

# What is built alone is built by all processors, unless -j says how many.
ifeq ($(filter-out all,$(MAKECMDGOALS))$(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif

comma   := ,
CC      ?= gcc
# Debian calls its compilers mpicc.openmpi and mpicc.mpich, and one of them mpicc.
MPICCS  := $(or $(MPICC),$(sort $(notdir $(wildcard $(foreach mpi,openmpi mpich,$(addsuffix /mpicc.$(mpi),$(subst :, ,$(PATH))))))),mpicc)
MPICC   ?= mpicc
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
RPATH   ?= yes
SAN     ?=
BUILD   ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
VERSION := 0.1.0

PKG_CONFIG ?= pkg-config
pc = $(shell $(PKG_CONFIG) $(1) $(2) 2>/dev/null)

# Sanitized code is compiled in half the time; for threads in a third of it, and no access to memory is left out.
# Lines of the source are known, for stacks; to write down where variables are takes more time, for the wrappers a
# quarter. For a debugger: CFLAGS="-O0 -g".
CFLAGS   ?= $(if $(SAN),$(if $(findstring thread,$(SAN)),-O0,-O1),-O2) -g1
# Of it, the tool and the tests themselves are compiled in half the time again; they do not run for as long.
SOON     := $(if $(SAN),$(if $(findstring fuzzer,$(SAN)),,-O0))
WARNINGS := -Wall -Wextra -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(CFLAGS) $(SANITIZE) -fPIC -fvisibility=hidden \
             -Ilibefgtrace -DEFG_VERSION='"$(VERSION)"' -MMD -MP
SANITIZE  = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer $(UNWARNED))
# With checks for NULL, GCC expects truncation; and its thread sanitizer does not know fences, in
# front of which all that they are for is atomic.
UNWARNED := -Wno-unknown-warning-option -Wno-format-truncation $(if $(findstring thread,$(SAN)),-Wno-tsan)

DEFINED   = $(if $(SAN),,-Wl$(comma)-z$(comma)defs) # a sanitizer's runtime is in the program

# The runtime has its own inih: other libraries in the process, as UCX, export the same names.
ARCHIVE := $(wildcard $(shell $(CC) -print-file-name=libinih.a))
INIH    := $(if $(ARCHIVE),$(ARCHIVE) -Wl$(comma)--exclude-libs$(comma)libinih.a,$(call pc,--libs,inih))

FILES_PC := otf2 libdw libcjson
# Asked for once, not for each file.
FILES_CFLAGS = $(eval FILES_CFLAGS := $$(call pc,--cflags,$$(FILES_PC) inih))$(FILES_CFLAGS)
# What config/mpi.sh says of an MPI, asked once; MPI is the one to test with.
ask          = $(or $(ask_$(1)_$(2)),$(eval ask_$(1)_$(2) := $(shell config/mpi.sh $(1) $(2) 2>/dev/null))$(ask_$(1)_$(2)))
MPI          = $(call ask,name,$(MPICC))
# gcc warns of MPICH's MPI_STATUSES_IGNORE; clang does not know the warning.
QUIET        = $(if $(findstring clang,$(CC)),,$(if $(filter mpich,$(call ask,name,$(1))),-Wno-stringop-overflow))
MPI_CFLAGS   = $(call ask,compile,$(1)) $(call QUIET,$(1))
HWLOC_CFLAGS = $(eval HWLOC_CFLAGS := $$(call pc,--cflags,hwloc))$(HWLOC_CFLAGS)
FILES_LIBS   = $(call pc,--libs,$(FILES_PC)) $(INIH) -lelf -lm
TOOL_LIBS    = $(FILES_LIBS) $(call pc,--libs,sqlite3)
# It comes without a pkg-config file. Only code of x86-64 is looked at.
ZYDIS := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-lZydis)
RUNTIME_LIBS = $(call pc,--libs,libunwind hwloc) $(ZYDIS) $(FILES_LIBS)

# What the page of `efgtrace report --html` draws with; without them it has tables and lists only.
D3    ?= $(wildcard /usr/share/nodejs/d3/dist/d3.min.js)
DAGRE ?= $(wildcard /usr/share/nodejs/dagre/dist/dagre.min.js)
# It is made anew where they are others than it was made with, however old their files are.
ifneq ($(strip $(D3) $(DAGRE)),$(strip $(file <$(BUILD)/page/libraries)))
.PHONY: $(BUILD)/page/head.html
endif

# The plug-in for Slurm is of the version whose header this is, and is built only where there is one.
SPANK    ?= $(wildcard /usr/include/slurm/spank.h)
SPANK_SO := $(if $(SPANK),$(BUILD)/libefgtrace-spank.so)

# An installed tree may be moved: what is beside us in it is found from where we are.
rpath = $(if $(RPATH),-Wl$(comma)-rpath$(comma)'$$ORIGIN$(1)')

# A line a file; V=1 shows the commands.
quiet = $(if $(V),,@echo '  $(1)  $(patsubst $(BUILD)/%,%,$@)';)

objects  = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(1)))
CORE    := $(call objects,libefgtrace/base/*.c libefgtrace/core/*/*.c)
FILES   := $(call objects,libefgtrace/files/*/*.c)
WRAP    := $(call objects,libefgtrace/runtime/preload/*.c)
OPENMP  := $(call objects,libefgtrace/runtime/openmp/*.c)
RUNTIMES = $(patsubst %,$(BUILD)/libefgtrace-runtime-%.so,$(foreach mpicc,$(MPICCS),$(call ask,name,$(mpicc))))
BATCH   := $(call objects,libefgtrace/batch/*.c)
PAGE    := $(BUILD)/page/head.html $(BUILD)/page/tail.html
TOOL    := $(call objects,efgtrace/*.c efgtrace/*/*.c) $(BUILD)/obj/efgtrace/page/data.o

UNIT      := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT_HELP := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))

PLUGINS   := $(patsubst plugins/%.c,$(BUILD)/efgtrace-plugins/%.so,$(wildcard plugins/*.c))

all: libraries $(BUILD)/efgtrace plugins

plugins: $(PLUGINS)

libraries: $(BUILD)/libefgtrace.so $(BUILD)/libefgtrace-openmp.so $(SPANK_SO) $(RUNTIMES)
	$(if $(RUNTIMES),,@echo "no MPI is found: install one (Debian: libopenmpi-dev, Fedora: openmpi-devel, conda-forge: openmpi), or name its compiler with MPICC=" >&2; exit 1)

# The wrappers alone are preloaded, into programs of any MPI; MPI_Init loads the rest. They are called when the
# process ends, so they stay (life.c).
$(BUILD)/libefgtrace.so: $(WRAP)
	$(call quiet,LD)$(CC) $(SANITIZE) $(LDFLAGS) -shared -Wl,-z,nodelete $(DEFINED) -o $@ $^ -ldl

# Preloaded beside it, where the key openmp is on.
$(BUILD)/libefgtrace-openmp.so: $(OPENMP)
	$(call quiet,LD)$(CC) $(SANITIZE) $(LDFLAGS) -shared $(DEFINED) -o $@ $^ -ldl

# Loaded by Slurm, which has what it calls.
$(BUILD)/libefgtrace-spank.so: $(BATCH) $(filter %/conf.o %/when.o,$(FILES)) $(CORE)
	$(call quiet,LD)$(CC) $(SANITIZE) $(LDFLAGS) -shared -o $@ $^ -ldl -lm

# These go by way of runtime/base/heap.c.
HEAP := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free strdup qsort)

.SECONDEXPANSION:

# of_mpi NAME MPICC: the runtime for this MPI. It finds the MPI that the process has, and is linked with none.
define of_mpi
RUNTIME_$(1) := $$(patsubst %.c,$(BUILD)/obj/$(1)/%.o,$$(filter-out libefgtrace/runtime/preload/% libefgtrace/runtime/openmp/%,$$(wildcard libefgtrace/runtime/*/*.c)))

$(BUILD)/libefgtrace-runtime-$(1).so: $$(RUNTIME_$(1)) $$(FILES) $$(CORE)
	$$(call quiet,LD)$$(CC) $$(SANITIZE) $$(LDFLAGS) $$(call QUIET,$(2)) -shared $$(HEAP) $$(rpath) -o $$@ $$^ $$(RUNTIME_LIBS) -lpthread

$(BUILD)/obj/$(1)/%.o: ALL_CFLAGS += $$(call MPI_CFLAGS,$(2)) $$(FILES_CFLAGS) $$(HWLOC_CFLAGS)
$(BUILD)/obj/$(1)/%.o: %.c | $(BUILD)/needs $$$$(@D)/.
	$$(call quiet,CC)$$(CC) $$(ALL_CFLAGS) -c $$< -o $$@
endef
$(foreach mpicc,$(MPICCS),$(if $(call ask,name,$(mpicc)),$(eval $(call of_mpi,$(call ask,name,$(mpicc)),$(mpicc)))))

$(BUILD)/efgtrace: $(TOOL) $(FILES) $(CORE)
	$(call quiet,LD)$(CC) $(SANITIZE) $(LDFLAGS) $(call rpath,/../lib) -o $@ $^ $(TOOL_LIBS)

# As a user would make one.
$(BUILD)/efgtrace-plugins/%.so: plugins/%.c libefgtrace/user/efgtrace-plugin.h | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) -std=gnu11 $(WARNINGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -Ilibefgtrace/user -o $@ $<

$(WRAP) $(OPENMP): ALL_CFLAGS += -Ilibefgtrace/runtime/preload # its mpi.h
$(BATCH): ALL_CFLAGS += $(if $(SPANK),-I$(abspath $(dir $(SPANK))..))
$(FILES) $(TOOL): ALL_CFLAGS += $(FILES_CFLAGS)
$(TOOL): ALL_CFLAGS += -Iefgtrace $(SOON)

# Folders are made once, not for each object in them.
$(BUILD)/obj/%.o: %.c | $(BUILD)/needs $$(@D)/.
	$(call quiet,CC)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/obj/%/.:
	@mkdir -p $@

.PRECIOUS: $(BUILD)/obj/%/.

# What is missing is said once, before anything is built. The tool alone needs no MPI.
$(BUILD)/needs: config/needs.sh
	@CFLAGS='$(CFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' config/needs.sh '$(CC)' $(if $(filter-out $(BUILD)/efgtrace,$(or $(MAKECMDGOALS),all)),$(MPICCS))
	@mkdir -p $(@D) && touch $@

$(BUILD)/page/head.html: $(wildcard efgtrace/page/*.html efgtrace/page/*.css efgtrace/page/*.js efgtrace/page/*.sh) $(D3) $(DAGRE)
	@mkdir -p $(@D)
	$(call quiet,PAGE)D3='$(D3)' DAGRE='$(DAGRE)' efgtrace/page/assemble.sh $(PAGE)
	@echo '$(D3) $(DAGRE)' >$(@D)/libraries
	$(if $(and $(D3),$(DAGRE)),,@echo 'pages of reports will have tables in place of most pictures: $(if $(D3),,D3)$(if $(D3)$(DAGRE),, and )$(if $(DAGRE),,dagre) $(if $(D3)$(DAGRE),is,are) not found; Debian: node-d3 node-dagre-layout, else D3=FILE DAGRE=FILE' >&2)

$(BUILD)/page/tail.html: $(BUILD)/page/head.html

$(BUILD)/obj/efgtrace/page/data.o: efgtrace/page/data.S $(PAGE) | $(BUILD)/needs
	@mkdir -p $(@D)
	$(call quiet,AS)$(CC) -c $< -o $@ -DPAGE_HEAD='"$(BUILD)/page/head.html"' -DPAGE_TAIL='"$(BUILD)/page/tail.html"'

# Of what is tested, the linker takes only what a test calls. Archives name their objects, and hold no copy of them.
archive = $(call quiet,AR)rm -f $@ && $(AR) rcs --thin $@ $^
$(BUILD)/tests/tested.a: $(UNIT_HELP) $(FILES) $(CORE)
	@mkdir -p $(@D)
	$(archive)

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/tests/tested.a
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(ALL_CFLAGS) $(SOON) $(FILES_CFLAGS) -Itests/unit -o $@ $(filter %.c %.o,$^) $(filter %.a,$^) -lcmocka $(FILES_LIBS)

# The call path is tested without MPI, with modules to load and to unload while it runs.
of       = $(patsubst %,$(BUILD)/obj/$(MPI)/libefgtrace/runtime/%.o,$(1))
WALKED  := $(call of,base/memory $(addprefix stack/,callpath cfi code firsts memo modules pycode pyflow pylayout pyrounds python saved steps walk) base/clock)
MODULES := $(patsubst %,$(BUILD)/tests/plugin-%.so,a b c d e f) $(BUILD)/tests/thrower.so

$(BUILD)/tests/test_callpath: $(WALKED) | $(MODULES)
$(BUILD)/tests/test_code: $(WALKED)
$(BUILD)/tests/test_callpath $(BUILD)/tests/test_code: FILES_LIBS += $(call pc,--libs,libunwind) $(ZYDIS)

# Objects that call by their slots in each way that there is.
CALLERS := $(patsubst %,$(BUILD)/tests/caller-%.so,lazy now noplt)
$(BUILD)/tests/test_slots: $(BUILD)/obj/libefgtrace/runtime/preload/slots.o | $(CALLERS)
$(BUILD)/tests/test_slots: ALL_CFLAGS += -fPIC -DOBJECTS='"$(abspath $(BUILD))/tests"'
$(BUILD)/tests/test_slots: FILES_LIBS += -rdynamic -ldl -lpthread
$(BUILD)/tests/caller-lazy.so: ALL_CFLAGS += -fplt -Wl,-z,lazy,-z,relro
$(BUILD)/tests/caller-now.so: ALL_CFLAGS += -fplt -Wl,-z,now,-z,relro
$(BUILD)/tests/caller-noplt.so: ALL_CFLAGS += -fno-plt -Wl,-z,now,-z,relro
$(BUILD)/tests/caller-%.so: tests/unit/loaded/caller.c
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP -fsanitize% -fvisibility=hidden,$(ALL_CFLAGS)) -shared -fPIC -o $@ $<

$(BUILD)/tests/test_pycode: $(call of,stack/pycode stack/pylayout)
$(BUILD)/tests/test_pyflow: $(call of,stack/pycode stack/pyflow stack/pylayout)

$(BUILD)/tests/test_clusters: $(BUILD)/obj/efgtrace/model/clusters.o
$(BUILD)/tests/test_clusters: ALL_CFLAGS += -Iefgtrace

$(BUILD)/tests/test_clock: $(call of,base/clock)
$(BUILD)/tests/test_roomy: $(call of,base/roomy)
$(BUILD)/tests/test_signals: $(call of,base/signals)
$(BUILD)/tests/test_offset: $(call of,node/offset)

$(BUILD)/tests/test_cost: $(call of,base/clock watch/cost)
$(BUILD)/tests/test_iterations: $(call of,base/memory watch/iterations)
$(BUILD)/tests/test_order: $(call of,base/memory watch/order)
$(BUILD)/tests/test_phases: $(call of,watch/phases)

$(BUILD)/tests/test_bypass: $(call of,base/clock watch/bypass)
$(BUILD)/tests/test_bypass: ALL_CFLAGS += $(call MPI_CFLAGS,$(MPICC))
$(BUILD)/tests/test_bypass: FILES_LIBS += -lpthread

$(BUILD)/tests/test_requests: $(call of,base/memory mpi/requests)
$(BUILD)/tests/test_types: $(call of,mpi/ask mpi/types)
$(BUILD)/tests/test_cost $(BUILD)/tests/test_iterations $(BUILD)/tests/test_phases $(BUILD)/tests/test_requests $(BUILD)/tests/test_types: ALL_CFLAGS += $(call MPI_CFLAGS,$(MPICC))
$(BUILD)/tests/test_requests $(BUILD)/tests/test_types: FILES_LIBS += $(call ask,link,$(MPICC))

$(BUILD)/tests/bench_callpath: bench/callpath.c $(WALKED) $(BUILD)/obj/libefgtrace/files/symbols/script.o $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -o $@ $^ $(call pc,--libs,libunwind) -lm

# They count the memory that is taken, and say when there is none.
$(BUILD)/obj/tests/unit/otf2_trace.o: ALL_CFLAGS += -DCHECKER='"$(CURDIR)/tests/lib/check_trace.py"'

$(BUILD)/tests/test_array $(BUILD)/tests/test_sequence $(BUILD)/tests/test_sequence_file: \
    FILES_LIBS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free)

$(BUILD)/tests/bench_locations: ALL_CFLAGS += $(FILES_CFLAGS)
$(BUILD)/tests/bench_locations $(BUILD)/tests/bench_counters: $(BUILD)/tests/bench_%: bench/%.c $(FILES) $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -o $@ $^ $(FILES_LIBS)

$(BUILD)/tests/bench_sequence $(BUILD)/tests/bench_order: \
    $(BUILD)/tests/bench_%: bench/%.c bench/progressions.c $(FILES) $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -o $@ $^ $(FILES_LIBS)

$(BUILD)/tests/bench_sample: bench/sample.c $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -o $@ $^ -lm

$(BUILD)/tests/test_finder: $(patsubst %,$(BUILD)/obj/bench/loops/%.o,feed noise recording)
$(BUILD)/tests/test_finder: ALL_CFLAGS += -Ibench/loops

$(BUILD)/tests/test_rehearse: $(BUILD)/obj/efgtrace/export/rehearse.o
$(BUILD)/tests/test_rehearse: ALL_CFLAGS += -Iefgtrace

# The rule for the main loop, on programs and recordings.
RECORD := $(BUILD)/obj/bench/loops/record.o
REPLAY := $(filter-out $(RECORD),$(call objects,bench/loops/*.c))
$(BUILD)/bench/replay: $(REPLAY) $(patsubst %,$(BUILD)/obj/%.o,tests/unit/loop_programs tests/unit/loop_random) $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(SANITIZE) -o $@ $^ $(call pc,--libs,libcjson) -lm

$(BUILD)/bench/record: $(RECORD) $(patsubst %,$(BUILD)/obj/%.o,bench/loops/recording tests/unit/loop_programs tests/unit/loop_random) $(FILES) $(CORE)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(SANITIZE) -o $@ $^ $(FILES_LIBS)

$(REPLAY) $(RECORD): ALL_CFLAGS += -Itests/unit $(FILES_CFLAGS)

%/plugin-c.so %/plugin-f.so: ALL_CFLAGS += -DROOM=56
%/plugin-d.so %/plugin-e.so %/plugin-f.so: ALL_CFLAGS += -nostartfiles
$(BUILD)/tests/plugin-%.so: tests/unit/loaded/plugin.c
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -shared -o $@ $<

$(BUILD)/tests/thrower.so: tests/unit/loaded/thrower.cpp
	@mkdir -p $(@D)
	$(call quiet,LD)$(CXX) -O2 -g -fPIC -shared -o $@ $<

# What reads files, each with a fuzzer, or without one with a main that gives it files.
FUZZED    := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PARTS = $(patsubst %,$(BUILD)/obj/tests/fuzz/%.o,fuzz printed $(if $(findstring fuzzer,$(SAN)),,replay))

$(BUILD)/fuzz/fuzzed.a: $(filter-out %/main.o,$(TOOL)) $(FILES) $(CORE)
	@mkdir -p $(@D)
	$(archive)

$(FUZZED): $(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(FUZZ_PARTS) $(BUILD)/fuzz/fuzzed.a
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) $(subst fuzzer-no-link,fuzzer,$(SANITIZE)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TOOL_LIBS) -Wl,--wrap=efg_elf_open,--wrap=alarm

$(patsubst %,$(BUILD)/fuzz/%,run commands pieces rebuild): $(BUILD)/obj/tests/fuzz/mutate_run.o
$(patsubst %,$(BUILD)/fuzz/%,log otf2): $(BUILD)/obj/tests/fuzz/mutate_log.o
$(BUILD)/fuzz/traces: $(BUILD)/obj/tests/fuzz/archive.o
$(BUILD)/obj/tests/fuzz/%.o: ALL_CFLAGS += $(FILES_CFLAGS) -Iefgtrace $(SOON)

fuzzed: $(FUZZED)

unit: $(UNIT)
# Those that `make check` runs, and the one that has sample runs for scripts.
SOME_UNITS = $(patsubst %,$(BUILD)/tests/%,test_summary $(shell tests/check.sh --optimised))

set-up-%:
	@config/setup.sh $*

demo: set-up-demo
	@$(MAKE) --no-print-directory -s -j2 all
	@bench/demo.sh $(BUILD)

check: set-up-check
	@$(MAKE) --no-print-directory -s -j2 all $(if $(SAN)$(LEVEL),unit,$(SOME_UNITS))
	@$(if $(SAN),,$(MAKE) --no-print-directory -s -j2 SAN=address,undefined BUILD=$(BUILD)/sanitized unit fuzzed)
	@$(if $(filter --all,$(LEVEL)),$(if $(SAN),,$(MAKE) --no-print-directory -s -j2 SAN=thread MPICC=$(MPICC) BUILD=$(BUILD)/thread libraries))
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/check.sh $(LEVEL)

check-all: LEVEL := --all
check-all: check

check-quick: set-up-check
	@$(MAKE) --no-print-directory -s -j2 all unit
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/check.sh --quick

# Bounds reached and not, by themselves and, a tenth of them, as bytes in both codings, which
# takes ten times as long. Each has its seed, so that all are the same each time.
SEQUENCES ?= 1000000
fuzz-sequence: set-up-check
	@$(MAKE) --no-print-directory -s -j2 SAN=address,undefined BUILD=$(BUILD)/sanitized \
	    $(BUILD)/sanitized/tests/test_sequence $(BUILD)/sanitized/tests/test_sequence_file
	@export UBSAN_OPTIONS=halt_on_error=1; \
	EFG_TEST_SEQUENCES=$(SEQUENCES) $(BUILD)/sanitized/tests/test_sequence && \
	EFG_TEST_SEQUENCES=$$(($(SEQUENCES) / 10)) $(BUILD)/sanitized/tests/test_sequence_file

# What it finds is left in $(BUILD)/found.
FUZZ_TIME ?= 60
fuzz: set-up-fuzz
	@$(MAKE) --no-print-directory -s -j2 all
	@$(MAKE) --no-print-directory -s -j2 CC=clang SAN=fuzzer-no-link,address,undefined BUILD=$(BUILD)/fuzz fuzzed
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/fuzz.sh --time $(FUZZ_TIME) $(FUZZ)

builds: set-up-check set-up-slurm
	@tests/builds.sh $(ONLY)

accidents: set-up-check
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/accidents.sh --table tests/accidents/results.md $(ACCIDENTS)

conformance: set-up-check
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/conformance.sh $(FOLDERS)

check-slurm: set-up-check set-up-slurm
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) MPICC=$(MPICC) tests/slurm.sh $(CASES)

SOAK_TIME ?= 3600
soak: set-up-check
	@$(MAKE) --no-print-directory -s -j2 all
	@MPICC=$(MPICC) bench/soak.py --build $(BUILD) --seconds $(SOAK_TIME)

check-apps: set-up-apps
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) tests/apps.sh $(APPS)
	@BUILD=$(BUILD) tests/page.sh large
	@BUILD=$(BUILD) APPS="$(or $(APPS),$(shell bench/apps.sh list))" tests/expand.sh applications

bench: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all
	@bench/bench.py --build $(BUILD)

bench-instructions: bench-%: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all
	@bench/bench.py --build $(BUILD) --parts $* --out $(BUILD)/bench/$*

bench-order: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) bench/order.sh $(APPS)

# LOOPS="record" makes recordings first, of what is not recorded yet; else the rule need only
# compile.
bench-loops: set-up-$(if $(filter record,$(LOOPS)),apps,build)
	@$(MAKE) --no-print-directory -s -j2 $(if $(filter record,$(LOOPS)),all $(BUILD)/bench/record,$(BUILD)/bench/replay)
	@bench/loops/loops.py --build $(BUILD) $(LOOPS)

bench-reduction: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) bench/reduction.sh $(APPS)

papers: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all
	@BUILD=$(BUILD) bench/papers.py $(APPS)

bench-keep: set-up-bench
	@$(MAKE) --no-print-directory -s -j2 all unit
	@BUILD=$(BUILD) bench/keep.py $(TABLES)

MODULES := $(PREFIX)/share/modulefiles/efgtrace
install: all
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin lib/pkgconfig include/efgtrace share/man/man1 share/man/man5 share/man/man7 share/doc/efgtrace/plugins \
	  share/bash-completion/completions share/zsh/site-functions) $(addprefix $(DESTDIR),$(LIBDIR)/efgtrace-plugins $(MODULES))
	install -m 755 $(BUILD)/efgtrace $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/libefgtrace.so $(BUILD)/libefgtrace-openmp.so $(SPANK_SO) $(RUNTIMES) $(DESTDIR)$(LIBDIR)
	install -m 755 $(PLUGINS) $(DESTDIR)$(LIBDIR)/efgtrace-plugins
	install -m 644 plugins/*.c $(DESTDIR)$(PREFIX)/share/doc/efgtrace/plugins
	install -m 644 libefgtrace/user/* $(DESTDIR)$(PREFIX)/include/efgtrace
	for page in man/*.[157]; do install -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}; done
	install -m 644 config/completion/efgtrace.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/efgtrace
	install -m 644 config/completion/_efgtrace $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -m 644 config/efgtrace.conf README.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/efgtrace
	install -m 644 config/modules/efgtrace.lua $(DESTDIR)$(MODULES)/$(VERSION).lua
	install -m 644 config/modules/efgtrace.tcl $(DESTDIR)$(MODULES)/$(VERSION)
	sed 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|; s|@VERSION@|$(VERSION)|' config/efgtrace.pc.in \
	    >$(DESTDIR)$(PREFIX)/lib/pkgconfig/efgtrace.pc

# What install has made.
uninstall:
	cd $(DESTDIR)$(PREFIX) && rm -f bin/efgtrace $(DESTDIR)$(LIBDIR)/libefgtrace.so $(DESTDIR)$(LIBDIR)/libefgtrace-openmp.so $(DESTDIR)$(LIBDIR)/libefgtrace-spank.so $(DESTDIR)$(LIBDIR)/libefgtrace-runtime-*.so \
	  lib/pkgconfig/efgtrace.pc share/bash-completion/completions/efgtrace share/zsh/site-functions/_efgtrace \
	  $(foreach page,$(wildcard man/*.[157]),share/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	cd $(DESTDIR)$(PREFIX) && rm -rf $(DESTDIR)$(LIBDIR)/efgtrace-plugins include/efgtrace share/doc/efgtrace $(DESTDIR)$(MODULES)

# What is in the repository, as it is here.
dist:
	@mkdir -p $(BUILD)
	@git ls-files -z | tar czf $(BUILD)/efgtrace-$(VERSION).tar.gz --null -T - --transform 's|^|efgtrace-$(VERSION)/|'

deb: set-up-deb dist
	@config/deb.sh $(BUILD) $(VERSION)

clean:
	rm -rf $(BUILD)

-include $(patsubst %.o,%.d,$(REPLAY) $(RECORD) $(CORE) $(FILES) $(WRAP) $(OPENMP) $(BATCH) $(foreach mpicc,$(MPICCS),$(RUNTIME_$(call ask,name,$(mpicc)))) $(TOOL) $(UNIT_HELP)) $(UNIT:=.d) $(wildcard $(BUILD)/obj/tests/fuzz/*.d)

.PHONY: all plugins libraries unit fuzzed demo check check-all check-quick fuzz-sequence fuzz builds accidents conformance soak check-apps check-slurm bench bench-instructions bench-order bench-loops bench-reduction bench-keep papers install uninstall dist deb clean
.SECONDARY:
