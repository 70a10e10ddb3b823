/* Code analysis of text that needs no preprocessor. The analysis runs in this process, so that the sanitizers see its
 * errors. libclang itself is not instrumented; the code that walks its tree is. */
#include "tests/fuzz/input.h"

#include "ppf/analysis/preprocess.h"
#include "ppf/analysis/tally.h"

static const char *source;
static size_t n_source;

/* In place of the library's, which starts a compiler. */
int __wrap_preprocess(char **text, size_t *n_bytes, const char *file, const char *const *options);

int __wrap_preprocess(char **text, size_t *n_bytes, const char *file, const char *const *options)
{
	(void)file, (void)options;
	*text = strdup(source);
	*n_bytes = n_source;
	MUST(*text != NULL);
	return GPUCRYPT_OK;
}

static int count(const struct analysis *analysis)
{
	struct counter counter = { .analysis = analysis, .values.as_written = !analysis->by_value };
	struct profile profile = { .n_tbl = 0 };
	struct memory_list memory = { .n = 0 };
	struct unit unit = { 0 };
	int status = unit_read(&unit, analysis);

	if (status == GPUCRYPT_OK)
		status = run_entry(&counter, &unit);
	if (status == GPUCRYPT_OK)
		status = tally(&profile, &memory, &counter);
	unit_free(&unit);
	values_free(&counter.values);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	char *text = take_text(&input);

	if (!memchr(text, '#', n_bytes) && strlen(text) == n_bytes) {
		source = text;
		n_source = n_bytes;
		succeeded(count(&(struct analysis){ .file = "fuzz.c", .function = "f" }));
		succeeded(count(&(struct analysis){ .file = "fuzz.c", .function = "f", .by_value = true }));
	}
	free(text);
	return 0;
}
