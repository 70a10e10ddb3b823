/* The JSON of an advice as a picture: the panels of each cipher, with the advice's key size. */
#include <string.h>

#include "cli/advise/advise.h"
#include "ppf/gnuplot.h"
#include "command/json.h"

/* Patterns (command/json.h) that fill the columns of the datablocks in advise.gp from a point of a row. */
static const char *const cells[] = { "{bytes}", "{sa_cycles}", "{si_cycles}", "{estimate_cycles}", "{kernel_cycles}",
	"{bytes/predicted_s:giga}", "{bytes/measured_s:giga}" };

#define KERNEL_MEASURED 4
#define MEMORY_MEASURED 6
#define DEVICE_COLOURS  4 /* of the CPU and the devices; the next one is for all together */

/* The rows with this cipher and the advice's key size.  The caller owns the array. */
static json_t *rows_of(const json_t *advice, const struct cipher *cipher)
{
	json_t *rows = json_array(), *row;
	size_t i;

	json_array_foreach(json_object_get(advice, "rows"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "cipher")), cipher->name) &&
		        json_equal(json_object_get(row, "bits"), json_object_get(advice, "bits")))
			json_array_append(rows, row);
	}
	return rows;
}

static bool is_kernel(const json_t *row)
{
	return json_is_integer(json_object_get(row, "device"));
}

static double memory_s(const json_t *row)
{
	return json_number_value(json_object_get(json_object_get(row, "memory"), "seconds"));
}

/* Write a cipher's rows.  The kernel is drawn for one device: the one that is predicted to be fastest from memory to
 * memory.  Returns that row, and its number from 1 on; NULL and 0: none. */
static const json_t *put_rows(FILE *stream, const json_t *rows, size_t *number)
{
	const json_t *kernel = NULL, *row;
	char name[PATTERN_TEXT];
	size_t i, n = json_array_size(rows);

	*number = 0;
	fprintf(stream, "n_rows = %zu\narray names[%zu]\narray colour[%zu]\narray mark[%zu]\narray measured[%zu]\n", n,
	        n, n, n, n);
	json_array_foreach(rows, i, row)
	{
		const json_t *points = json_object_get(row, "points");
		size_t engine = is_kernel(row) ? 1 + (size_t)json_integer_value(json_object_get(row, "device")) : 0;
		bool hybrid = json_object_get(json_object_get(row, "plan"), "devices");

		if (is_kernel(row) && (!kernel || memory_s(row) < memory_s(kernel))) {
			kernel = row;
			*number = i + 1;
		}
		snprintf(name, sizeof name, "$row%zu", i + 1);
		pattern_data(stream, name, points, cells, sizeof cells / sizeof *cells);
		pattern_fill(name, ADVICE_ENGINE, row, NULL);
		fprintf(stream, "names[%zu] = '%s'; colour[%zu] = %zu; mark[%zu] = %zu; measured[%zu] = %d\n", i + 1,
		        name, i + 1, 1 + (hybrid ? DEVICE_COLOURS : engine % DEVICE_COLOURS), i + 1, 5 + 2 * engine,
		        i + 1, pattern_exists(points, cells[MEMORY_MEASURED]));
	}
	return kernel;
}

void advise_plot_script(FILE *stream, const void *json)
{
	const json_t *devices = json_object_get(json, "devices"), *rows = json_object_get(json, "rows"), *kernel;
	json_t *panels = json_array(), *panel;
	char text[PATTERN_TEXT];
	size_t i, number;

	for (const struct cipher *const *c = ciphers; *c; c++) {
		json_array_append_new(panels, panel = rows_of(json, *c));
		if (json_array_size(panel) == 0)
			json_array_remove(panels, json_array_size(panels) - 1);
	}
	json_array_foreach(panels, i, panel)
	{
		kernel = put_rows(stream, panel, &number);
		pattern_fill(text, "{cipher}-{bits}-{mode}", json_array_get(panel, 0), json);
		fprintf(stream, "panel = %zu\nn_panels = %zu\nn_columns = %d\nsuite = '%s'\nkernel = %zu\n", i + 1,
		        json_array_size(panels), 1 + pattern_exists(rows, "{device}"), text, number);
		fprintf(stream, "kernel_measured = %d\nkernel_name = '",
		        kernel && pattern_exists(json_object_get(kernel, "points"), cells[KERNEL_MEASURED]));
		if (kernel) {
			size_t device = (size_t)json_integer_value(json_object_get(kernel, "device"));

			gnuplot_text(
			        stream, json_string_value(json_object_get(json_array_get(devices, device), "name")));
		}
		fprintf(stream, "'\n%s", gnuplot_script("advise.gp"));
	}
	json_decref(panels);
}
