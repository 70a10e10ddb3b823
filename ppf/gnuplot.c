#include "ppf/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/status.h"
#include "ppf/isolate.h"

const char *gnuplot_script(const char *name)
{
	const struct gnuplot_script *script = gnuplot_scripts;

	while (strcmp(script->name, name) != 0)
		script++;
	return script->text;
}

void gnuplot_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("''", stream);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, stream);
}

/* script() writes gnuplot's input; NULL: none.  -d: without the user's settings. */
static int run_gnuplot(struct program_run *run, void (*script)(FILE *, const void *), const void *self)
{
	static const char *const arguments[] = { "gnuplot", "-d", "-", NULL };
	char *text = NULL, said[128] = "";
	size_t n_bytes = 0;
	FILE *stream = open_memstream(&text, &n_bytes);
	int status;

	*run = (struct program_run){ .arguments = arguments, .streams = { -1, -1, -1 } };
	if (!stream)
		return fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	if (script)
		script(stream, self);
	if (fclose(stream) != 0)
		status = fail(GPUCRYPT_OTHER, "plot: no memory: %s", strerror(errno));
	else
		status = program_open(run, text, n_bytes) ?: program_execute(run);
	free(text);
	if (status != GPUCRYPT_OK || run->ended == 0)
		return status;
	if (WIFEXITED(run->ended) && WEXITSTATUS(run->ended) == 127)
		return fail(GPUCRYPT_OTHER, "gnuplot: cannot be run: is it installed?");
	if (pread(run->streams[2], said, sizeof said - 1, 0) < 0)
		said[0] = '\0';
	return fail(GPUCRYPT_OTHER, "gnuplot: failed, nothing is drawn: %.*s", (int)strcspn(said, "\n"), said);
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
	struct program_run run;
	int status = run_gnuplot(&run, script, self);

	*svg = NULL;
	if (status == GPUCRYPT_OK)
		status = read_picture(svg, run.streams[1]);
	if (status != GPUCRYPT_OK) {
		free(*svg);
		*svg = NULL;
	}
	program_close(&run);
	return status;
}

int gnuplot_present(void)
{
	struct program_run run;
	int status = run_gnuplot(&run, NULL, NULL);

	program_close(&run);
	return status;
}
