#include "ppf/run/translate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<seccomp.h>)
#include <seccomp.h>
#endif

#include "gen/libseccomp.h"
#include "gpucrypt/status.h"
#include "ppf/isolate.h"
#include "ppf/measure/bench.h"
#include "ppf/shared_library.h"

#define PREPARE   " (round keys are pseudorandom: see --prepare)"
#define NO_FILTER 125 /* exit code of the child process */

/* No C library and nothing that a compiler adds of its own; functions that are not defined have the address 0. */
static const char *const compiler[] = { "cc", "-x", "c", "-std=gnu11", "-O2", "-w", "-ffreestanding", "-fno-builtin",
	"-fno-tree-loop-distribute-patterns", "-fno-stack-protector", "-fno-strict-aliasing", "-ffunction-sections",
	"-fdata-sections", "-fno-pie", "-no-pie", "-static", "-nostdlib", "-Wl,--gc-sections",
	"-Wl,--unresolved-symbols=ignore-all", "-Wl,--build-id=none", "-Wl,-e,ppf_start", "-o", NULL };

#if __has_include(<seccomp.h>)

static struct {
	LIBSECCOMP_FUNCTIONS(SHARED_LIBRARY_MEMBER)
} libseccomp;

/* Before a process is started for the program. */
static int load_sandbox(const char *needed_by)
{
	static struct shared_library library = { .file = LIBSECCOMP,
		.package = "libseccomp2",
		.names = LIBSECCOMP_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libseccomp };

	return shared_library_load(&library, needed_by);
}

/*
 * Give up all system calls of this process but read, write and exit.  One execveat() stays allowed: of the program's
 * own descriptor, which this call closes, with the empty path at this address.  The program does not know the address;
 * with another path it could run any other program.  false: this system has no filters.
 */
static bool enter_sandbox(int program, const char *path)
{
	static const int calls[] = { SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(exit), SCMP_SYS(exit_group) };
	scmp_filter_ctx filter = libseccomp.init(SCMP_ACT_KILL_PROCESS);
	bool added = filter && libseccomp.attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;

	for (size_t i = 0; added && i < sizeof calls / sizeof *calls; i++)
		added = libseccomp.rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
	return added &&
	       libseccomp.rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execveat), 2,
	               SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)program), SCMP_A1(SCMP_CMP_EQ, (uintptr_t)path)) == 0 &&
	       libseccomp.load(filter) == 0;
}

#else

static int load_sandbox(const char *needed_by)
{
	return fail(GPUCRYPT_UNKNOWN, "%s: not run: this program was built without libseccomp", needed_by);
}

static bool enter_sandbox(int program, const char *path)
{
	(void)program, (void)path;
	return false;
}

#endif

/* Execute the function's program in the sandbox. */
static void execute_function(const void *program)
{
	static char name[] = "function";
	static char *const arguments[] = { name, NULL };
	const int fd = *(const int *)program;
	const char *path =
	        mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* random address: see enter_sandbox() */

	if (path == MAP_FAILED || !enter_sandbox(fd, path))
		_exit(NO_FILTER);
	syscall(SYS_execveat, (long)fd, path, arguments, arguments + 1, AT_EMPTY_PATH);
}

static int compile_failed(const struct program_run *run, const char *name)
{
	char text[2048] = "";
	char *line;

	if (program_timed_out(run))
		return fail(GPUCRYPT_CORRUPT, "%s: stopped: cc takes more than %d s", name, ISOLATED_SECONDS);
	if (WIFEXITED(run->ended) && WEXITSTATUS(run->ended) == 127)
		return fail(GPUCRYPT_OTHER, "cc: cannot run: install a C compiler");
	if (pread(run->streams[2], text, sizeof text - 1, 0) < 0)
		text[0] = '\0';
	line = strstr(text, "error: ");
	line = line ? line : strstr(text, "undefined reference");
	line = line ? line : text;
	line[strcspn(line, "\n")] = '\0';
	return fail(GPUCRYPT_CORRUPT, "%s: cc cannot compile it for this processor: %s", name, line);
}

/* cc reads the text from its standard input. */
static int compile(int *program, const struct translation *translation, const char *path, const char *name)
{
	const char *arguments[sizeof compiler / sizeof *compiler + 2];
	size_t n = sizeof compiler / sizeof *compiler - 1;
	struct program_run run = { .arguments = arguments };
	int status = program_open(&run, translation->host, strlen(translation->host));

	memcpy(arguments, compiler, sizeof compiler);
	arguments[n++] = path;
	arguments[n++] = "-";
	arguments[n] = NULL;
	status = status ?: program_execute(&run);
	if (status == GPUCRYPT_OK && run.ended != 0)
		status = compile_failed(&run, name);
	if (status == GPUCRYPT_OK && (*program = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		status = fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	program_close(&run);
	return status;
}

/* The program's file is removed before the program runs. */
static int make_program(int *program, const struct translation *translation, const char *name)
{
	const char *folder = getenv("TMPDIR");
	char path[512], *slash;
	int status;

	if ((size_t)snprintf(path, sizeof path, "%s/ppf-XXXXXX", folder && *folder ? folder : "/tmp") >=
	                sizeof path - 9 ||
	        !mkdtemp(path))
		return fail(GPUCRYPT_IO, "%s: no folder for temporary files: %s", path, strerror(errno));
	slash = path + strlen(path);
	memcpy(slash, "/program", 9);
	status = compile(program, translation, path, name);
	unlink(path);
	*slash = '\0';
	rmdir(path);
	return status;
}

/* ppf_outside() in host_text.c has reported an access: the place, the index, and the elements of the array. */
static int fail_outside(const struct translation *translation, const uint64_t outside[3])
{
	size_t at = outside[0] >> 32;
	const char *file = at < sizeof translation->files ? translation->files + at : "";

	if (outside[2] == 0)
		return fail(GPUCRYPT_CORRUPT, "%s:%u: a pointer is outside the function's memory" PREPARE, file,
		        (unsigned)outside[0]);
	return fail(GPUCRYPT_CORRUPT, "%s:%u: index %lld is outside an array of %llu elements" PREPARE, file,
	        (unsigned)outside[0], (long long)outside[1], (unsigned long long)outside[2]);
}

static int function_failed(const struct program_run *run, const struct translation *translation, const char *name)
{
	const int ended = run->ended;
	uint64_t outside[3];

	if (ended == 0)
		return GPUCRYPT_OK;
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 3 &&
	        pread(run->streams[2], outside, sizeof outside, 0) == sizeof outside)
		return fail_outside(translation, outside);
	if (program_timed_out(run))
		return fail(GPUCRYPT_CORRUPT, "%s: stopped: %u blocks take this processor more than %d s", name,
		        PERIOD_BLOCKS, ISOLATED_SECONDS);
	if (WIFSIGNALED(ended))
		return fail(GPUCRYPT_CORRUPT,
		        "%s: the function crashes on pseudorandom keys and data: %s (see --set and --prepare)", name,
		        strsignal(WTERMSIG(ended)));
	return fail(GPUCRYPT_OTHER, "%s: %s", name,
	        WEXITSTATUS(ended) == NO_FILTER ? "not run: this system cannot take its rights (seccomp)"
	                                        : "the function's results cannot be read");
}

static void fill_random(uint8_t *bytes, size_t n_bytes)
{
	uint32_t x = FIRST_NUMBER;

	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)(next_number(&x) >> 11);
}

static int run_program(int program, const struct translation *translation, const uint8_t *input, size_t n_input,
        uint8_t *output, size_t n_output, const char *name)
{
	struct program_run run = { .execute = execute_function, .with = &program };
	int status = program_open(&run, input, n_input) ?: program_execute(&run);

	if (status == GPUCRYPT_OK)
		status = function_failed(&run, translation, name);
	if (status == GPUCRYPT_OK && pread(run.streams[1], output, n_output, 0) != (ssize_t)n_output)
		status = fail(GPUCRYPT_OTHER, "%s: the function's results are incomplete", name);
	program_close(&run);
	return status;
}

int host_run(struct host_results *results, const struct translation *translation, const struct host_input *given,
        const char *name)
{
	size_t n_plain = (size_t)PERIOD_BLOCKS * translation->block_bytes[0],
	       n_cipher = (size_t)PERIOD_BLOCKS * translation->block_bytes[1],
	       n_input = translation->random_bytes + n_plain,
	       n_areas = (size_t)translation->n_bytes[OBJECT_TABLE] + translation->n_bytes[OBJECT_KEY];
	uint8_t *input = malloc(n_input);
	int program = -1, status = GPUCRYPT_OK;

	*results = (struct host_results){ malloc(n_plain), malloc(n_areas + n_cipher), NULL, NULL };
	if (!input || !results->plaintext || !results->tables) {
		free(input);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	fill_random(input, n_input);
	if (given && given->n_key > translation->random_bytes - translation->key_at)
		status = fail(GPUCRYPT_USAGE, "%s: --key-bytes: %zu bytes, but the function gets %u", name,
		        given->n_key, translation->random_bytes - translation->key_at);
	else if (given)
		memcpy(input + translation->key_at, given->key, given->n_key);
	if (given)
		memcpy(input + translation->random_bytes, given->block, translation->block_bytes[0]);
	memcpy(results->plaintext, input + translation->random_bytes, n_plain);
	results->keys = results->tables + translation->n_bytes[OBJECT_TABLE];
	results->ciphertext = results->tables + n_areas;
	status = status ?: load_sandbox(name)
	                 ?: make_program(&program, translation, name)
	                 ?: run_program(program, translation, input, n_input, results->tables, n_areas + n_cipher, name);
	if (program >= 0)
		close(program);
	free(input);
	return status;
}

void host_results_free(struct host_results *results)
{
	free(results->plaintext);
	free(results->tables);
	*results = (struct host_results){ 0 };
}
