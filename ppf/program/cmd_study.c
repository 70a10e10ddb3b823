/* ppf study: the dissertation's experiments, on the device at hand. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/json.h"
#include "cli/terminal/message.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"
#include "ppf/study/study.h"

/* 6.8 means 6.8a, 6.8b and 6.8c, and gkrypt both directions, but 6.1 does not mean 6.10. */
static bool is_wanted(const struct options *options, const struct study_figure *figure)
{
	const char *wanted = options->study.figure;
	size_t n = wanted == NULL ? 0 : strlen(wanted);
	const char *rest = figure->name + n;

	if (wanted == NULL || strcmp(wanted, "all") == 0)
		return true;
	if (strncmp(figure->name, wanted, n) != 0)
		return false;
	return *rest == '\0' || *rest == '-' || (isdigit(rest[-1]) && isalpha(*rest));
}

static unsigned count_wanted(const struct options *options)
{
	unsigned n = 0;

	for (const struct study_figure *f = study_figures; f->name != NULL; f++)
		n += is_wanted(options, f);
	return n;
}

static int print_list(void)
{
	for (const struct study_figure *f = study_figures; f->name != NULL; f++)
		printf("%-12s %s\n", f->name, f->title);
	return GPUCRYPT_OK;
}

static int print_json(const struct study_origin *origin, const struct figure *figures, unsigned n)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (unsigned i = 0; i < n && whole; i++)
		whole = json_array_append_new(array, study_json(origin, &figures[i])) == 0;
	return whole ? json_print(array) : fail(GPUCRYPT_OTHER, "no JSON: out of memory");
}

/* Text comes figure by figure: some take a minute. */
static void run_figures(const struct options *options, struct study *study, struct figure *figures)
{
	for (const struct study_figure *f = study_figures; f->name != NULL; f++) {
		if (!is_wanted(options, f))
			continue;
		study_run(study, f, figures);
		if (!options->json) {
			figure_print(stdout, figures);
			fflush(stdout);
		}
		figures++;
	}
}

static int write_folder(
        const struct options *options, const struct study_origin *origin, const struct figure *figures, unsigned n)
{
	bool drawn = true;
	int status = GPUCRYPT_OK;

	if (options->study.folder != NULL)
		status = study_write(origin, options->study.folder, figures, n, &drawn);
	if (status == GPUCRYPT_OK && !drawn)
		message_warning(NULL, "no pictures: gnuplot cannot be run");
	return status;
}

/* A figure that stopped is a failure of the whole, but everything is written first. */
static int first_failure(const struct figure *figures, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (figures[i].failure[0] != '\0')
			return fail(
			        GPUCRYPT_DEVICE, "figure %s is not complete: %s", figures[i].name, figures[i].failure);
	return GPUCRYPT_OK;
}

static int give(
        const struct options *options, const struct study_origin *origin, const struct figure *figures, unsigned n)
{
	int status = GPUCRYPT_OK;

	if (options->json)
		status = print_json(origin, figures, n);
	if (status == GPUCRYPT_OK)
		status = write_folder(options, origin, figures, n);
	return status == GPUCRYPT_OK ? first_failure(figures, n) : status;
}

static int measure(const struct options *options, struct figure *figures, unsigned n)
{
	struct study_origin origin;
	struct study study;
	int status = study_open(&study, options->device, options->study.quick);

	if (status != GPUCRYPT_OK)
		return status;
	run_figures(options, &study, figures);
	origin = study_origin(&study);
	status = give(options, &origin, figures, n);
	study_close(&study);
	return status;
}

static int read_figures(const struct options *options, struct figure *figures, unsigned n)
{
	struct study_origin origin;
	struct figure *next = figures;
	int status = GPUCRYPT_OK;

	for (const struct study_figure *f = study_figures; f->name != NULL && status == GPUCRYPT_OK; f++) {
		if (!is_wanted(options, f))
			continue;
		status = study_read(&origin, next, options->study.from, f->name);
		if (status == GPUCRYPT_OK && !options->json)
			figure_print(stdout, next);
		next++;
	}
	return status == GPUCRYPT_OK ? give(options, &origin, figures, n) : status;
}

int cmd_study(const struct options *options)
{
	unsigned n = count_wanted(options);
	struct figure *figures = calloc(n + 1, sizeof(*figures));
	int status;

	if (figures == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (n == 0)
		status = fail(
		        GPUCRYPT_USAGE, "--figure %s: there is none (see ppf study --list)", options->study.figure);
	else if (options->study.list)
		status = print_list();
	else
		status = options->study.from != NULL ? read_figures(options, figures, n) : measure(options, figures, n);
	free(figures);
	return status;
}
