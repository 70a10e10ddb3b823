/* ppf nodes: one input on 1, 2, 4, … nodes with a shared storage, predicted and simulated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/args/number.h"
#include "cli/terminal/figure.h"
#include "cli/terminal/json.h"
#include "gpucrypt/status.h"
#include "ppf/model/nodes.h"
#include "ppf/program/options.h"

#define DEFAULT_NODES 1024
#define DEFAULT_PIECE (UINT64_C(64) << 20)
#define DEFAULT_RUNS  10
#define SLOW_FACTOR   4 /* a straggler takes so many times as long */
#define MAX_PIECES    (UINT64_C(1) << 20)
#define MAX_LOOKS     (UINT64_C(1) << 30) /* at a node, for each piece */
#define MAX_FAILURES  10                  /* while a job waits for its next start: it waits e to this power times */

/* Defaults of options that may be 0. */
static unsigned or_default(const struct options *options, const char *name, unsigned value, unsigned otherwise)
{
	return option_given(options, name) ? value : otherwise;
}

static struct nodes_job job_of_options(const struct options *options)
{
	return (struct nodes_job){ .n_bytes = options->predict.size,
		.piece_bytes = options->nodes.piece ? options->nodes.piece : DEFAULT_PIECE,
		.start_s = or_default(options, "start", options->nodes.start_s, 1),
		.storage_bytes_per_s = (double)options->nodes.storage,
		.restart_s = or_default(options, "restart", options->nodes.restart_s, 60),
		.failure_s = 3600.0 * or_default(options, "failures", options->nodes.failure_h, 10000) };
}

static int read_together(struct nodes_job *job, const struct text_list *list)
{
	for (unsigned i = 0; i < list->n; i++) {
		uint64_t rate;
		const char *error = number_parse(&rate, list->texts[i], true);

		if (error == NULL && rate == 0)
			error = "too small";
		if (error != NULL)
			return fail(GPUCRYPT_USAGE, "--together: '%s' is %s", list->texts[i], error);
		job->together_bytes_per_s[i] = (double)rate;
	}
	job->n_together = list->n;
	return GPUCRYPT_OK;
}

static void draw_nodes(
        struct node *nodes, unsigned n, const struct nodes_job *job, const struct options *options, uint64_t *random)
{
	double spread = 0.01 * or_default(options, "spread", options->nodes.spread, 5),
	       slow = 0.01 * or_default(options, "slow", options->nodes.slow, 1);

	for (unsigned i = 0; i < n; i++) {
		double rate = (double)options->nodes.rate * exp(spread * nodes_random_normal(random));

		nodes[i].bytes_per_s = nodes_random(random) < slow ? rate / SLOW_FACTOR : rate;
		nodes[i].fails_s = job->failure_s > 0 ? nodes_random_exponential(random, job->failure_s) : INFINITY;
	}
}

/* Means of several runs. */
struct simulated {
	double seconds, longest_s, n_failures, lost_bytes;
};

static int simulate(struct simulated *simulated, struct nodes_job job, enum dealing dealing, unsigned n,
        const struct options *options)
{
	unsigned n_runs = options->nodes.runs ? options->nodes.runs : DEFAULT_RUNS;
	struct node *nodes = calloc(n, sizeof *nodes);
	uint64_t random = or_default(options, "seed", options->nodes.seed, 1);
	struct nodes_outcome outcome;
	bool good = nodes != NULL;

	job.dealing = dealing;
	*simulated = (struct simulated){ 0 };
	for (unsigned i = 0; i < n_runs && good && isfinite(simulated->seconds); i++) {
		draw_nodes(nodes, n, &job, options, &random);
		good = nodes_simulate(&outcome, &job, nodes, n, &random);
		simulated->seconds += outcome.seconds;
		simulated->longest_s = fmax(simulated->longest_s, outcome.seconds);
		simulated->n_failures += outcome.n_failures;
		simulated->lost_bytes += outcome.lost_bytes;
	}
	free(nodes);
	if (!good)
		return fail(GPUCRYPT_OTHER, "out of memory");
	simulated->seconds /= n_runs;
	simulated->n_failures /= n_runs;
	simulated->lost_bytes /= n_runs;
	return isfinite(simulated->seconds)
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "--failures: too many: a simulation with %u nodes did not end", n);
}

struct row {
	unsigned n;
	double predicted_s;
	enum nodes_bound bound;
	struct simulated ranges, dealt;
};

static int fill_row(struct row *row, const struct nodes_job *job, unsigned n, const struct options *options)
{
	int status = simulate(&row->ranges, *job, DEALING_STATIC, n, options);

	row->n = n;
	row->predicted_s = nodes_predict(&row->bound, job, (double)options->nodes.rate, n);
	return status == GPUCRYPT_OK ? simulate(&row->dealt, *job, DEALING_DYNAMIC, n, options) : status;
}

static void print_row(const struct row *row)
{
	char text[5][16];

	printf("%6u  %11s  %-7s  %9s %9s  %9s %9s\n", row->n, figure_text(text[0], row->predicted_s),
	        nodes_bound_names[row->bound], figure_text(text[1], row->ranges.seconds),
	        figure_text(text[2], row->ranges.longest_s), figure_text(text[3], row->dealt.seconds),
	        figure_text(text[4], row->dealt.longest_s));
}

static json_t *simulated_json(const struct simulated *s)
{
	return json_pack("{s:f, s:f, s:f, s:f}", "seconds", s->seconds, "longest_s", s->longest_s, "failures",
	        s->n_failures, "lost_bytes", s->lost_bytes);
}

static json_t *row_json(const struct row *row)
{
	return json_pack("{s:i, s:f, s:s, s:o, s:o}", "nodes", (int)row->n, "predicted_s", row->predicted_s, "bound",
	        nodes_bound_names[row->bound], "ranges", simulated_json(&row->ranges), "dealt",
	        simulated_json(&row->dealt));
}

static void print_head(const struct nodes_job *job, const struct options *options)
{
	char size[32], piece[32], rate[16], storage[16];

	size_text(size, job->n_bytes);
	size_text(piece, job->piece_bytes);
	printf("%s in pieces of %s; a node: %s GB/s; storage: ", size, piece,
	        figure_text(rate, 1e-9 * (double)options->nodes.rate));
	if (job->storage_bytes_per_s > 0)
		printf("%s GB/s\n", figure_text(storage, 1e-9 * job->storage_bytes_per_s));
	else
		puts("no limit");
	printf("                               %-19s  %-19s\n", "a range for each", "pieces dealt out");
	printf("%6s  %11s  %-7s  %9s %9s  %9s %9s\n", "nodes", "predicted s", "bound", "mean s", "longest", "mean s",
	        "longest");
}

/* A simulation has to come to an end. */
static int check_pieces(const struct nodes_job *job, double rate, unsigned most)
{
	double alone_s = SLOW_FACTOR * (double)job->piece_bytes / rate, shared_s = 0;

	if (nodes_pieces(job) > MAX_PIECES)
		return fail(GPUCRYPT_USAGE, "--piece: too small: the input has more than %llu pieces",
		        (unsigned long long)MAX_PIECES);
	if (nodes_pieces(job) * most > MAX_LOOKS)
		return fail(GPUCRYPT_USAGE, "--nodes: too many with this --piece: at most %llu",
		        (unsigned long long)(MAX_LOOKS / nodes_pieces(job)));
	if (job->storage_bytes_per_s > 0)
		shared_s = most * (double)job->piece_bytes / job->storage_bytes_per_s;
	if (job->failure_s > 0 && fmax(alone_s, shared_s) > job->failure_s)
		return fail(GPUCRYPT_USAGE, "--piece: too large: a node may need %.0f s for it, and fails every %.0f s",
		        fmax(alone_s, shared_s), job->failure_s);
	if (job->failure_s > 0 && most * job->restart_s > MAX_FAILURES * job->failure_s)
		return fail(GPUCRYPT_USAGE,
		        "--failures: too many: of %u nodes one fails every %.1f s, and a restart takes %.1f s", most,
		        job->failure_s / most, job->restart_s);
	return GPUCRYPT_OK;
}

int cmd_nodes(const struct options *options)
{
	struct nodes_job job = job_of_options(options);
	unsigned most = options->nodes.count ? options->nodes.count : DEFAULT_NODES;
	uint64_t enough = 0;
	int status = read_together(&job, &options->nodes.together);
	json_t *rows = options->json ? json_array() : NULL;
	struct row row;

	if (status == GPUCRYPT_OK)
		status = check_pieces(&job, (double)options->nodes.rate, most);
	if (status == GPUCRYPT_OK)
		enough = nodes_enough(&job, (double)options->nodes.rate);
	if (!options->json && status == GPUCRYPT_OK)
		print_head(&job, options);
	for (unsigned n = 1; n <= most && status == GPUCRYPT_OK; n = nodes_next_count(n, most)) {
		status = fill_row(&row, &job, n, options);
		if (status == GPUCRYPT_OK && options->json)
			json_array_append_new(rows, row_json(&row));
		else if (status == GPUCRYPT_OK)
			print_row(&row);
	}
	if (options->json && status == GPUCRYPT_OK)
		return json_print(json_pack("{s:o, s:o, s:o}", "bytes", json_count(job.n_bytes), "enough",
		        json_count(enough), "rows", rows));
	json_decref(rows);
	if (status == GPUCRYPT_OK)
		printf("from %llu nodes on, another one does not help\n", (unsigned long long)enough);
	return status;
}
