/* A figure as text for a terminal. */
#include <math.h>
#include <string.h>

#include "figure.h"

#define LABEL_WIDTH 24
#define VALUE_WIDTH 14

static void put_value(FILE *stream, double y)
{
	if (isnan(y))
		fprintf(stream, " %*s", VALUE_WIDTH, "-");
	else
		fprintf(stream, " %*.4g", VALUE_WIDTH, y);
}

/* Names of series may be longer than a column: they stand above, numbered. */
static void put_table(FILE *stream, const struct figure *figure)
{
	char label[48];

	for (unsigned s = 0; s < figure->n_series; s++)
		fprintf(stream, "  [%u] %s\n", s + 1, figure->series[s].name);
	fprintf(stream, "  %-*s", LABEL_WIDTH, figure->x_label);
	for (unsigned s = 0; s < figure->n_series; s++)
		fprintf(stream, " %*s[%u]", VALUE_WIDTH - (s < 9 ? 3 : 4), "", s + 1);
	fprintf(stream, "   (%s)\n", figure->y_label);
	for (unsigned i = 0; i < figure->n_rows; i++) {
		fprintf(stream, "  %-*s", LABEL_WIDTH, figure_row_text(label, &figure->rows[i]));
		for (unsigned s = 0; s < figure->n_series; s++)
			put_value(stream, figure->series[s].y[i]);
		fputc('\n', stream);
	}
}

void figure_text(FILE *stream, const struct figure *figure)
{
	fprintf(stream, "Figure %s: %s\n", figure->name, figure->title);
	if (figure->n_rows > 0)
		put_table(stream, figure);
	for (unsigned i = 0; i < figure->n_notes; i++)
		fprintf(stream, "  %s: %s: %s\n", figure->notes[i].variant,
		        note_names[figure->notes[i].kind], figure->notes[i].reason);
	for (unsigned i = 0; i < figure->n_conclusions; i++)
		fprintf(stream, "  %s: %s\n    here: %s\n",
		        verdict_names[figure->conclusions[i].verdict], figure->conclusions[i].claim,
		        figure->conclusions[i].found);
	if (figure->failure[0] != '\0')
		fprintf(stream, "  not complete: %s\n", figure->failure);
	fputc('\n', stream);
}
