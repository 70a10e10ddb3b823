#include <math.h>

#include "ppf/study/figure/figure.h"

static json_t *series_json(const struct figure *figure, const struct figure_series *series)
{
	json_t *points = json_array();
	char label[48];

	for (unsigned i = 0; i < figure->n_rows; i++)
		if (!isnan(series->y[i]))
			json_array_append_new(
			        points, json_pack("{s:f, s:s, s:f}", "x", figure->rows[i].x, "label",
			                        figure_row_text(label, &figure->rows[i]), "y", series->y[i]));
	return json_pack("{s:s, s:b, s:o}", "name", series->name, "printed", series->printed, "points", points);
}

static json_t *note_json(const struct figure_note *note)
{
	return json_pack(
	        "{s:s, s:s, s:s}", "variant", note->variant, "kind", note_names[note->kind], "reason", note->reason);
}

static json_t *conclusion_json(const struct conclusion *conclusion)
{
	return json_pack("{s:s, s:s, s:s}", "claim", conclusion->claim, "found", conclusion->found, "verdict",
	        verdict_names[conclusion->verdict]);
}

static json_t *row_json(const struct figure_row *row)
{
	return json_pack("{s:f, s:s}", "x", row->x, "label", row->label);
}

json_t *figure_json(const struct figure *figure)
{
	json_t *series = json_array(), *notes = json_array(), *conclusions = json_array(), *rows = json_array();

	for (unsigned i = 0; i < figure->n_rows; i++)
		json_array_append_new(rows, row_json(&figure->rows[i]));

	for (unsigned i = 0; i < figure->n_series; i++)
		json_array_append_new(series, series_json(figure, &figure->series[i]));
	for (unsigned i = 0; i < figure->n_notes; i++)
		json_array_append_new(notes, note_json(&figure->notes[i]));
	for (unsigned i = 0; i < figure->n_conclusions; i++)
		json_array_append_new(conclusions, conclusion_json(&figure->conclusions[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:f, s:f, s:s*}", "figure",
	        figure->name, "title", figure->title, "kind", figure->bars ? "bars" : "lines", "x", figure->x_label,
	        "y", figure->y_label, "log_x", figure->log_x, "log_y", figure->log_y, "rows", rows, "series", series,
	        "notes", notes, "conclusions", conclusions, "seconds", figure->seconds, "spread", figure->spread,
	        "failure", figure->failure[0] == '\0' ? NULL : figure->failure);
}
