/* Code analysis.  libclang itself is not instrumented; what walks its tree is. */
#include "tests/fuzz/input.h"

#include "ppf/analyze.h"

/* Directives are the preprocessor's, which is a process of its own and may read any file. */
static bool has_directives(const char *text)
{
	return strchr(text, '#') != NULL || strstr(text, "%:") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct fuzz_input input = { bytes, n_bytes };
	struct profile profile = { 0 };
	char *text = take_text(&input), name[] = "/tmp/gcrypt-fuzz-XXXXXX.c";
	int fd;

	if (!has_directives(text) && strlen(text) == n_bytes) {
		fd = mkstemps(name, 2);
		MUST(fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes);
		close(fd);
		succeeded(analyze(&profile, &(struct analysis){ .file = name, .function = "f" }));
		unlink(name);
	}
	free(text);
	return 0;
}
