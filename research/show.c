/* A figure for people: as a table of text, as a picture, and on a page with the others. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/status.h"
#include "ppf/gnuplot.h"
#include "ppf/record/cache.h"
#include "research/study.h"

#define VALUE_WIDTH 9

#define EACH(figure, list, i, item) json_array_foreach(json_object_get(figure, list), i, item)

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* A row's label, or its x. */
static const char *row_text(char text[64], const json_t *row)
{
	if (*text_of(row, "label") != '\0')
		snprintf(text, 64, "%s", text_of(row, "label"));
	else
		snprintf(text, 64, "%g", number(row, "x"));
	return text;
}

static void print_row(FILE *stream, const json_t *figure, const json_t *row, int width)
{
	const json_t *series;
	char text[64];
	size_t i;

	fprintf(stream, "  %-*s", width, row_text(text, row));
	EACH(figure, "series", i, series)
	{
		double y = figure_y(series, number(row, "x"));

		if (isnan(y))
			fprintf(stream, " %*s", VALUE_WIDTH, "-");
		else
			fprintf(stream, " %*.4g", VALUE_WIDTH, y);
	}
	fputc('\n', stream);
}

/* The names of series are longer than a column, so a numbered list above the table has them. */
static void print_table(FILE *stream, const json_t *figure)
{
	size_t width = strlen(text_of(figure, "x")), i;
	const json_t *item;
	char text[64];

	EACH(figure, "series", i, item)
	{
		fprintf(stream, "  [%zu] %s\n", i + 1, text_of(item, "name"));
	}
	EACH(figure, "rows", i, item)
	{
		width = strlen(row_text(text, item)) > width ? strlen(text) : width;
	}
	fprintf(stream, "  %-*s", (int)width, text_of(figure, "x"));
	EACH(figure, "series", i, item)
	{
		snprintf(text, sizeof text, "[%zu]", i + 1);
		fprintf(stream, " %*s", VALUE_WIDTH, text);
	}
	fprintf(stream, "   %s\n", text_of(figure, "y"));
	EACH(figure, "rows", i, item)
	{
		print_row(stream, figure, item, (int)width);
	}
}

void figure_print(FILE *stream, const json_t *figure)
{
	const json_t *item;
	size_t i;

	fprintf(stream, "Figure %s: %s\n", text_of(figure, "figure"), text_of(figure, "title"));
	if (json_array_size(json_object_get(figure, "rows")) > 0)
		print_table(stream, figure);
	EACH(figure, "notes", i, item)
	{
		fprintf(stream, "  %s: %s: %s\n", text_of(item, "variant"), text_of(item, "kind"),
		        text_of(item, "reason"));
	}
	EACH(figure, "conclusions", i, item)
	{
		fprintf(stream, "  %s\n    %s: %s\n", text_of(item, "claim"), text_of(item, "verdict"),
		        text_of(item, "found"));
	}
	if (number(figure, "spread") > 0)
		fprintf(stream, "  runs of a kernel: their median is %.1f %% above the shortest\n",
		        100 * number(figure, "spread"));
	if (json_object_get(figure, "failure") != NULL)
		fprintf(stream, "  not complete: %s\n", text_of(figure, "failure"));
	fputc('\n', stream);
}

/* The picture: the figure as variables of plot.gp. */

static void script_text(FILE *stream, const char *name, const char *text)
{
	fprintf(stream, "%s'", name);
	gnuplot_text(stream, text);
	fputc('\'', stream);
}

/* Write the name of a row in quotes; control characters and quotes in the name become '?'. */
static void script_row(FILE *stream, const json_t *figure, const json_t *row)
{
	const json_t *series;
	char text[64];
	size_t i;

	row_text(text, row);
	for (char *c = text; *c != '\0'; c++)
		*c = (unsigned char)*c < ' ' || *c == '"' ? '?' : *c;
	fprintf(stream, "\"%s\" %.9g", text, number(row, "x"));
	EACH(figure, "series", i, series)
	{
		double y = figure_y(series, number(row, "x"));

		if (isnan(y))
			fputs(" NaN", stream);
		else
			fprintf(stream, " %.9g", y);
	}
	fputc('\n', stream);
}

/* For each series write its name, whether it is printed, and in `used` the number of series of the same kind before it.
 * */
static double script_series(FILE *stream, const json_t *figure)
{
	const json_t *series, *point;
	double least = HUGE_VAL, negative = 0;
	unsigned used[2] = { 0 };
	size_t n = json_array_size(json_object_get(figure, "series")), i, j;

	fprintf(stream, "n_series = %zu\narray names[%zu]\narray printed[%zu]\narray used[%zu]\n", n, n, n, n);
	EACH(figure, "series", i, series)
	{
		bool printed = json_is_true(json_object_get(series, "printed"));

		fprintf(stream, "printed[%zu] = %d; used[%zu] = %u; names[%zu] = ", i + 1, printed, i + 1,
		        used[printed]++, i + 1);
		script_text(stream, "", text_of(series, "name"));
		fputc('\n', stream);
		EACH(series, "points", j, point)
		{
			double y = number(point, "y");

			negative = fmin(negative, y);
			least = y > 0 ? fmin(least, y) : least;
		}
	}
	return negative < 0 && json_is_false(json_object_get(figure, "log_y")) ? negative : isinf(least) ? 0 : least;
}

static void script_figure(FILE *stream, const void *self)
{
	const json_t *figure = self, *row;
	size_t letters = 0, i;

	fputs("$data << EOD\n", stream);
	EACH(figure, "rows", i, row)
	{
		script_row(stream, figure, row);
		letters += 2 + strlen(text_of(row, "label"));
	}
	fputs("EOD\n", stream);
	script_text(stream, "title_text = ", text_of(figure, "title"));
	script_text(stream, "\nx_text = ", text_of(figure, "x"));
	script_text(stream, "\ny_text = ", text_of(figure, "y"));
	fprintf(stream, "\nbars = %d; log_x = %d; log_y = %d; n_rows = %zu; letters = %zu; first_x = %.9g\n",
	        strcmp(text_of(figure, "kind"), "bars") == 0, json_is_true(json_object_get(figure, "log_x")),
	        json_is_true(json_object_get(figure, "log_y")), i, letters, figure_last_x(figure, true));
	fprintf(stream, "least = %.17g\n", script_series(stream, figure));
	fputs(study_text("plot.gp"), stream);
}

/* The page: needs nothing but the pictures beside it. */

/* A name of a device may contain characters that HTML reserves. */
static void put_escaped(FILE *stream, const char *text)
{
	for (; *text != '\0'; text++)
		if (strchr("<>&\"", *text) != NULL)
			fprintf(stream, "&#%d;", *text);
		else
			fputc(*text, stream);
}

/* Write the picture and the text of a figure; the text has all values. */
static void put_figure(FILE *stream, const json_t *figure, bool picture)
{
	const char *name = text_of(figure, "figure");
	char *text = NULL;
	size_t n;
	FILE *memory = open_memstream(&text, &n);

	if (memory != NULL)
		figure_print(memory, figure), fclose(memory);
	fprintf(stream, "<h2 id=\"%s\">%s</h2>\n", name, name);
	if (picture)
		fprintf(stream, "<p><img src=\"%s.svg\" alt=\"%s\"></p>\n", name, name);
	fputs("<pre>\n", stream);
	put_escaped(stream, text != NULL ? text : "out of memory");
	fprintf(stream, "</pre>\n<p><a href=\"%s.json\">%s.json</a>, %.1f s</p>\n", name, name,
	        number(figure, "seconds"));
	free(text);
}

static bool has_picture(const json_t *figure, bool drawn)
{
	return drawn && json_array_size(json_object_get(figure, "rows")) > 0;
}

static void put_page(FILE *stream, const json_t *figures, bool drawn)
{
	const json_t *first = json_array_get(figures, 0), *figure;
	size_t i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<title>The dissertation's figures, measured again</title>\n<style>\n"
	      "body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }\n"
	      "img { max-width: 100%; }\npre { white-space: pre-wrap; }\nh2 { margin-top: 2em; }\n"
	      "</style>\n</head>\n<body>\n<h1>The dissertation's figures, measured again</h1>\n<p>",
	        stream);
	put_escaped(stream, text_of(first, "device"));
	fputs("</p>\n<p>", stream);
	put_escaped(stream, text_of(first, "date"));
	fputs(", driver ", stream);
	put_escaped(stream, text_of(first, "driver"));
	fprintf(stream, ", kernel times by the %s's clock%s</p>\n",
	        strcmp(text_of(first, "clock"), "device") == 0 ? "device" : "host",
	        json_is_true(json_object_get(first, "quick")) ? "; small sizes (--quick)" : "");
	json_array_foreach(figures, i, figure)
	{
		put_figure(stream, figure, has_picture(figure, drawn));
	}
	fputs("</body>\n</html>\n", stream);
}

/* Files. */

static int put_file(const char *folder, const char *name, const char *ending, const char *text)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);

	if (text == NULL)
		return *gpucrypt_error() ? GPUCRYPT_OTHER : fail(GPUCRYPT_OTHER, "out of memory");
	return n < 0 || (size_t)n >= sizeof path ? fail(GPUCRYPT_IO, "%s: the path is too long", folder)
	                                         : file_write(path, text);
}

static int write_figure(const char *folder, const json_t *figure, bool drawn)
{
	char *text = json_dumps(figure, JSON_INDENT(2)), *svg = NULL;
	const char *name = text_of(figure, "figure");
	int status = put_file(folder, name, ".json", text);

	if (status == GPUCRYPT_OK && has_picture(figure, drawn)) {
		status = gnuplot_picture(&svg, script_figure, figure);
		if (status == GPUCRYPT_OK)
			status = put_file(folder, name, ".svg", svg);
	}
	free(svg);
	free(text);
	return status;
}

static int write_page(const char *folder, const json_t *figures, bool drawn)
{
	char *text = NULL;
	size_t n;
	FILE *stream = open_memstream(&text, &n);
	int status;

	if (stream != NULL)
		put_page(stream, figures, drawn), fclose(stream);
	status = put_file(folder, "index", ".html", text);
	free(text);
	return status;
}

int figures_write(const char *folder, const json_t *figures, bool *drawn)
{
	const json_t *figure;
	int status = GPUCRYPT_OK;
	size_t i;

	*drawn = gnuplot_present() == GPUCRYPT_OK;
	fail_clear();
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		status = fail(GPUCRYPT_IO, "%s: cannot create: %s", folder, strerror(errno));
	json_array_foreach(figures, i, figure)
	{
		if (status == GPUCRYPT_OK)
			status = write_figure(folder, figure, *drawn);
	}
	return status == GPUCRYPT_OK ? write_page(folder, figures, *drawn) : status;
}
