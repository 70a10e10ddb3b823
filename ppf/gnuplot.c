#include "ppf/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"

extern char **environ;

void gnuplot_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("''", stream);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, stream);
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

/* -d: without the user's settings. */
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

/* The picture in memory, to be closed. */
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

/* gnuplot does not say when it could not write. */
static int read_picture(char **svg, int picture)
{
	static const char end[] = "</svg>";
	struct stat there;

	if (fstat(picture, &there) != 0 || there.st_size == 0)
		return fail(GPUCRYPT_OTHER, "gnuplot: has drawn nothing");
	*svg = calloc(1, (size_t)there.st_size + 1);
	if (!*svg || pread(picture, *svg, (size_t)there.st_size, 0) != there.st_size)
		return fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	return strstr(*svg, end) ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "gnuplot: has not drawn all of it");
}

int gnuplot_picture(char **svg, void (*script)(FILE *, const void *), const void *self)
{
	int picture = -1, status = draw(&picture, script, self);

	*svg = NULL;
	if (status == GPUCRYPT_OK)
		status = read_picture(svg, picture);
	if (status != GPUCRYPT_OK) {
		free(*svg);
		*svg = NULL;
	}
	if (picture >= 0)
		close(picture);
	return status;
}

static void nothing(FILE *stream, const void *self)
{
	(void)stream, (void)self;
}

int gnuplot_present(void)
{
	int picture = -1, status = draw(&picture, nothing, NULL);

	if (picture >= 0)
		close(picture);
	return status;
}
