#include "cli/files/gnuplot.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal/pattern.h"
#include "gpucrypt/status.h"

void gnuplot_data(FILE *stream, const char *name, const json_t *rows, const char *const *patterns, unsigned n)
{
	char text[PATTERN_TEXT];

	fprintf(stream, "%s << EOD\n", name);
	for (size_t r = 0; r < json_array_size(rows); r++)
		for (unsigned i = 0; i < n; i++) {
			bool exists = pattern_fill(text, patterns[i], json_array_get(rows, r), NULL);

			fprintf(stream, "%s%s", exists ? text : "NaN", i + 1 < n ? " " : "\n");
		}
	fputs("EOD\n", stream);
}

bool gnuplot_has(const json_t *rows, const char *pattern)
{
	char text[PATTERN_TEXT];

	for (size_t r = 0; r < json_array_size(rows); r++)
		if (pattern_fill(text, pattern, json_array_get(rows, r), NULL))
			return true;
	return false;
}

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
