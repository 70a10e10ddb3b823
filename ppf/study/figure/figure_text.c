/* A figure as text for a terminal. */
#include <math.h>
#include <string.h>

#include "ppf/study/figure/figure.h"

#define VALUE_WIDTH 9

static void put_value(FILE *stream, double y)
{
	if (isnan(y))
		fprintf(stream, " %*s", VALUE_WIDTH, "-");
	else
		fprintf(stream, " %*.4g", VALUE_WIDTH, y);
}

static int label_width(const struct figure *figure)
{
	size_t width = strlen(figure->x_label);
	char label[48];

	for (unsigned i = 0; i < figure->n_rows; i++) {
		size_t length = strlen(figure_row_text(label, &figure->rows[i]));
		width = length > width ? length : width;
	}
	return (int)width;
}

/* Names of series are longer than a column: they stand above, numbered. */
static void put_table(FILE *stream, const struct figure *figure)
{
	int width = label_width(figure);
	char label[48], number[16];

	for (unsigned s = 0; s < figure->n_series; s++)
		fprintf(stream, "  [%u] %s\n", s + 1, figure->series[s].name);
	fprintf(stream, "  %-*s", width, figure->x_label);
	for (unsigned s = 0; s < figure->n_series; s++) {
		snprintf(number, sizeof(number), "[%u]", s + 1);
		fprintf(stream, " %*s", VALUE_WIDTH, number);
	}
	fprintf(stream, "   %s\n", figure->y_label);
	for (unsigned i = 0; i < figure->n_rows; i++) {
		fprintf(stream, "  %-*s", width, figure_row_text(label, &figure->rows[i]));
		for (unsigned s = 0; s < figure->n_series; s++)
			put_value(stream, figure->series[s].y[i]);
		fputc('\n', stream);
	}
}

void figure_print(FILE *stream, const struct figure *figure)
{
	fprintf(stream, "Figure %s: %s\n", figure->name, figure->title);
	if (figure->n_rows > 0)
		put_table(stream, figure);
	for (unsigned i = 0; i < figure->n_notes; i++)
		fprintf(stream, "  %s: %s: %s\n", figure->notes[i].variant, note_names[figure->notes[i].kind],
		        figure->notes[i].reason);
	for (unsigned i = 0; i < figure->n_conclusions; i++)
		fprintf(stream, "  %s\n    %s: %s\n", figure->conclusions[i].claim,
		        verdict_names[figure->conclusions[i].verdict], figure->conclusions[i].found);
	if (figure->spread > 0)
		fprintf(stream, "  runs of a kernel: their median is %.1f %% above the shortest\n",
		        100 * figure->spread);
	if (figure->failure[0] != '\0')
		fprintf(stream, "  not complete: %s\n", figure->failure);
	fputc('\n', stream);
}
