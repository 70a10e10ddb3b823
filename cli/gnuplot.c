#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"

extern char **environ;

int gnuplot_choose(struct output *output, const char *name, bool force)
{
	/* Nothing secret: it may be read by whom the umask allows. */
	const struct output_terms terms = {
		.standard_input = true, .ciphertext = true, .force = force
	};
	int status;

	if (!name)
		return GPUCRYPT_OK;
	status = output_choose(output, name, &terms);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_DESCRIPTOR)
		status = fail(GPUCRYPT_USAGE, "--plot: %s: must be a file", name);
	return status;
}

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

/* gnuplot does not say when it could not write. */
static bool is_whole(int fd)
{
	static const char end[] = "</svg>";
	char tail[32] = "";
	struct stat there;
	ssize_t n;
	off_t at;

	if (fstat(fd, &there) != 0 || !S_ISREG(there.st_mode))
		return true;
	at = there.st_size - (off_t)(sizeof tail - 1);
	n = pread(fd, tail, sizeof tail - 1, at > 0 ? at : 0);
	return n < 0 || strstr(tail, end); /* what cannot be read, like standard output, may be */
}

int gnuplot_draw(
        struct output *output, void (*script)(FILE *stream, const void *self), const void *self)
{
	int input = -1, status = write_script(&input, script, self);

	if (status == GPUCRYPT_OK)
		status = output_create(output);
	if (status == GPUCRYPT_OK)
		status = run_gnuplot(input, output->fd);
	if (status == GPUCRYPT_OK && !is_whole(output->fd))
		status = fail(GPUCRYPT_IO, "%s: gnuplot has not written all of it", output->name);
	if (status == GPUCRYPT_OK)
		status = output_sync(output);
	if (status == GPUCRYPT_OK)
		status = output_commit(output);
	if (input >= 0)
		close(input);
	return status;
}
