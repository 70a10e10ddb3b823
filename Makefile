# gcrypt: `make`, `make check`, `make install`; everything made goes to build/.
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
CC ?= cc
CC_FOR_BUILD ?= $(CC)
# What runs programs of another architecture that are made and run during the build: qemu-aarch64-static -L SYSROOT.
EMULATOR ?=
LD ?= ld
AR ?= ar
OBJCOPY ?= objcopy
READELF ?= readelf
BUILD ?= build
VERSION := $(shell sed -n 's/^\#define VERSION "\(.*\)"/\1/p' command/program.h)

# What the compiler has of this; sanitizers come with checks of their own.
supported = $(foreach flag,$(1),$(shell $(CC) -Werror $(flag) -x c -c -o /dev/null /dev/null \
	2>/dev/null && echo '$(flag)'))
ifeq ($(SANITIZE),)
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 $(call supported,-fstack-protector-strong \
	-fstack-clash-protection -fcf-protection -mbranch-protection=standard)
endif
HARDENED_LINK = -Wl,-z,relro,-z,now,-z,noexecstack
# Of a thread: what glibc takes from the limit of 8 MiB that is usual, musl takes from here, or 128 KiB.
STACK_SIZE = -Wl,-z,stack-size=8388608

WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla \
	-Wno-unknown-pragmas
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -fPIC -fvisibility=hidden -pthread \
	-MMD -MP -ffile-prefix-map=$(CURDIR)=. $(WARNINGS) $(WERROR) $(HARDENING) $(CFLAGS) $(SANITIZE)
LIBS = -lcrypto -lOpenCL
CLI_LIBS = -ljansson -lm
# Only to be compared with, by gcrypt bench.
has_header = $(shell $(CC) -x c -E $(2) -include $(1) -o /dev/null /dev/null 2>/dev/null && echo there)
ifneq ($(call has_header,gcrypt.h),)
WITH_LIBGCRYPT = -DWITH_LIBGCRYPT
CLI_LIBS += -Wl,--as-needed -lgcrypt
endif
TEST_LIBS = -lcmocka -lgcrypt
LINK = $(CC) -pthread $(HARDENED_LINK) $(STACK_SIZE) $(LDFLAGS) $(EXPORTED) $(SANITIZE)
# The rule's objects, and the archives, of which the linker takes the members that are referenced.
LINKED = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

MAKEFLAGS += --no-builtin-rules

# One reference implementation for each cipher and table form, named CIPHER_FORM.
# Bitsliced ones are apart: CIPHER_0, and on x86-64 CIPHER_0_avx2 and CIPHER_0_avx512 for processors
# with longer registers.
# All of kernels/ciphers.inc: "aes_1 aes_4 …".
comma = ,
CIPHERS := $(shell sed -n 's/^X(\([^,]*\),.*)/\1/p' kernels/ciphers.inc)
forms_of = $(subst $(comma), ,$(shell sed -n 's/^X($(1),\(.*\))/\1/p' kernels/ciphers.inc))
HOST_CORES := $(foreach cipher,$(CIPHERS),$(patsubst %,$(cipher)_%,$(call forms_of,$(cipher))))
SLICE_CORES = $(CIPHERS:%=%_0)
MACHINE := $(shell $(CC) -dumpmachine)
X86_64 = $(filter x86_64-%,$(MACHINE))
AVX2_CORES = $(if $(X86_64),$(SLICE_CORES:%=%_avx2))
AVX512_CORES = $(if $(X86_64),$(SLICE_CORES:%=%_avx512))
WIDE_CORES = $(AVX2_CORES) $(AVX512_CORES)

# Instruction forms, CIPHER_FORM: gpucrypt/crypto/x86/CIPHER.c compiled with the flags of FORM.
X86_FORMS = $(if $(X86_64),aes_vaes512 aes_vaes256 aes_aesni camellia_gfni512 camellia_gfni256 \
	sc2000_vbmi512 sc2000_vbmi256)
AVX512_FLAGS = -DVECTOR_BYTES=64 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mpclmul -mvpclmulqdq
AVX2_FLAGS = -DVECTOR_BYTES=32 -mavx2 -mpclmul -mvpclmulqdq
FLAGS_vaes512 = $(AVX512_FLAGS) -mvaes
FLAGS_vaes256 = $(AVX2_FLAGS) -mvaes
FLAGS_aesni = -DVECTOR_BYTES=16 -mssse3 -maes -mpclmul
FLAGS_gfni512 = $(AVX512_FLAGS) -mgfni
FLAGS_gfni256 = $(AVX2_FLAGS) -mgfni
FLAGS_vbmi512 = $(AVX512_FLAGS) -mgfni -mavx512vbmi
FLAGS_vbmi256 = $(AVX2_FLAGS) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mgfni -mavx512vbmi
FLAGS_ifma = -mavx512f -mavx512ifma -mavx512vbmi2
ARM_OBJECTS = $(if $(filter aarch64-%,$(MACHINE)),$(BUILD)/arm/aes_armv8.o)
X86_OBJECTS = $(X86_FORMS:%=$(BUILD)/x86/%.o) $(if $(X86_64),$(BUILD)/x86/poly1305_ifma.o)

KERNELS = $(sort $(wildcard kernels/*/*.cl kernels/ciphers/*/*.cl))
RECORDS = $(wildcard ppf/devices/*.json)
# Sources in no archive: compiled once for each core, or part of one program only.
APART = gpucrypt/crypto/host_core.c gpucrypt/crypto/x86/%.c gpucrypt/crypto/arm/%.c \
	ppf/model/trace_core.c cli/main.c ppf/program/main.c command/gen/%.c ppf/gen/%.c
# ppf/: the code analysis is only in the program ppf, and loads libclang when it runs; without its
# headers there is parse_none.c.  The newest LLVM with headers is taken: Debian has several side by side, others one in /usr.
LLVM ?= $(patsubst %/include/clang-c/Index.h,%,$(lastword $(wildcard /usr/include/clang-c/Index.h) \
	$(shell ls -v /usr/lib/llvm-*/include/clang-c/Index.h 2>/dev/null)))
ifneq ($(wildcard $(LLVM)/include/clang-c/Index.h),)
APART += ppf/analysis/parse_none.c
else
APART += ppf/analysis/parse.c ppf/analysis/lower%.c
endif
# LUKS volumes, with the headers of libcryptsetup.
APART += cli/luks/$(if $(shell pkg-config --exists 'libcryptsetup >= 2.4' && echo there),no_volume,volume).c
TRACE_CORES = $(HOST_CORES:%=$(BUILD)/trace_core/%.o)

# A static archive for each folder.  PPF_ARCHIVES and CLI_ARCHIVES have the layers below too; RUN_ARCHIVES are in the
# programs ppf and ppf-study and in their unit tests only.
O = $(BUILD)/objects
objects = $(patsubst %.c,$(O)/%.o,$(filter-out $(APART),$(1)))
layer = $(call objects,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
archives = $(patsubst %/,%.a,$(sort $(dir $(call layer,$(1)))))
CORES = $(HOST_CORES:%=$(BUILD)/host_core/%.o) $(SLICE_CORES:%=$(BUILD)/host_core/%.o) \
	$(WIDE_CORES:%=$(BUILD)/host_core/%.o) $(X86_OBJECTS) $(ARM_OBJECTS)
LIB_OBJECTS := $(call layer,gpucrypt) $(CORES) $(BUILD)/gen/tables.o $(BUILD)/gen/sources.o
LIB_ARCHIVES := $(call archives,gpucrypt)
RUN_ARCHIVES := $(O)/ppf/run.a $(O)/command.a
PPF_ARCHIVES := $(filter-out $(O)/ppf/program.a $(RUN_ARCHIVES),$(call archives,ppf)) $(LIB_ARCHIVES)
CLI_ARCHIVES := $(call archives,cli) $(O)/command.a $(PPF_ARCHIVES)

# Unit tests, by their layer.
unit_tests = $(addprefix $(BUILD)/tests/,$(notdir $(basename $(wildcard tests/unit/$(1)/test_*.c))))
TESTS = $(foreach layer,gpucrypt api container ppf cli,$(call unit_tests,$(layer)))

COMPLETION = $(foreach program,gcrypt ppf,$(addprefix $(BUILD)/completion/$(program).,bash zsh fish))

# A plugin for nbdkit, where its header is.
ifneq ($(call has_header,nbdkit-plugin.h,-DNBDKIT_API_VERSION=2),)
PLUGIN = $(BUILD)/nbdkit-gcrypt-plugin.so
endif

# A program for MPI jobs, where mpicc is (Open MPI).
MPICC := $(shell command -v mpicc)
ifneq ($(MPICC),)
MPI_PROGRAM = $(BUILD)/gcrypt-mpi
endif

all: $(BUILD)/gcrypt $(BUILD)/ppf $(BUILD)/libgpucrypt.a $(BUILD)/libgpucrypt.so $(PLUGIN) $(MPI_PROGRAM) $(COMPLETION)

# Libraries call the program's abort() (cli/terminal/signals.c).
$(BUILD)/gcrypt $(BUILD)/gcrypt-mpi $(BUILD)/carried/gcrypt $(BUILD)/carried/gcrypt-mpi: EXPORTED = -Wl,--export-dynamic-symbol=abort

$(BUILD)/gcrypt: $(O)/cli/main.o $(CLI_ARCHIVES)
	$(LINK) -pie -o $@ $(LINKED) $(LIBS) $(CLI_LIBS)

MPI_OBJECTS = $(call objects,$(wildcard mpi/*.c)) $(O)/cli/run_command.o $(filter-out $(O)/cli.a,$(CLI_ARCHIVES))
$(BUILD)/gcrypt-mpi: $(MPI_OBJECTS)
	$(LINK) -pie -o $@ $(LINKED) $(LIBS) $(CLI_LIBS) $(shell $(MPICC) --showme:link)

PPF_PROGRAM = $(O)/ppf/program.a $(RUN_ARCHIVES) $(PPF_ARCHIVES)
$(BUILD)/ppf: $(O)/ppf/program/main.o $(PPF_PROGRAM)
	$(LINK) -pie -o $@ $(LINKED) $(LIBS) $(CLI_LIBS)

# The dissertation's experiments, which `ppf study` runs.
research: $(BUILD)/ppf-study
STUDY = $(filter-out %/main.o,$(call objects,$(wildcard research/*.c))) $(BUILD)/gen/study_sources.o $(RUN_ARCHIVES) $(PPF_ARCHIVES)
$(BUILD)/ppf-study: $(O)/research/main.o $(STUDY)
	$(LINK) -pie -o $@ $(LINKED) $(LIBS) $(CLI_LIBS)

# One member with only the public symbols left.
$(BUILD)/libgpucrypt.a: $(LIB_OBJECTS)
	$(LD) -r -o $(BUILD)/libgpucrypt.o $^
	$(OBJCOPY) --localize-hidden $(BUILD)/libgpucrypt.o
	rm -f $@
	$(AR) rcsD $@ $(BUILD)/libgpucrypt.o

$(BUILD)/nbdkit-gcrypt-plugin.so: $(O)/serve/gcrypt_plugin.o $(BUILD)/libgpucrypt.a
	$(LINK) -shared -o $@ $(LINKED) $(LIBS)

# The number changes with what a program that was linked earlier could not live with.
SONAME = libgpucrypt.so.0
$(BUILD)/libgpucrypt.so: $(LIB_OBJECTS) gpucrypt/libgpucrypt.map
	$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=gpucrypt/libgpucrypt.map -o $@ \
		$(LIB_OBJECTS) $(LIBS)

$(O)/ppf/analysis/%.o $(O)/tests/fuzz/analyze.o: ALL_CFLAGS += -isystem $(LLVM)/include
# Libraries that are loaded when they are needed (ppf/shared_library.h), by default the sonames of the libraries whose
# headers are used.  Where the dynamic linker does not find them, give absolute paths: make LIBARCHIVE=PATH …
soname = $(or $(shell $(READELF) -d $(1) | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'),$(error $(1): has no soname))
linked = $(shell $(CC) -print-file-name=$(1).so)
LIBCLANG = $(call soname,$(firstword $(wildcard $(LLVM)/lib/libclang.so $(LLVM)/lib64/libclang.so)))
LIBSECCOMP = $(call soname,$(call linked,libseccomp))
LIBARCHIVE = $(call soname,$(call linked,libarchive))
LIBCRYPTSETUP = $(call soname,$(call linked,libcryptsetup))
$(O)/ppf/analysis/parse.o: ALL_CFLAGS += -DLIBCLANG='"$(LIBCLANG)"'
$(O)/ppf/run/host_run.o: ALL_CFLAGS += -DLIBSECCOMP='"$(LIBSECCOMP)"'
$(O)/cli/tree/bundle_pack.o: ALL_CFLAGS += -DLIBARCHIVE='"$(LIBARCHIVE)"'
$(O)/cli/luks/volume.o: ALL_CFLAGS += -DLIBCRYPTSETUP='"$(LIBCRYPTSETUP)"'

# Their functions, from the calls: libarchive.read_new() is archive_read_new().  archive_errno() keeps its prefix: errno
# is a macro.
LOADED = $(patsubst %,$(BUILD)/gen/%.h,libarchive libclang libcryptsetup libseccomp)
$(BUILD)/gen/libarchive.h: PREFIX = archive
$(BUILD)/gen/libarchive.h: $(wildcard cli/tree/*.c)
$(BUILD)/gen/libclang.h: PREFIX = clang
$(BUILD)/gen/libclang.h: $(wildcard ppf/analysis/*.c) tests/fuzz/analyze.c
$(BUILD)/gen/libcryptsetup.h: PREFIX = crypt
$(BUILD)/gen/libcryptsetup.h: $(wildcard cli/luks/*.c)
$(BUILD)/gen/libseccomp.h: PREFIX = seccomp
$(BUILD)/gen/libseccomp.h: ppf/run/host_run.c
$(LOADED): $(BUILD)/gen/%.h:
	@mkdir -p $(@D)
	{ echo '#define $(shell echo $* | tr a-z A-Z)_FUNCTIONS(X) \\'; \
		grep -oh '$*[.][A-Za-z0-9_]*(' $^ | LC_ALL=C sort -u | \
		sed -e 's/.*[.]\($(PREFIX)_.*\)(/X(, \1) \\/' -e t -e 's/.*[.]\(.*\)(/X($(PREFIX)_, \1) \\/'; echo; } > $@.new
	mv $@.new $@

$(O)/mpi/%.o: ALL_CFLAGS += $(addprefix -isystem ,$(shell $(MPICC) --showme:incdirs))

$(O)/%.o: %.c | $(BUILD)/gen/tables.c $(LOADED)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(O)/cli/bench/engine_libgcrypt.o: ALL_CFLAGS += $(WITH_LIBGCRYPT)

.SECONDEXPANSION:
$(O)/%.a: $$(call objects,$$(wildcard $$*/*.c))
	@mkdir -p $(@D)
	rm -f $@
	$(AR) qcsD $@ $^

# Generated objects are in the archive of the folder that uses them.
$(O)/gpucrypt/crypto.a: $(CORES) $(BUILD)/gen/tables.o
$(O)/gpucrypt/engine/opencl.a: $(BUILD)/gen/sources.o
$(O)/ppf/record.a: $(BUILD)/gen/records.o $(BUILD)/gen/rules.o
$(O)/ppf.a: $(BUILD)/gen/plots.o
$(O)/ppf/model.a: $(BUILD)/gen/wavefronts.o $(TRACE_CORES)

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/trace_core/%.o: ppf/model/trace_core.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DTRACE_CORE=trace_$* -DTABLE_FORM=$(lastword $(subst _, ,$*)) \
		$(call core_files,$(firstword $(subst _, ,$*))) -c -o $@ $<

$(O)/ppf/model/trace.o: ALL_CFLAGS += -DTRACE_CORES='$(patsubst %,X(%),$(HOST_CORES))'

$(BUILD)/host_core/%.o: gpucrypt/crypto/host_core.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 -DHOST_CORE=host_core_$* -DTABLE_FORM=$(lastword $(subst _, ,$*)) \
		$(call core_files,$(firstword $(subst _, ,$*))) -c -o $@ $<

cipher_file = '"kernels/ciphers/$(1)/$(1)$(2).cl"'
core_files = -DCORE_FILE=$(call cipher_file,$(1)) -DCACHED_FILE=$(call cipher_file,$(1),_cached)
slice_files = -DGATES_FILE=$(call cipher_file,$(1),_gates) -DCORE_FILE=$(call cipher_file,$(1),_slice)

$(SLICE_CORES:%=$(BUILD)/host_core/%.o): $(BUILD)/host_core/%_0.o: gpucrypt/crypto/host_core.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 -DHOST_CORE=host_core_$*_0 $(call slice_files,$*) \
		$(if $(X86_64),-DAVX2_CORE=host_core_$*_0_avx2 -DAVX512_CORE=host_core_$*_0_avx512) -c -o $@ $<

$(AVX2_CORES:%=$(BUILD)/host_core/%.o): $(BUILD)/host_core/%_0_avx2.o: gpucrypt/crypto/host_core.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 -mavx2 -DHOST_CORE=host_core_$*_0_avx2 $(call slice_files,$*) \
		-c -o $@ $<

$(AVX512_CORES:%=$(BUILD)/host_core/%.o): $(BUILD)/host_core/%_0_avx512.o: gpucrypt/crypto/host_core.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 -mavx512f -mavx512vl -mavx512bw -DSLICE_WORDS=16 \
		-DHOST_CORE=host_core_$*_0_avx512 $(call slice_files,$*) -c -o $@ $<

$(X86_OBJECTS): $(BUILD)/x86/%.o: gpucrypt/crypto/x86/$$(firstword $$(subst _, ,$$*)).c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 $(FLAGS_$(lastword $(subst _, ,$*))) -DFORM=form_$* -c -o $@ $<

$(ARM_OBJECTS): $(BUILD)/arm/%.o: gpucrypt/crypto/arm/$$(firstword $$(subst _, ,$$*)).c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 -march=armv8-a+crypto -DFORM=form_$* -c -o $@ $<

# Tables and kernel texts are derived here; nothing derived is in the repository.
$(BUILD)/gen/tables.c: $(BUILD)/gen/gen
	$(BUILD)/gen/gen tables $(BUILD)/gen

$(BUILD)/gen/sources.c: $(BUILD)/gen/gen $(KERNELS)
	$(BUILD)/gen/gen texts $@ gpucrypt/engine/opencl/engine_opencl.h kernel_source kernel_sources $(KERNELS)

STUDY_TEXTS = $(sort research/experiments.json research/plot.gp $(wildcard research/kernels/*.cl examples/ciphers/camellia_stage.h examples/ciphers/camellia_pattern*.c))
$(BUILD)/gen/study_sources.c: $(BUILD)/gen/gen $(STUDY_TEXTS)
	$(BUILD)/gen/gen texts $@ research/study.h kernel_source study_sources $(STUDY_TEXTS)

$(BUILD)/gen/records.c: $(BUILD)/gen/gen $(RECORDS)
	$(BUILD)/gen/gen texts $@ ppf/record/records.h builtin_record builtin_records $(RECORDS)

$(BUILD)/gen/rules.c: $(BUILD)/gen/gen ppf/record/rules.json ppf/record/records.h
	$(BUILD)/gen/gen texts $@ ppf/record/records.h builtin_record derivation_rules ppf/record/rules.json

PLOTS = $(wildcard ppf/*/*.gp cli/*/*.gp)
$(BUILD)/gen/plots.c: $(BUILD)/gen/gen $(PLOTS)
	$(BUILD)/gen/gen texts $@ ppf/gnuplot.h gnuplot_script gnuplot_scripts $(PLOTS)

# Completion for the shells, from the tables of each program.
GENERATOR = $(patsubst %.c,$(O)/%.o,$(wildcard command/gen/*.c))
$(BUILD)/gen/completion-gcrypt: $(GENERATOR) $(CLI_ARCHIVES)
$(BUILD)/gen/completion-ppf: $(GENERATOR) $(PPF_PROGRAM)
$(BUILD)/gen/completion-gcrypt $(BUILD)/gen/completion-ppf:
	$(LINK) -o $@ $(LINKED) $(LIBS) $(CLI_LIBS)

.SECONDEXPANSION:
$(COMPLETION): $(BUILD)/completion/%: $(BUILD)/gen/completion-$$(basename $$*)
	@mkdir -p $(@D)
	$(EMULATOR) $< $(patsubst .%,%,$(suffix $@)) > $@.new
	mv $@.new $@

# What the cores' look-ups ask of local memory, traced once.
$(BUILD)/gen/wavefronts: $(O)/ppf/gen/wavefronts.o $(O)/ppf/model/trace.o $(TRACE_CORES) $(LIB_ARCHIVES)
	$(LINK) -o $@ $(LINKED) $(LIBS)

$(BUILD)/gen/wavefronts.c: $(BUILD)/gen/wavefronts
	$(EMULATOR) $(BUILD)/gen/wavefronts > $@.new
	mv $@.new $@

$(BUILD)/gen/gen: $(wildcard kernels/gen/*.c kernels/ciphers/*/*.c kernels/gen/*.h) kernels/ciphers.inc
	@mkdir -p $(@D)
	$(CC_FOR_BUILD) -std=c11 $(WARNINGS) $(WERROR) -I. -O2 -o $@ $(filter %.c,$^)

# Kernel times predicted from the record of the first OpenCL device, beside measured ones.
ppf-accuracy: $(BUILD)/ppf $(BUILD)/tests/accuracy
	$(BUILD)/ppf measure --device 0 -o $(BUILD)/record.json
	$(BUILD)/tests/accuracy $(BUILD)/record.json 0

# The committed profiles of the built-in ciphers, after a change of kernels/.
profiles: $(BUILD)/ppf
	$(BUILD)/ppf profiles > $(BUILD)/profiles.inc
	mv $(BUILD)/profiles.inc ppf/analysis/profiles.inc

# A unit test has main() of all and the archives of its layer and of those below.
$(TESTS) $(BUILD)/carried/test_engine: $(O)/tests/unit/main.o
$(call unit_tests,api): $(BUILD)/tests/%: $(O)/tests/unit/api/%.o $(LIB_ARCHIVES)
$(call unit_tests,gpucrypt): $(BUILD)/tests/%: $(O)/tests/unit/gpucrypt/%.o $(LIB_ARCHIVES)
$(call unit_tests,container): $(BUILD)/tests/%: $(O)/tests/unit/container/%.o $(LIB_ARCHIVES)
$(call unit_tests,ppf): $(BUILD)/tests/%: $(O)/tests/unit/ppf/%.o $(PPF_PROGRAM)
$(call unit_tests,research): $(BUILD)/tests/%: $(O)/tests/unit/main.o $(O)/tests/unit/research/%.o $(STUDY) $(O)/ppf/program.a
$(call unit_tests,cli): $(BUILD)/tests/%: $(O)/tests/unit/cli/%.o $(CLI_ARCHIVES)
$(BUILD)/tests/accuracy: $(O)/tests/measure/accuracy.o $(PPF_ARCHIVES)
$(BUILD)/tests/secrets: $(O)/tests/build/secrets.o $(LIB_ARCHIVES)
$(TESTS) $(call unit_tests,research) $(BUILD)/tests/accuracy $(BUILD)/tests/secrets:
	@mkdir -p $(@D)
	$(LINK) -o $@ $(LINKED) $(LIBS) $(CLI_LIBS) $(TEST_LIBS)

# Functions of their own in place of the library's, or around them.
$(BUILD)/tests/test_all: TEST_LIBS += -Wl,--wrap=pool_open,--wrap=engine_crypt
$(BUILD)/tests/test_stream: TEST_LIBS += -Wl,--wrap=clock_nanosleep
$(BUILD)/tests/test_trials: TEST_LIBS += -Wl,--wrap=bench_cycles,--wrap=engine_open
$(BUILD)/tests/test_recheck: TEST_LIBS += -Wl,--wrap=engine_open,--wrap=engine_open_after
$(BUILD)/tests/test_recrypt: TEST_LIBS += -Wl,--wrap=clEnqueueReadBuffer,--wrap=clRetainCommandQueue
$(BUILD)/tests/test_machine_measured: TEST_LIBS += -Wl,--wrap=measure_host,--wrap=measure_device \
	-Wl,--wrap=measure_storage,--wrap=start_seconds
$(BUILD)/tests/test_kernel_time: TEST_LIBS += -Wl,--wrap=event_seconds
$(BUILD)/tests/test_takeover: TEST_LIBS += -Wl,--wrap=selftest_engine,--wrap=clWaitForEvents,--wrap=clEnqueueReadBuffer \
	-Wl,--wrap=clCreateContext,--wrap=pthread_create
$(BUILD)/tests/test_parts: TEST_LIBS += -Wl,--wrap=random_bytes
$(BUILD)/tests/test_api_descriptors: TEST_LIBS += -Wl,--wrap=clCreateContext,--wrap=clReleaseContext
$(BUILD)/tests/test_locked: TEST_LIBS += -Wl,--wrap=munmap
$(BUILD)/tests/test_opencl_wipe: TEST_LIBS += -Wl,--wrap=clCreateBuffer,--wrap=clReleaseMemObject,--wrap=wipe \
	-Wl,--wrap=clEnqueueFillBuffer,--wrap=clEnqueueMapBuffer,--wrap=clEnqueueUnmapMemObject

# Its own storage in place of the system's.
$(BUILD)/tests/test_key_change: TEST_LIBS += -Wl,--wrap=pwrite,--wrap=fsync

# Builds with flags of their own take objects from ccache if it is installed: most objects did not change since the last
# run.
CCACHE := $(shell command -v ccache)

# The groups of a long test that a submission runs (tests/faults/turns.py); without CHANGED, all groups.
TURNS = $(if $(CHANGED),--changed $(CHANGED) --turn $(TURN))

# Tests.  PoCL keeps its programs outside the checkout, for all builds and runs: it finds a program by a hash of its
# source, options, device and PoCL's version.
TEST_CACHE ?= $(or $(XDG_CACHE_HOME),$(and $(HOME),$(wildcard $(HOME)/.),$(HOME)/.cache),$(CURDIR)/build)/gpucrypt-tests
POCL_CACHE_DIR ?= $(TEST_CACHE)/pocl
ifndef TMPDIR
TMPDIR := $(shell tests/memory-folder)
endif
export TEST_CACHE POCL_CACHE_DIR TMPDIR

# All in one pool of jobs: unit test programs, command lines, input that an attacker forged, the conformance set, what
# is built and installed.  One in 4 of the repetitions of the jobs of check-long, which takes all.
SCENARIOS = $(wildcard tests/cli/*/*.sh)
TEST_TOOLS = $(BUILD)/tests/tool $(BUILD)/tests/faults/shim.so
check: all research $(TESTS) $(TEST_TOOLS)
	@mkdir -p $(POCL_CACHE_DIR)
	GCRYPT_TEST_ONE_IN=4 tests/check check $(BUILD) $(notdir $(TESTS)) $(SCENARIOS) \
		tests/model/run tests/build/hardened tests/build/installed

# Only scenarios: all, or those of SCENARIOS='tests/cli/keys/*.sh'.
check-cli: all $(TEST_TOOLS)
	@mkdir -p $(POCL_CACHE_DIR)
	tests/check cli $(BUILD) $(SCENARIOS)

# What check takes one in 4 of: vectors, placements, random cases, suites of each engine.
LONG_TESTS := $(notdir $(basename $(shell grep -l 'test_one_in()' tests/unit/*/test_*.c)))
check-long: all $(LONG_TESTS:%=$(BUILD)/tests/%) $(TEST_TOOLS)
	@mkdir -p $(POCL_CACHE_DIR)
	tests/check long $(BUILD) $(LONG_TESTS) $(shell grep -l GCRYPT_TEST_ONE_IN $(SCENARIOS))

# Run the dissertation's experiments on small sizes, and compare the figures with recorded ones.
check-research: research $(call unit_tests,research)
	@mkdir -p $(POCL_CACHE_DIR)
	tests/check research $(BUILD) $(notdir $(call unit_tests,research)) tests/research/figures

# The same unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, with one in 16 of what
# check takes one in 4 of.  LLVM, in PoCL, changes the signal stack of threads that open a device, which
# AddressSanitizer would free as its own.  check-sanitize-long: the programs that mostly wait for the
# compiler of kernels, or that measure time; under the sanitizers they have found nothing that the others do not find.
SANITIZED_LONG = $(filter test_engine test_measure test_profiles,$(notdir $(TESTS)))
sanitized-build:
	$(MAKE) BUILD=build/sanitize CC="$(CCACHE) $(CC)" CFLAGS="-O1 -g -fno-omit-frame-pointer" \
		SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all" unit-tests sanitized-plugin
	@mkdir -p $(POCL_CACHE_DIR)

check-sanitize check-sanitize-long: export ASAN_OPTIONS = use_sigaltstack=0:intercept_tls_get_addr=0
check-sanitize check-sanitize-long: export LSAN_OPTIONS = suppressions=tests/build/lsan.supp
check-sanitize check-sanitize-long: export GCRYPT_TEST_ONE_IN = 16
check-sanitize-long: sanitized-build
	tests/check sanitize-long build/sanitize $(SANITIZED_LONG)

check-sanitize: $(BUILD)/gcrypt sanitized-build
	tests/check sanitize build/sanitize $(filter-out $(SANITIZED_LONG),$(notdir $(TESTS)))
	tests/cli/images/connections $< build/sanitize/nbdkit-gcrypt-plugin.so 5 libasan.so libubsan.so

# The ciphers of AArch64 under an emulator, where Debian's cross compiler and qemu-user are installed: no library but libc.
ARM_CC ?= aarch64-linux-gnu-gcc
ARM_QEMU ?= qemu-aarch64-static
check-arm:
ifeq ($(and $(shell command -v $(ARM_CC)),$(shell command -v $(ARM_QEMU))),)
	@echo "check-arm: skipped: needs $(ARM_CC) and $(ARM_QEMU) (gcc-aarch64-linux-gnu, qemu-user-static)"
else
	$(MAKE) BUILD=build/aarch64 CC="$(CCACHE) $(ARM_CC)" CC_FOR_BUILD=$(CC) build/aarch64/tests/arm
	$(ARM_QEMU) build/aarch64/tests/arm tests/vectors/*.vec
endif

# check-musl: the ciphers with musl.  objects-musl: compile all sources with musl's headers and the headers of this
# machine's libraries.
MUSL_CC ?= musl-gcc
check-musl objects-musl:
ifeq ($(shell command -v $(MUSL_CC)),)
	@echo "$@: skipped: needs $(MUSL_CC) (musl-tools)"
else
	$(MAKE) BUILD=build/musl CC="$(CCACHE) $(MUSL_CC)" CC_FOR_BUILD=$(CC) \
		CFLAGS="-O1 -idirafter /usr/include -idirafter /usr/include/$(MACHINE)" \
		build/musl/tests/arm $(filter objects,$(subst -, ,$@))
	build/musl/tests/arm tests/vectors/*.vec
endif

objects: $(call layer,gpucrypt) $(call layer,ppf) $(call layer,command) $(call layer,cli) $(O)/cli/main.o

$(BUILD)/tests/arm: $(O)/tests/build/arm.o $(addprefix $(O)/gpucrypt/crypto/,aes.o camellia.o sc2000.o cipher.o cpu.o) \
		$(CORES) $(BUILD)/gen/tables.o
	@mkdir -p $(@D)
	$(LINK) -static -o $@ $^

# What several threads do, under ThreadSanitizer; the CPU is the engine, but for takeover.
THREADED = api api_misuse pipeline pool stream stream_helpers container detached parts raw recheck threads rekey range random_access takeover
check-tsan: $(BUILD)/gcrypt
	$(MAKE) BUILD=build/tsan CC="$(CCACHE) $(CC)" CFLAGS="-O1 -g -Wno-tsan" SANITIZE=-fsanitize=thread \
		TESTS="$(THREADED:%=build/tsan/tests/test_%)" unit-tests examples sanitized-plugin
	@mkdir -p $(POCL_CACHE_DIR)
	TSAN_OPTIONS="halt_on_error=1 suppressions=tests/build/tsan.supp" tests/check tsan build/tsan $(THREADED:%=test_%)
	OCL_ICD_VENDORS=/nonexistent TSAN_OPTIONS=halt_on_error=1 tests/build/library-examples $< build/tsan/examples
	tests/cli/images/connections $< build/tsan/nbdkit-gcrypt-plugin.so 5 libtsan.so

unit-tests: $(TESTS)

# Of another build, for nbdkit with the sanitizer's library.
sanitized-plugin: $(PLUGIN)

# The examples of the library, with the static library of the build.
EXAMPLES = $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
examples: $(EXAMPLES)
$(EXAMPLES): $(BUILD)/examples/%: examples/%.c $(BUILD)/libgpucrypt.a
	@mkdir -p $(@D)
	$(LINK) -std=c11 $(WARNINGS) $(WERROR) $(CFLAGS) -Igpucrypt -o $@ $^ $(LIBS) $(EXAMPLE_LIBS)
$(BUILD)/examples/backup_tree $(BUILD)/examples/restore_tree: EXAMPLE_LIBS = -larchive

# Each command is stopped at every call that changes or syncs a file, and then continued.
# CUTS="--twice 40": one in 40 of these runs is stopped again; CUTS=--twice: all of them.
CUTS ?=
check-cuts: $(BUILD)/gcrypt $(BUILD)/tests/cut.so
	tests/faults/cuts $(BUILD)/gcrypt $(BUILD)/tests/cut.so $(CUTS) $(TURNS)

$(BUILD)/tests/tool: tests/tool.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) $(WERROR) -O1 -o $@ $<

$(BUILD)/tests/cut.so: tests/faults/cut.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fvisibility=default -shared -o $@ $< -ldl

# Everything that may go wrong, and what must happen then; and the conformance set by OpenCL.
FAULT_SHIMS = $(BUILD)/tests/faults/shim.so $(BUILD)/tests/faults/opencl_shim.so
$(FAULT_SHIMS): $(BUILD)/tests/faults/%.so: tests/faults/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARNINGS) -Wno-missing-prototypes $(WERROR) -O1 -shared -fPIC -o $@ $< -ldl

check-faults: all $(FAULT_SHIMS) $(BUILD)/tests/test_container_faults
	@mkdir -p $(POCL_CACHE_DIR)
	tests/faults/run --gcrypt $(BUILD)/gcrypt --build $(BUILD) $(TURNS)
	tests/model/run --gcrypt $(BUILD)/gcrypt --engine opencl
	tests/faults/compare --gcrypt $(BUILD)/gcrypt

# Raw XTS and detached images beside the programs that have such: qemu-img's LUKS1, VeraCrypt's layout,
# dm-crypt where the kernel has it, and libcrypto unit by unit.
check-interop: $(BUILD)/gcrypt $(TEST_TOOLS)
	tests/check interop $(BUILD) tests/interop/*.sh

# The library's ABI beside that of the release, by libabigail; abi: record it, for a release.
check-abi: $(BUILD)/libgpucrypt.so
	tests/build/abi/run $<

abi: $(BUILD)/libgpucrypt.so
	tests/build/abi/run $< record

# Every display of the manual pages, run, compiled or compared.
check-examples: all
	@mkdir -p $(POCL_CACHE_DIR)
	tests/examples/run --build $(BUILD)

# A cipher that is not in the program, added to a copy of it in one place: docs/adding-a-cipher.md.
check-fourth-cipher:
	tests/build/fourth-cipher $(BUILD)/fourth-cipher

# The same faults for openssl enc, age and gpg -c, those of them that are installed.
compare-faults: $(BUILD)/gcrypt
	tests/faults/compare --gcrypt $(BUILD)/gcrypt

# Fuzz targets, tests/fuzz/NAME.c, by clang's libFuzzer with AddressSanitizer and
# UndefinedBehaviorSanitizer: each starts from tests/fuzz/corpus/NAME and runs for SECONDS.
FUZZ = $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZ_CC ?= $(notdir $(shell command -v clang-14 || command -v clang))
SECONDS ?= 30
fuzz-build:
	LLVM_PROFILE_FILE=/dev/null $(MAKE) BUILD=build/fuzz CC="$(CCACHE) $(FUZZ_CC)" CC_FOR_BUILD=$(CC) \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -DMAX_STEPS=200000u" \
		SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
		-fprofile-instr-generate -fcoverage-mapping" $(FUZZ:%=build/fuzz/tests/fuzz/%)

fuzz: fuzz-build
	tests/fuzz/run build/fuzz $(SECONDS) $(FUZZ)

# Run each fuzz target once over its corpus.
fuzz-corpora: fuzz-build
	tests/fuzz/run build/fuzz 0 $(FUZZ)

# Lines of the parsers that the corpora reach.
fuzz-coverage: fuzz-build
	FUZZ_CC=$(FUZZ_CC) tests/fuzz/coverage build/fuzz

$(BUILD)/tests/fuzz/%: $(O)/tests/fuzz/%.o $(CLI_ARCHIVES)
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $(LINKED) $(LIBS) $(CLI_LIBS) $(FUZZ_LIBS)

$(BUILD)/tests/fuzz/analyze: FUZZ_LIBS = -Wl,--wrap=preprocess,--wrap=isolate_end,--wrap=tree_allocate

$(BUILD)/tests/planted: $(O)/tests/build/planted.o
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lOpenCL

# The README's two commands in a new root of a Debian release; needs root, and packages from the network.
RELEASE ?= bookworm
check-fresh-machine:
	tests/build/fresh-machine $(RELEASE)

# Memory errors and leaks of the CPU engine, and what depends on secrets, under valgrind.
# check-secrets: only what depends on secrets, and three unit tests.
VALGRIND_TESTS = $(addprefix $(BUILD)/tests/,secrets test_stream test_stream_helpers test_options)
check-valgrind: all examples $(VALGRIND_TESTS)
	tests/build/valgrind $(BUILD) unit_tests commands examples

check-secrets: all $(VALGRIND_TESTS)
	tests/build/valgrind $(BUILD) unit_tests

# clang-format, clang-tidy, cppcheck and shellcheck, without findings.  LINT=all: also of files that had none before and
# did not change.
lint: $(BUILD)/gen/tables.c $(LOADED)
	LLVM=$(LLVM) tests/build/lint $(BUILD)

.PHONY: check-valgrind check-secrets lint

# Kernels under a simulator that sees races and accesses out of bounds.
check-oclgrind: all $(BUILD)/tests/planted
	tests/build/oclgrind $(BUILD)

# Measure the ciphers, and write GB/s as JSON and picture; BENCH holds options (--all, --size …).
BENCH ?=
bench: $(BUILD)/gcrypt
	@mkdir -p $(POCL_CACHE_DIR)
	$(BUILD)/gcrypt bench --json -f --plot $(BUILD)/bench.svg $(BENCH) > $(BUILD)/bench.json.new
	mv $(BUILD)/bench.json.new $(BUILD)/bench.json

# The page and the data set of all machines, from docs/results/MACHINE.json, each of which is what `make bench` wrote
# there.
performance:
	docs/make-performance > docs/performance.md.new
	mv docs/performance.md.new docs/performance.md
	docs/make-data-set > docs/results/kernels.csv.new
	mv docs/results/kernels.csv.new docs/results/kernels.csv

# Programs with their libraries but libc, libcrypto and libOpenCL, to be carried to another machine; and
# age, if it is here, to be compared with there.
CARRIED = $(addprefix $(BUILD)/carried/,gcrypt ppf ppf-study accuracy test_engine $(notdir $(MPI_PROGRAM)))
portable: $(CARRIED)
	rm -rf $(BUILD)/portable
	tests/build/portable $(BUILD)/portable $(CARRIED) $(shell command -v age) $(shell command -v age-keygen)
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C $(BUILD) -cf - portable | gzip -9n \
		> $(BUILD)/$(DIST)-portable.tar.gz
	cd $(BUILD) && sha256sum $(DIST)-portable.tar.gz > $(DIST)-portable.tar.gz.sha256

$(BUILD)/carried/gcrypt-mpi: $(MPI_OBJECTS)
$(BUILD)/carried/gcrypt-mpi: CLI_LIBS += $(shell $(MPICC) --showme:link)
$(BUILD)/carried/gcrypt: $(O)/cli/main.o $(CLI_ARCHIVES)
$(BUILD)/carried/ppf: $(O)/ppf/program/main.o $(PPF_PROGRAM)
$(BUILD)/carried/ppf-study: $(O)/research/main.o $(STUDY)
$(BUILD)/carried/accuracy: $(O)/tests/measure/accuracy.o $(PPF_ARCHIVES)
$(BUILD)/carried/test_engine: $(O)/tests/unit/gpucrypt/test_engine.o $(LIB_ARCHIVES)
$(BUILD)/carried/test_engine: CLI_LIBS = $(TEST_LIBS)
$(CARRIED):
	@mkdir -p $(@D)
	$(LINK) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib' -o $@ $(LINKED) $(LIBS) $(CLI_LIBS)

# Everything that can be checked and measured on the device at hand, in one run.
device-check:
	tests/measure/device-check $(BUILD)/portable

# A distribution says where its libraries and the completion of zsh are.
LIBDIR ?= $(PREFIX)/lib
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALL_FILE = install -D -m 644

install: all
	install -D -t $(DESTDIR)$(PREFIX)/bin $(BUILD)/gcrypt $(BUILD)/ppf $(wildcard $(BUILD)/ppf-study)
	$(INSTALL_FILE) -t $(DESTDIR)$(LIBDIR) $(BUILD)/libgpucrypt.a
	install -D $(BUILD)/libgpucrypt.so $(DESTDIR)$(LIBDIR)/libgpucrypt.so.$(VERSION)
	ln -sf libgpucrypt.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libgpucrypt.so
	$(INSTALL_FILE) -t $(DESTDIR)$(PREFIX)/include gpucrypt/gpucrypt.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' gpucrypt/libgpucrypt.pc.in \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/libgpucrypt.pc
	for n in 1 3 5; do $(INSTALL_FILE) -t $(SHARE)/man/man$$n man/*.$$n || exit; done
ifneq ($(PLUGIN),)
	install -D -t $(DESTDIR)$(LIBDIR)/nbdkit/plugins $(PLUGIN)
	$(INSTALL_FILE) -t $(SHARE)/man/man1 serve/nbdkit-gcrypt-plugin.1
endif
ifneq ($(MPI_PROGRAM),)
	install -D -t $(DESTDIR)$(PREFIX)/bin $(MPI_PROGRAM)
	$(INSTALL_FILE) -t $(SHARE)/man/man1 mpi/gcrypt-mpi.1
endif
	for n in gcrypt ppf; do \
		$(INSTALL_FILE) $(BUILD)/completion/$$n.bash $(SHARE)/bash-completion/completions/$$n && \
		$(INSTALL_FILE) $(BUILD)/completion/$$n.zsh $(DESTDIR)$(ZSHDIR)/_$$n && \
		$(INSTALL_FILE) -t $(SHARE)/fish/vendor_completions.d $(BUILD)/completion/$$n.fish || exit; done

# The committed sources; the same commit makes the same bytes anywhere.
DIST = gpucrypt-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz

# The recipes of packaging/ for that tarball: URL is where the tarball will be, HOMEPAGE the project's page.
recipes: dist
	packaging/fill $(BUILD)/$(DIST).tar.gz "$(URL)" "$(HOMEPAGE)" $(BUILD)/packaging

# What is installed, built twice in folders of different names, is the same byte for byte.
check-reproducible: dist
	tests/build/reproducible $(BUILD)/$(DIST).tar.gz

# Debian source and binary packages of the committed sources, and what lintian finds in them.
deb: dist
	rm -rf $(BUILD)/deb
	mkdir -p $(BUILD)/deb
	tar -C $(BUILD)/deb -xzf $(BUILD)/$(DIST).tar.gz
	cd $(BUILD)/deb/$(DIST) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc
	lintian --fail-on error,warning $(BUILD)/deb/*.changes
	ls -l $(BUILD)/deb/*.deb $(BUILD)/deb/*.dsc

clean:
	rm -rf build


.PHONY: all research check-research abi check-abi examples bench check-arm check-musl objects-musl objects performance profiles ppf-accuracy check check-cli check-long check-sanitize check-sanitize-long sanitized-build check-tsan unit-tests sanitized-plugin check-oclgrind check-faults check-interop check-examples check-fourth-cipher check-fresh-machine compare-faults check-cuts fuzz-build fuzz fuzz-corpora fuzz-coverage portable device-check install dist recipes check-reproducible deb clean

.SECONDARY:
-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -type f -name '*.d' -print 2>/dev/null)
