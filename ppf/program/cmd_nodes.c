/* ppf nodes: the prediction for one input on 1, 2, 4, … nodes with a shared storage. */
#include <stdio.h>

#include "command/text.h"
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

static const char *const head[] = {
	"{bytes:size} in pieces of {piece_bytes:size}; a node: {node_bytes_per_s:giga} GB/s; storage: "
	"[{storage_bytes_per_s:giga} GB/s|no limit]",
	NULL,
};
static const char *const foot[] = { "from {enough} nodes on, another one does not help", NULL };
static const struct column columns[] = { { 6, "nodes", "{nodes}" }, { 12, "predicted s", "{predicted_s:figure}" },
	{ 0, " bound", " {bound}" } };

int cmd_nodes(const struct options *options)
{
	struct nodes_job job = { .n_bytes = options->predict.size,
		.piece_bytes = options->nodes.piece ? options->nodes.piece : DEFAULT_PIECE,
		.node_bytes_per_s = (double)options->nodes.rate,
		.start_s = option_given(options, "start") ? options->nodes.start_s : 1,
		.storage_bytes_per_s = (double)options->nodes.storage };
	int status = read_together(&job, &options->nodes.together);
	json_t *json;

	if (status != GPUCRYPT_OK)
		return status;
	json = json_pack("{s:o, s:o, s:f, s:o, s:o, s:o}", "bytes", json_count(job.n_bytes), "piece_bytes",
	        json_count(job.piece_bytes), "node_bytes_per_s", job.node_bytes_per_s, "storage_bytes_per_s",
	        json_figure(job.storage_bytes_per_s), "enough", json_count(nodes_enough(&job)), "rows",
	        nodes_table(&job, options->nodes.count ? options->nodes.count : DEFAULT_NODES, "predicted_s"));
	if (options->json)
		return json_print(json);
	patterns_print(stdout, head, json);
	columns_print(stdout, columns, 3, json_object_get(json, "rows"), NULL);
	patterns_print(stdout, foot, json);
	json_decref(json);
	return GPUCRYPT_OK;
}
