/* ppf-study, which `ppf study` runs: the experiments on the device at hand, or the figures of an earlier run. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/program.h"
#include "command/json.h"
#include "command/message.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "ppf/record/cache.h"
#include "ppf/record/records.h"
#include "research/study.h"

struct options {
	struct parsed parsed;                        /* the parser needs this member first */
	unsigned device;                             /* 1 + its number; 0: the best */
	const char *figure, *folder, *from, *record; /* NULL: all; none; measured; the device's */
	struct text_list plant;
	json_t *experiments;
	bool quick, list, json;
};

static int run_study(const struct options *options);

#define FIELD(member) offsetof(struct options, member)

/* clang-format off */
static const struct command commands[] = {
	{ "study", 1, "", NULL, 0, 0, run_study,
		"measure the dissertation's figures again, each result compared first", "" },
	{ .name = NULL },
};

static const struct option_row rows[] = {
	{ "figure", 0, "NAME", &type_text, 1, 0, FIELD(figure), 0, 0,
		"one figure (all)", NULL },
	{ "list", 0, NULL, &type_flag, 1, 0, FIELD(list), 0, 0,
		"print the names of the figures", NULL },
	{ "device", 0, "D", &type_device, 1, 0, FIELD(device), 0, 999,
		"number of an OpenCL device (default: the best one)", NULL },
	{ "record", 0, "R", &type_text, 1, 0, FIELD(record), 0, 0,
		"predict from a built-in record, or the file of one", NULL },
	{ "quick", 0, NULL, &type_flag, 1, 0, FIELD(quick), 0, 0,
		"measure few and small sizes, for CPUs", NULL },
	{ "plant", 0, "VARIANT", &type_list, 1, 0, FIELD(plant), 0, MAX_TEXTS,
		"for tests: give wrong results of this kernel", NULL },
	{ "out", 0, "DIR", &type_text, 1, 0, FIELD(folder), 0, 0,
		"also write NAME.json, NAME.svg and index.html", NULL },
	{ "from", 0, "DIR", &type_text, 1, 0, FIELD(from), 0, 0,
		"the figures that an earlier run wrote to DIR", NULL },
	{ "json", 0, NULL, &type_flag, 1, 0, FIELD(json), 0, 0,
		"print JSON", NULL },
	{ "help", 'h', "all", &type_help, 1, 0, FIELD(parsed.help), 0, 0,
		"print this help; all: with all options", "all" },
	{ .type = NULL },
};
/* clang-format on */

static const struct option_rule rules[] = { { .given = NULL } };
static const struct hint hints[] = { { NULL, NULL } };
const struct program program = { "ppf", commands, rows, rules, 0, hints, "exit status: see ppf(1)", true };

/* The name 6.8 selects 6.8a, 6.8b and 6.8c, and gkrypt selects both directions, but 6.1 does not select 6.10. */
static bool is_wanted(const struct options *options, const json_t *experiment)
{
	const char *wanted = options->figure;
	size_t n = wanted == NULL ? 0 : strlen(wanted);
	const char *name = text_of(experiment, "name"), *rest = name + n;

	if (wanted == NULL || strcmp(wanted, "all") == 0)
		return true;
	if (strncmp(name, wanted, n) != 0)
		return false;
	return *rest == '\0' || *rest == '-' || (isdigit((unsigned char)rest[-1]) && isalpha((unsigned char)*rest));
}

static const struct {
	const char *name;
	study_measure *measure;
} measures[] = { { "granularity", measure_granularity }, { "throughput", measure_throughput },
	{ "threads", measure_threads }, { "instructions", measure_instructions }, { "latency", measure_latency },
	{ "bounds", measure_bounds }, { "errors", measure_errors }, { "stages", measure_stages },
	{ "ladder", measure_ladder }, { "rsa", measure_rsa } };

static int measure_figure(struct study *study, json_t *figure, const json_t *experiment)
{
	int which = (int)json_integer_value(json_object_get(experiment, "which"));
	size_t i = 0;

	while (strcmp(measures[i].name, text_of(experiment, "measure")) != 0)
		i++;
	return measures[i].measure(study, figure, which);
}

static json_t *measure(struct study *study, const json_t *experiment)
{
	struct session *session = &study->session;
	json_t *figure = figure_new(experiment);
	double begin = host_seconds();
	char date[16];

	session->spread = 0;
	session->n_spreads = 0;
	study->end_s = begin + json_number_value(json_object_get(experiment, "seconds"));
	fail_clear();
	if (measure_figure(study, figure, experiment) != GPUCRYPT_OK)
		json_object_set_new(figure, "failure", json_text(gpucrypt_error()));
	fail_clear();
	study_print(figure, experiment);
	write_date(date);
	json_object_set_new(figure, "seconds", json_real(host_seconds() - begin));
	json_object_set_new(figure, "spread", json_real(session->spread));
	json_object_set_new(figure, "device", json_text(session->device->name));
	json_object_set_new(figure, "driver", json_text(session->device->driver));
	json_object_set_new(figure, "date", json_string(date));
	json_object_set_new(figure, "quick", json_boolean(study->quick));
	json_object_set_new(figure, "clock", json_string(session->bench.device_time ? "device" : "host"));
	return figure;
}

static int read_figure(json_t **figure, const char *folder, const json_t *experiment)
{
	char path[4096], *text;
	int status;

	if ((size_t)snprintf(path, sizeof path, "%s/%s.json", folder, text_of(experiment, "name")) >= sizeof path)
		return fail(GPUCRYPT_IO, "%s: the path is too long", folder);
	text = file_text(path);
	if (text == NULL)
		return GPUCRYPT_IO;
	*figure = json_loads(text, 0, NULL);
	free(text);
	status = figure_check(*figure, path);
	if (status == GPUCRYPT_OK && strcmp(text_of(*figure, "figure"), text_of(experiment, "name")) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: contains another figure", path); /* files are named after it */
	return status;
}

/* Measure or read the figures.  Text is printed after each figure, because some figures take a minute. */
static int run_experiments(const struct options *options, struct study *study, json_t *figures)
{
	const json_t *e;
	size_t i;

	json_array_foreach(options->experiments, i, e)
	{
		json_t *figure = NULL;
		int status = GPUCRYPT_OK;

		if (!is_wanted(options, e))
			continue;
		if (study != NULL)
			figure = measure(study, e);
		else
			status = read_figure(&figure, options->from, e);
		json_array_append_new(figures, figure);
		if (status != GPUCRYPT_OK)
			return status;
		study_conclude(figure, e);
		if (!options->json)
			figure_print(stdout, figure);
		fflush(stdout);
	}
	return GPUCRYPT_OK;
}

/* Write all figures, also incomplete ones; then return the failure of the first incomplete figure. */
static int give(const struct options *options, json_t *figures)
{
	const json_t *figure;
	bool drawn = true;
	size_t i;
	int status = options->json ? json_print(json_incref(figures)) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && options->folder != NULL)
		status = figures_write(options->folder, figures, &drawn);
	if (status == GPUCRYPT_OK && !drawn)
		message_warning(NULL, "no pictures: gnuplot cannot be run");
	json_array_foreach(figures, i, figure)
	{
		if (status == GPUCRYPT_OK && json_object_get(figure, "failure") != NULL)
			status = fail(GPUCRYPT_DEVICE, "figure %s is not complete: %s", text_of(figure, "figure"),
			        text_of(figure, "failure"));
	}
	return status;
}

static int take_record(struct session *session, const char *name)
{
	session->record = calloc(1, sizeof *session->record);
	if (session->record == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	return device_record_parse(session->record, records_builtin(name), name);
}

static int run_on_device(const struct options *options, json_t *figures)
{
	struct study study = { .quick = options->quick, .plants = options->plant.texts };
	int status = session_open(&study.session, options->device);

	if (status != GPUCRYPT_OK)
		return status;
	study.session.bench.more_sources = study_sources;
	if (options->record != NULL)
		status = take_record(&study.session, options->record);
	if (status == GPUCRYPT_OK)
		status = run_experiments(options, &study, figures);
	session_close(&study.session);
	free(study.sweep);
	return status;
}

static int run_study(const struct options *options)
{
	json_t *figures = json_array();
	const json_t *e;
	bool any = false;
	size_t i;
	int status = GPUCRYPT_OK;

	json_array_foreach(options->experiments, i, e)
	{
		any = any || is_wanted(options, e);
		if (options->list && is_wanted(options, e))
			printf("%-12s %s\n", text_of(e, "name"), text_of(e, "title"));
	}
	if (!any)
		status = fail(GPUCRYPT_USAGE, "--figure: unknown figure '%s' (see ppf study --list)", options->figure);
	else if (!options->list)
		status = options->from != NULL ? run_experiments(options, NULL, figures)
		                               : run_on_device(options, figures);
	if (status == GPUCRYPT_OK && !options->list)
		status = give(options, figures);
	json_decref(figures);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { .experiments = study_experiments() };
	int status;

	icd_environment();
	probe_main();
	status = options_parse(&options, commands, argc - 1, argv + 1);
	if (status == GPUCRYPT_OK)
		status = command_run(commands, &options);
	if (status == GPUCRYPT_OK)
		message_left_out();
	return message_end(status);
}
