/* ppf study: the dissertation's experiments, on the device at hand. */
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/program/command.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"
#include "ppf/study/study.h"

static const char help[] = "usage: ppf study [--figure NAME|all] [--device D] [--quick] [--out DIR] [--json]\n"
                           "measures the dissertation's figures again; every kernel's result is checked first\n\n"
                           "      --figure NAME     one figure (all)\n"
                           "      --list            the figures there are\n"
                           "      --device D        as in gcrypt devices (the best one)\n"
                           "      --quick           small sizes and few of them, for CPUs\n"
                           "      --out DIR         also NAME.json, NAME.svg (by gnuplot), and a page, index.html\n"
                           "      --from DIR        measure nothing: the figures that an earlier run left in DIR\n"
                           "      --json            print JSON\n";

struct request {
	const char *figure, *folder, *from; /* NULL: all; none; measured */
	unsigned device;                    /* as in a plan */
	int quick, list, json, help;
};

static int store(void *self, int option)
{
	struct request *request = self;

	if (option == 'd')
		return options_device(optarg, &request->device);
	*(option == 'f' ? &request->figure : option == 'r' ? &request->from : &request->folder) = optarg;
	return GPUCRYPT_OK;
}

/* 6.8 means 6.8a, 6.8b and 6.8c, and gkrypt both directions, but 6.1 does not mean 6.10. */
static bool is_wanted(const struct request *request, const struct study_figure *figure)
{
	size_t n = request->figure == NULL ? 0 : strlen(request->figure);
	const char *rest = figure->name + n;

	if (request->figure == NULL)
		return true;
	if (n == 0 || strncmp(figure->name, request->figure, n) != 0)
		return false;
	return *rest == '\0' || *rest == '-' || (isdigit(rest[-1]) && isalpha(*rest));
}

static unsigned count_wanted(const struct request *request)
{
	unsigned n = 0;

	for (const struct study_figure *f = study_figures; f->name != NULL; f++)
		n += is_wanted(request, f);
	return n;
}

static int parse_request(struct request *request, int argc, char **argv)
{
	const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "figure", required_argument, NULL, 'f' },
		{ "from", required_argument, NULL, 'r' },
		{ "out", required_argument, NULL, 'o' },
		{ "quick", no_argument, &request->quick, 1 },
		{ "list", no_argument, &request->list, 1 },
		{ "json", no_argument, &request->json, 1 },
		{ "help", no_argument, &request->help, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int status = options_read(argc, argv, "+:", options, store, request);

	if (status == GPUCRYPT_OK && optind < argc)
		status = fail(GPUCRYPT_USAGE, "study: takes no operands (see ppf study --help)");
	if (request->figure != NULL && strcmp(request->figure, "all") == 0)
		request->figure = NULL;
	if (status == GPUCRYPT_OK && count_wanted(request) == 0)
		status = fail(GPUCRYPT_USAGE, "--figure %s: there is none (see ppf study --list)", request->figure);
	return status;
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
	char *text = NULL;
	bool whole = array != NULL;

	for (unsigned i = 0; i < n && whole; i++)
		whole = json_array_append_new(array, study_json(origin, &figures[i])) == 0;
	if (whole)
		text = json_dumps(array, JSON_INDENT(2));
	json_decref(array);
	if (text == NULL)
		return fail(GPUCRYPT_OTHER, "no JSON: out of memory");
	puts(text);
	free(text);
	return GPUCRYPT_OK;
}

/* Text comes figure by figure: some take a minute. */
static void run_figures(const struct request *request, struct study *study, struct figure *figures)
{
	for (const struct study_figure *f = study_figures; f->name != NULL; f++) {
		if (!is_wanted(request, f))
			continue;
		study_run(study, f, figures);
		if (!request->json) {
			figure_text(stdout, figures);
			fflush(stdout);
		}
		figures++;
	}
}

static int write_folder(
        const struct request *request, const struct study_origin *origin, const struct figure *figures, unsigned n)
{
	bool drawn = true;
	int status = GPUCRYPT_OK;

	if (request->folder != NULL)
		status = study_write(origin, request->folder, figures, n, &drawn);
	if (status == GPUCRYPT_OK && !drawn)
		fputs("ppf: no pictures: gnuplot cannot be run\n", stderr);
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
        const struct request *request, const struct study_origin *origin, const struct figure *figures, unsigned n)
{
	int status = GPUCRYPT_OK;

	if (request->json)
		status = print_json(origin, figures, n);
	if (status == GPUCRYPT_OK)
		status = write_folder(request, origin, figures, n);
	return status == GPUCRYPT_OK ? first_failure(figures, n) : status;
}

static int measure(const struct request *request, struct figure *figures, unsigned n)
{
	struct study_origin origin;
	struct study study;
	int status = study_open(&study, request->device, request->quick);

	if (status != GPUCRYPT_OK)
		return status;
	run_figures(request, &study, figures);
	origin = study_origin(&study);
	status = give(request, &origin, figures, n);
	study_close(&study);
	return status;
}

static int read_figures(const struct request *request, struct figure *figures, unsigned n)
{
	struct study_origin origin;
	struct figure *next = figures;
	int status = GPUCRYPT_OK;

	for (const struct study_figure *f = study_figures; f->name != NULL && status == GPUCRYPT_OK; f++) {
		if (!is_wanted(request, f))
			continue;
		status = study_read(&origin, next, request->from, f->name);
		if (status == GPUCRYPT_OK && !request->json)
			figure_text(stdout, next);
		next++;
	}
	return status == GPUCRYPT_OK ? give(request, &origin, figures, n) : status;
}

static int run(const struct request *request)
{
	unsigned n = count_wanted(request);
	struct figure *figures = calloc(n, sizeof(*figures));
	int status;

	if (figures == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = request->from != NULL ? read_figures(request, figures, n) : measure(request, figures, n);
	free(figures);
	return status;
}

int cmd_study(int argc, char **argv)
{
	struct request request = { 0 };
	int status = parse_request(&request, argc, argv);

	if (status == GPUCRYPT_OK && request.help)
		return fputs(help, stdout), GPUCRYPT_OK;
	if (status == GPUCRYPT_OK && request.list)
		return print_list();
	return status == GPUCRYPT_OK ? run(&request) : status;
}
