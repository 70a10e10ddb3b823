/* advise --nodes: the same input on many nodes like this one, each with its part (enc --part), and a shared storage. */
#include <stdlib.h>

#include "cli/advise/advise.h"
#include "command/figure.h"
#include "command/json.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/status.h"

/* What enc does from file to file, with the sync that each part ends with. */
static double node_rate(const struct end_to_end *time, uint64_t n_bytes)
{
	return (double)n_bytes / (time->first_s + time->rest_s + time->stage_s[STAGE_SYNC]);
}

int advise_nodes(struct advice *advice, const struct options *options)
{
	const struct end_to_end *time = &advice->enc.end_to_end;
	struct advice_nodes *nodes = &advice->nodes;

	if (advice->enc.n_bytes == 0 || !advice->enc.predicted)
		return fail(GPUCRYPT_DEVICE, "--nodes: the records lack a figure for this prediction");
	nodes->n = options->nodes;
	nodes->job = (struct nodes_job){ .n_bytes = advice->n_bytes,
		.piece_bytes = UINT64_C(1) << GROUP_LOG2_DEFAULT,
		.node_bytes_per_s = node_rate(time, advice->n_bytes),
		.start_s = time->start_s + time->end_s,
		.storage_bytes_per_s = (double)options->storage_rate };
	return GPUCRYPT_OK;
}

static void print_rates(FILE *stream, const struct advice *advice)
{
	const struct advice_nodes *nodes = &advice->nodes;
	char rate[16], start[16], storage[16];

	fprintf(stream, "a node: %s GB/s from file to file after a start of %s s",
	        figure_text(rate, 1e-9 * nodes->job.node_bytes_per_s), figure_text(start, nodes->job.start_s));
	if (nodes->job.storage_bytes_per_s > 0)
		fprintf(stream, "; storage of all nodes: %s GB/s\n",
		        figure_text(storage, 1e-9 * nodes->job.storage_bytes_per_s));
	else
		fputs("; storage of all nodes: not known (see --storage)\n", stream);
}

void advise_print_nodes(FILE *stream, const struct advice *advice)
{
	const struct advice_nodes *nodes = &advice->nodes;
	uint64_t enough = nodes_enough(&nodes->job);
	char size[32], seconds[16], rate[16];

	size_text(size, advice->n_bytes);
	fprintf(stream, "\n%s on nodes like this one, each with its part (enc --part), predicted:\n", size);
	print_rates(stream, advice);
	fprintf(stream, "%7s %9s %9s  %s\n", "nodes", "s", "GB/s", "bound by");
	for (unsigned n = 1; n <= nodes->n; n = nodes_next_count(n, nodes->n)) {
		enum nodes_bound bound;
		double time = nodes_predict(&bound, &nodes->job, n);

		fprintf(stream, "%7u %9s %9s  %s\n", n, figure_text(seconds, time),
		        figure_text(rate, gigabytes_per_s(advice->n_bytes, time)), nodes_bound_names[bound]);
	}
	if (nodes->job.storage_bytes_per_s > 0)
		fprintf(stream, "from %llu node%s on, another one does not help\n", (unsigned long long)enough,
		        enough == 1 ? "" : "s");
}

static json_t *rows_json(const struct advice_nodes *nodes)
{
	json_t *rows = json_array();

	for (unsigned n = 1; n <= nodes->n; n = nodes_next_count(n, nodes->n)) {
		enum nodes_bound bound;
		double seconds = nodes_predict(&bound, &nodes->job, n);

		json_array_append_new(rows, json_pack("{s:i, s:f, s:s}", "nodes", (int)n, "seconds", seconds, "bound",
		                                    nodes_bound_names[bound]));
	}
	return rows;
}

json_t *advise_nodes_json(const struct advice *advice)
{
	const struct advice_nodes *nodes = &advice->nodes;
	json_t *object = json_object();

	json_set(object, "node_bytes_per_s", json_real(nodes->job.node_bytes_per_s));
	json_set(object, "start_s", json_real(nodes->job.start_s));
	json_set(object, "storage_bytes_per_s", json_figure(nodes->job.storage_bytes_per_s));
	json_set(object, "piece_bytes", json_count(nodes->job.piece_bytes));
	json_set(object, "enough", json_count(nodes_enough(&nodes->job)));
	json_set(object, "rows", rows_json(nodes));
	return object;
}
