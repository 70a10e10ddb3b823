/* All figures as one page of HTML that needs nothing but the pictures beside it. */
#include <math.h>

#include "ppf/study/figure/figure.h"

static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<title>The dissertation's figures, measured again</title>\n<style>\n"
                           "body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }\n"
                           "table { border-collapse: collapse; font-size: 85%; }\n"
                           "th, td { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: right; }\n"
                           "th:first-child, td:first-child, .words td { text-align: left; }\n"
                           "img { max-width: 100%; }\nh2 { margin-top: 2em; }\n"
                           "</style>\n</head>\n<body>\n<h1>The dissertation's figures, measured again</h1>\n";

/* Names of devices may have anything in them. */
static void put_text(FILE *stream, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", stream);
			break;
		case '>':
			fputs("&gt;", stream);
			break;
		case '&':
			fputs("&amp;", stream);
			break;
		case '"':
			fputs("&quot;", stream);
			break;
		default:
			fputc(*text, stream);
		}
}

static void put_element(FILE *stream, const char *name, const char *text)
{
	fprintf(stream, "<%s>", name);
	put_text(stream, text);
	fprintf(stream, "</%s>", name);
	if (*name == 'p')
		fputc('\n', stream);
}

static void put_row(FILE *stream, const struct figure *figure, unsigned i)
{
	char text[48];

	fputs("<tr>", stream);
	put_element(stream, "td", figure_row_text(text, &figure->rows[i]));
	for (unsigned s = 0; s < figure->n_series; s++) {
		double y = figure->series[s].y[i];
		snprintf(text, sizeof(text), isnan(y) ? "–" : "%.4g", y);
		put_element(stream, "td", text);
	}
	fputs("</tr>\n", stream);
}

static void put_table(FILE *stream, const struct figure *figure)
{
	fputs("<table>\n<tr>", stream);
	put_element(stream, "th", figure->x_label);
	for (unsigned s = 0; s < figure->n_series; s++)
		put_element(stream, "th", figure->series[s].name);
	fputs("</tr>\n", stream);
	for (unsigned i = 0; i < figure->n_rows; i++)
		put_row(stream, figure, i);
	fputs("</table>\n", stream);
	put_element(stream, "p", figure->y_label);
}

static void put_conclusions(FILE *stream, const struct figure *figure)
{
	fputs("<table class=\"words\">\n<tr><th>conclusion</th><th>here</th>"
	      "<th>verdict</th></tr>\n",
	        stream);
	for (unsigned i = 0; i < figure->n_conclusions; i++) {
		const struct conclusion *conclusion = &figure->conclusions[i];
		fputs("<tr>", stream);
		put_element(stream, "td", conclusion->claim);
		put_element(stream, "td", conclusion->found);
		put_element(stream, "td", verdict_names[conclusion->verdict]);
		fputs("</tr>\n", stream);
	}
	fputs("</table>\n", stream);
}

static void put_notes(FILE *stream, const struct figure *figure)
{
	fputs("<ul>\n", stream);
	for (unsigned i = 0; i < figure->n_notes; i++) {
		const struct figure_note *note = &figure->notes[i];
		fputs("<li>", stream);
		put_text(stream, note->variant);
		fprintf(stream, ": %s: ", note_names[note->kind]);
		put_text(stream, note->reason);
		fputs("</li>\n", stream);
	}
	fputs("</ul>\n", stream);
}

static void put_figure(FILE *stream, const struct figure *figure, bool picture)
{
	fprintf(stream, "<h2 id=\"%s\">", figure->name);
	put_text(stream, figure->name);
	fputs(": ", stream);
	put_text(stream, figure->title);
	fputs("</h2>\n", stream);
	if (figure->failure[0] != '\0') {
		fputs("<p><strong>Not complete:</strong> ", stream);
		put_text(stream, figure->failure);
		fputs("</p>\n", stream);
	}
	if (figure->n_conclusions > 0)
		put_conclusions(stream, figure);
	if (picture)
		fprintf(stream, "<p><img src=\"%s.svg\" alt=\"%s\"></p>\n", figure->name, figure->name);
	if (figure->n_rows > 0)
		put_table(stream, figure);
	if (figure->n_notes > 0)
		put_notes(stream, figure);
	fprintf(stream, "<p><a href=\"%s.json\">%s.json</a>, %.1f s", figure->name, figure->name, figure->seconds);
	if (figure->spread > 0)
		fprintf(stream, "; the median of a kernel's runs is %.1f %% above the shortest", 100 * figure->spread);
	fputs("</p>\n", stream);
}

/* A line for each figure: how many conclusions hold. */
static void put_contents(FILE *stream, const struct figure *figures, unsigned n)
{
	fputs("<table class=\"words\">\n<tr><th>figure</th>", stream);
	for (unsigned v = 0; v < N_VERDICTS; v++)
		put_element(stream, "th", verdict_names[v]);
	fputs("</tr>\n", stream);
	for (unsigned i = 0; i < n; i++) {
		unsigned counts[N_VERDICTS] = { 0 };
		for (unsigned c = 0; c < figures[i].n_conclusions; c++)
			counts[figures[i].conclusions[c].verdict]++;
		fprintf(stream, "<tr><td><a href=\"#%s\">%s</a> ", figures[i].name, figures[i].name);
		put_text(stream, figures[i].title);
		fputs("</td>", stream);
		for (unsigned v = 0; v < N_VERDICTS; v++)
			fprintf(stream, "<td>%u</td>", counts[v]);
		fputs("</tr>\n", stream);
	}
	fputs("</table>\n", stream);
}

void figure_page(FILE *stream, const char *device, const char *remark, const struct figure *figures,
        const bool *pictures, unsigned n)
{
	fputs(head, stream);
	put_element(stream, "p", device);
	put_element(stream, "p", remark);
	put_contents(stream, figures, n);
	for (unsigned i = 0; i < n; i++)
		put_figure(stream, &figures[i], pictures[i]);
	fputs("</body>\n</html>\n", stream);
}
