/*
 * The JSON of measurements as a picture: each cipher on each device has a panel of bars, with one group for each key
 * size, mode and direction.  A mark above the bar of the chosen kernel shows the bound.
 */
#include <string.h>

#include "cli/bench/bench.h"
#include "ppf/gnuplot.h"
#include "command/json.h"

/* Patterns (command/json.h) that fill the columns of the datablock in bench.gp. */
static const char *const cells[] = { "{bits}-{mode} {direction}", "{host_core:giga}", "{bitsliced:giga}",
	"{libgcrypt:giga}", "{libcrypto:giga}", "{libcrypto_all:giga}", "{bytes_per_s/times_policy:giga}",
	"{bytes_per_s:giga}", "{bound_bytes_per_s:giga}" };

static bool have_equal(const json_t *a, const json_t *b, const char *member)
{
	return json_equal(json_object_get(a, member), json_object_get(b, member));
}

/* The chosen kernels of a cipher on a device, each with the CPU's figures of its suite; device NULL: the CPU's figures.
 * The caller owns the array. */
static json_t *panel_groups(const json_t *bench, const char *cipher, const json_t *device)
{
	const json_t *cpus = json_object_get(bench, "cpu"), *cpu;
	json_t *groups = json_array(), *group, *row;
	size_t i, c;

	json_array_foreach(device ? json_object_get(bench, "kernels") : cpus, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "cipher")), cipher) != 0)
			continue;
		if (device && !(json_is_true(json_object_get(row, "chosen")) &&
		                      json_equal(json_object_get(row, "device"), json_object_get(device, "number"))))
			continue;
		group = json_copy(row);
		json_array_foreach(cpus, c, cpu)
		{
			if (have_equal(row, cpu, "cipher") && have_equal(row, cpu, "bits") &&
			        have_equal(row, cpu, "mode") && have_equal(row, cpu, "direction"))
				json_object_update_missing(group, (json_t *)(uintptr_t)cpu);
		}
		json_array_append_new(groups, group);
	}
	return groups;
}

/* Append the panels of all ciphers on a device (NULL: on the CPU). */
static void add_panels(json_t *panels, const json_t *bench, json_t *device)
{
	for (const struct cipher *const *c = ciphers; *c; c++) {
		json_t *groups = panel_groups(bench, (*c)->name, device);

		if (json_array_size(groups) > 0)
			json_array_append(panels, json_pack("{s:s, s:O*, s:O}", "cipher", (*c)->name, "device", device,
			                                  "groups", groups));
		json_decref(groups);
	}
}

void bench_plot_script(FILE *stream, const void *bench)
{
	json_t *panels = json_array(), *panel, *device;
	char title[PATTERN_TEXT];
	size_t i;

	json_array_foreach(json_object_get(bench, "devices"), i, device)
	{
		add_panels(panels, bench, device);
	}
	if (json_array_size(panels) == 0)
		add_panels(panels, bench, NULL);
	json_array_foreach(panels, i, panel)
	{
		pattern_data(stream, "$data", json_object_get(panel, "groups"), cells, sizeof cells / sizeof *cells);
		pattern_fill(title, "{cipher}[ on {device.name}|]", panel, NULL);
		fprintf(stream, "panel = %zu\nn_panels = %zu\ntitle_text = '", i + 1, json_array_size(panels));
		gnuplot_text(stream, title);
		fprintf(stream, "'\n%s", gnuplot_script("bench.gp"));
	}
	json_decref(panels);
}
