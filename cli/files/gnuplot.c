#include "cli/files/gnuplot.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self)
{
	char *svg;
	int status = gnuplot_picture(&svg, script, self) ?: output_put(output, svg, strlen(svg));

	free(svg);
	return status;
}

int gnuplot_open(struct output *output, const char *name, bool force)
{
	/* The picture holds no secret: the umask decides who may read it. */
	const struct output_terms terms = { .standard_input = true, .ciphertext = true, .force = force };
	int status;

	if (!name)
		return GPUCRYPT_OK;
	status = output_choose(output, name, &terms);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_DESCRIPTOR)
		status = fail(GPUCRYPT_USAGE, "--plot: %s: must be a file", name);
	return status ?: gnuplot_present() ?: output_create(output);
}
