/* Code analysis of text that needs no preprocessor. The analysis runs in this process, so that the sanitizers see its
 * errors: what ends a child process returns to count(), which frees what the child would leave behind. libclang itself
 * is not instrumented; the code that walks its tree is. */
#include "tests/fuzz/input.h"

#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "ppf/analysis/count.h"
#include "ppf/analysis/lower.h"

static const char *source;
static size_t n_source;
static jmp_buf end;
static CXTranslationUnit parsed;
static CXIndex parsed_index;
static __typeof__(clang_parseTranslationUnit2) *parse;

static struct block {
	struct block *next;
	max_align_t bytes[];
} * blocks;

/* In place of the library's, which start a compiler, end the process, and allocate what is freed at its end. */
const char *__wrap_preprocess(size_t *n_bytes, const char *file, const char *const *options);
_Noreturn void __wrap_isolate_end(int status);
void *__wrap_tree_allocate(size_t n_bytes);

const char *__wrap_preprocess(size_t *n_bytes, const char *file, const char *const *options)
{
	(void)file, (void)options;
	*n_bytes = n_source;
	return source;
}

void __wrap_isolate_end(int status)
{
	MUST(status != GPUCRYPT_OK);
	longjmp(end, status);
}

void *__wrap_tree_allocate(size_t n_bytes)
{
	struct block *block = calloc(1, sizeof *block + n_bytes);

	MUST(block != NULL);
	block->next = blocks;
	blocks = block;
	return block->bytes;
}

static enum CXErrorCode keep_parsed(CXIndex index, const char *file, const char *const *arguments, int n_arguments,
        struct CXUnsavedFile *texts, unsigned n_texts, unsigned options, CXTranslationUnit *to)
{
	enum CXErrorCode error = parse(index, file, arguments, n_arguments, texts, n_texts, options, to);

	parsed_index = index;
	parsed = *to;
	return error;
}

static int count(const struct analysis *analysis)
{
	static struct counter counter;
	static struct unit unit;
	struct profile profile = { .n_tbl = 0 };
	struct memory_list memory = { .n = 0 };
	int status = setjmp(end);

	if (status == GPUCRYPT_OK) {
		counter = (struct counter){ .analysis = analysis, .values.as_written = !analysis->by_value };
		unit_read(&unit, analysis);
		run_entry(&counter, &unit);
		profile_count(&profile, &memory, &counter);
	}
	for (struct block *block = blocks, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	blocks = NULL;
	free(counter.values.nodes);
	free(counter.values.buckets);
	counter.values = (struct values){ 0 };
	if (parsed)
		libclang.disposeTranslationUnit(parsed);
	libclang.disposeIndex(parsed_index);
	parsed = NULL;
	return status;
}

/* Does libclang parse the source with the memory that isolate() gives a child process?  A child finds out: without
 * memory it ends.  What it does then is no finding. */
static bool is_parsed(void)
{
	struct CXUnsavedFile file = { "source.i", source, n_source };
	unsigned long pages = 0;
	FILE *statm;
	int ended = 1;
	pid_t child = fork();

	MUST(child >= 0);
	if (child == 0) {
		for (int i = 1; i < NSIG; i++)
			signal(i, SIG_DFL);
		__sanitizer_set_death_callback(NULL);
		alarm(20);
		statm = fopen("/proc/self/statm", "re");
		MUST(statm && fscanf(statm, "%lu", &pages) == 1);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		setrlimit(RLIMIT_AS, &(struct rlimit){ (pages << 12) + ((rlim_t)1 << 30), RLIM_INFINITY });
		parse(libclang.createIndex(0, 0), file.Filename, NULL, 0, &file, 1, CXTranslationUnit_None, &parsed);
		_exit(0);
	}
	while (waitpid(child, &ended, 0) < 0) /* the fuzzer's own alarms */
		MUST(errno == EINTR);
	return ended == 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	MUST(libclang_load("fuzz.c") == GPUCRYPT_OK);
	parse = libclang.parseTranslationUnit2;
	libclang.parseTranslationUnit2 = keep_parsed;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input);

	if (!memchr(text, '#', n_bytes) && strlen(text) == n_bytes) {
		source = text;
		n_source = n_bytes;
	}
	if (source == text && is_parsed()) {
		succeeded(count(&(struct analysis){ .file = "fuzz.c", .function = "f" }));
		succeeded(count(&(struct analysis){ .file = "fuzz.c", .function = "f", .by_value = true }));
	}
	source = NULL;
	free(text);
	return 0;
}
