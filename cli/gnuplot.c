#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "gpucrypt/stream.h"

extern char **environ;

void gnuplot_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("''", stream);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, stream);
}

void gnuplot_figure(FILE *stream, double value)
{
	if (value > 0)
		fprintf(stream, " %.9g", value);
	else
		fputs(" NaN", stream);
}

static int write_script(int *fd, void (*script)(FILE *, const void *), const void *self)
{
	FILE *stream;

	*fd = memfd_create("gnuplot script", MFD_CLOEXEC);
	stream = *fd < 0 ? NULL : fdopen(dup(*fd), "w");
	if (!stream)
		return fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	script(stream, self);
	if (fclose(stream) != 0 || lseek(*fd, 0, SEEK_SET) != 0)
		return fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	return GPUCRYPT_OK;
}

/* -d: nobody's own settings. */
static int run_gnuplot(int script, int picture)
{
	static char name[] = "gnuplot", defaults[] = "-d", standard_input[] = "-";
	char *const arguments[] = { name, defaults, standard_input, NULL };
	posix_spawn_file_actions_t files;
	pid_t child;
	int status = 0, error;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, script, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, picture, STDOUT_FILENO);
	error = posix_spawnp(&child, name, &files, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&files);
	if (error != 0)
		return fail(GPUCRYPT_OTHER, "gnuplot: cannot be run: %s", strerror(error));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail(GPUCRYPT_OTHER, "gnuplot: lost: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(GPUCRYPT_OTHER, "gnuplot: failed, nothing is drawn");
	return GPUCRYPT_OK;
}

/* The picture in memory, to be closed: gnuplot does not say when it could not write. */
static int draw(int *picture, void (*script)(FILE *, const void *), const void *self)
{
	int input = -1, status = write_script(&input, script, self);

	if (status == GPUCRYPT_OK) {
		*picture = memfd_create("picture", MFD_CLOEXEC);
		status = *picture < 0 ? fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno))
		                      : run_gnuplot(input, *picture);
	}
	if (input >= 0)
		close(input);
	return status;
}

static int put_picture(const struct output *output, int picture)
{
	static const char end[] = "</svg>";
	struct fd_sink sink;
	struct stat there;
	const uint8_t *bytes;
	size_t n_bytes;
	int status;

	if (fstat(picture, &there) != 0 || there.st_size == 0)
		return fail(GPUCRYPT_OTHER, "gnuplot: has drawn nothing");
	n_bytes = (size_t)there.st_size;
	bytes = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, picture, 0);
	if (bytes == MAP_FAILED)
		return fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	status = memmem(bytes, n_bytes, end, sizeof end - 1)
	                 ? fd_sink_open(&sink, output->fd, output->name)
	                 : fail(GPUCRYPT_OTHER, "gnuplot: has not drawn all of it");
	if (status == GPUCRYPT_OK)
		status = sink.sink.write(&sink.sink, bytes, n_bytes, 0);
	munmap((void *)bytes, n_bytes);
	return status;
}

int gnuplot_draw(
        struct output *output, void (*script)(FILE *stream, const void *self), const void *self)
{
	int picture = -1, status = draw(&picture, script, self);

	if (status == GPUCRYPT_OK)
		status = put_picture(output, picture);
	if (status == GPUCRYPT_OK)
		status = output_sync(output);
	if (status == GPUCRYPT_OK)
		status = output_commit(output);
	if (picture >= 0)
		close(picture);
	return status;
}

static void nothing(FILE *stream, const void *self)
{
	(void)stream, (void)self;
}

int gnuplot_open(struct output *output, const char *name, bool force)
{
	/* Nothing secret: it may be read by whom the umask allows. */
	const struct output_terms terms = {
		.standard_input = true, .ciphertext = true, .force = force
	};
	int status, picture = -1;

	if (!name)
		return GPUCRYPT_OK;
	status = output_choose(output, name, &terms);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_DESCRIPTOR)
		status = fail(GPUCRYPT_USAGE, "--plot: %s: must be a file", name);
	if (status == GPUCRYPT_OK)
		status = draw(&picture, nothing, NULL);
	if (status == GPUCRYPT_OK)
		status = output_create(output);
	if (picture >= 0)
		close(picture);
	return status;
}
