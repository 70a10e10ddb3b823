/* ppf nodes: the prediction for one input on 1, 2, 4, … nodes with a shared storage. */
#include <stdio.h>

#include "command/number.h"
#include "command/json.h"
#include "gpucrypt/status.h"
#include "ppf/model/nodes.h"
#include "ppf/program/options.h"

#define DEFAULT_NODES 1024
#define DEFAULT_PIECE (UINT64_C(64) << 20)

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

static void print_table(const struct nodes_job *job, unsigned most)
{
	char size[32], piece[32], rate[16], storage[16], seconds[16];

	size_text(size, job->n_bytes);
	size_text(piece, job->piece_bytes);
	printf("%s in pieces of %s; a node: %s GB/s; storage: ", size, piece,
	        figure_text(rate, 1e-9 * job->node_bytes_per_s));
	if (job->storage_bytes_per_s > 0)
		printf("%s GB/s\n", figure_text(storage, 1e-9 * job->storage_bytes_per_s));
	else
		puts("no limit");
	printf("%6s  %11s  %s\n", "nodes", "predicted s", "bound");
	for (unsigned n = 1; n <= most; n = nodes_next_count(n, most)) {
		enum nodes_bound bound;
		double predicted_s = nodes_predict(&bound, job, n);

		printf("%6u  %11s  %s\n", n, figure_text(seconds, predicted_s), nodes_bound_names[bound]);
	}
	printf("from %llu nodes on, another one does not help\n", (unsigned long long)nodes_enough(job));
}

static int print_json(const struct nodes_job *job, unsigned most)
{
	json_t *rows = json_array();

	for (unsigned n = 1; n <= most; n = nodes_next_count(n, most)) {
		enum nodes_bound bound;
		double predicted_s = nodes_predict(&bound, job, n);

		json_array_append_new(rows, json_pack("{s:i, s:f, s:s}", "nodes", (int)n, "predicted_s", predicted_s,
		                                    "bound", nodes_bound_names[bound]));
	}
	return json_print(json_pack("{s:o, s:o, s:o}", "bytes", json_count(job->n_bytes), "enough",
	        json_count(nodes_enough(job)), "rows", rows));
}

int cmd_nodes(const struct options *options)
{
	struct nodes_job job = { .n_bytes = options->predict.size,
		.piece_bytes = options->nodes.piece ? options->nodes.piece : DEFAULT_PIECE,
		.node_bytes_per_s = (double)options->nodes.rate,
		.start_s = option_given(options, "start") ? options->nodes.start_s : 1,
		.storage_bytes_per_s = (double)options->nodes.storage };
	unsigned most = options->nodes.count ? options->nodes.count : DEFAULT_NODES;
	int status = read_together(&job, &options->nodes.together);

	if (status == GPUCRYPT_OK && options->json)
		return print_json(&job, most);
	if (status == GPUCRYPT_OK)
		print_table(&job, most);
	return status;
}
