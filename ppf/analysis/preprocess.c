#include "ppf/analysis/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/isolate.h"

#define MAX_BYTES   (8u << 20)
#define MAX_SECONDS 30

/* The preprocessor presents itself as the compiler that libclang is, else the C library's headers
 * use what libclang does not know. */
static const char *const fixed_options[] = { "cc", "-E", "-x", "c", "-std=gnu11", "-w", "-fmax-errors=1", "-DNDEBUG",
	"-U__GNUC__", "-D__GNUC__=4", "-U__GNUC_MINOR__", "-D__GNUC_MINOR__=2" };

#define N_FIXED (sizeof fixed_options / sizeof *fixed_options)

int source_isolate(const char *file, void (*work)(void *result, const void *request), const void *request, void *result,
        size_t n_bytes)
{
	return isolate(&(struct isolation){ .name = file,
	        .crashed = "cannot be parsed: libclang crashed",
	        .late = "the analysis takes more than 60 s",
	        .status = GPUCRYPT_CORRUPT,
	        .limited = true,
	        .work = work,
	        .request = request,
	        .result = result,
	        .n_bytes = n_bytes });
}

static const char *const *make_arguments(const char *file, const char *const *options)
{
	size_t n = 0, length = strlen(file) + 3;
	char *argument = tree_allocate(length);
	const char **arguments;

	while (options && options[n])
		n++;
	/* It can be nothing but a file name. */
	snprintf(argument, length, "%s%s", *file == '-' || *file == '@' ? "./" : "", file);
	arguments = tree_allocate((N_FIXED + n + 2) * sizeof *arguments);
	memcpy(arguments, fixed_options, sizeof fixed_options);
	if (n > 0)
		memcpy(arguments + N_FIXED, options, n * sizeof *options);
	arguments[N_FIXED + n] = argument;
	return arguments;
}

/* The first line of the messages with an error in it, which names the file, else the first. */
static int fail_with_message(int messages, const char *file)
{
	char text[4096], *line;
	ssize_t n = pread(messages, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "error:");
	while (line && line > text && line[-1] != '\n')
		line--;
	if (!line)
		line = text + strspn(text, "\n");
	line[strcspn(line, "\n")] = '\0';
	if (strstr(line, ": No such file"))
		return fail(GPUCRYPT_CORRUPT,
		        "%s: give the header's folder by -I (a config.h that a build makes: by an empty file)", line);
	if (strstr(line, "#error"))
		return fail(GPUCRYPT_CORRUPT, "%s: define what the source asks for by -D or --include", line);
	if (strstr(line, "error:"))
		return fail(GPUCRYPT_CORRUPT, "%s", line);
	return fail(GPUCRYPT_CORRUPT, "%s: the preprocessor failed%s%s", file, *line ? ": " : "", line);
}

/* No folder, no device: those do not end. */
static void check_file(const char *file)
{
	struct stat about;

	if (stat(file, &about) != 0 || access(file, R_OK) != 0)
		isolate_end(fail(GPUCRYPT_IO, "%s: cannot open: %s", file, strerror(errno)));
	if (!S_ISREG(about.st_mode))
		isolate_end(fail(GPUCRYPT_IO, "%s: not a regular file", file));
}

const char *preprocess(size_t *n_bytes, const char *file, const char *const *options)
{
	struct program_run run = { .arguments = make_arguments(file, options), .seconds = MAX_SECONDS };
	char *text = tree_array(MAX_BYTES + 1, 1);
	ssize_t n;
	int status;

	check_file(file);
	status = program_open(&run, NULL, 0) ?: program_execute(&run);
	if (status != GPUCRYPT_OK)
		isolate_end(status);
	n = pread(run.streams[1], text, MAX_BYTES + 1, 0);
	if (n < 0)
		isolate_end(fail(GPUCRYPT_IO, "cc: cannot read: %s", strerror(errno)));
	if (n > MAX_BYTES)
		isolate_end(fail(GPUCRYPT_CORRUPT, "%s: more than %u MiB of source", file, MAX_BYTES >> 20));
	if (program_timed_out(&run))
		isolate_end(fail(GPUCRYPT_CORRUPT, "%s: the preprocessor takes more than %d s", file, MAX_SECONDS));
	if (WIFEXITED(run.ended) && WEXITSTATUS(run.ended) == 127)
		isolate_end(fail(GPUCRYPT_OTHER, "cc: cannot run: %s", strerror(ENOENT)));
	if (run.ended != 0)
		isolate_end(fail_with_message(run.streams[2], file));
	program_close(&run);
	*n_bytes = (size_t)n;
	return text;
}
