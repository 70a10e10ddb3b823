/* Prints the equations of each row with their numbers, so that a reader can check the results by hand. */
#include "cli/advise/advise.h"
#include "command/json.h"
#include "gpucrypt/crypto/names.h"

static void explain_end_to_end(FILE *stream, const char *name, const struct end_to_end *e)
{
	if (e->seconds <= 0)
		return;
	fprintf(stream, "  %s: start %.4g s; all bytes in each stage:", name, e->start_s);
	for (int s = 0; s < N_STAGES; s++)
		if (e->stage_s[s] > 0)
			fprintf(stream, " %s %.4g s%s", stage_names[s], e->stage_s[s],
			        s == (int)e->bottleneck ? " (bottleneck)," : ",");
	fprintf(stream,
	        "\n          start + first group through all stages + the others side by side + "
	        "sync + end"
	        " = %.4g + %.4g + %.4g + %.4g + %.4g = %.4g s\n",
	        e->start_s, e->first_s, e->rest_s, e->stage_s[STAGE_SYNC], e->end_s, e->seconds);
}

static const char *const head =
        "\n{cipher}-{bits}-{mode} on " ADVICE_ENGINE
        ": [table {plan.table}, {plan.copies} replicas, {plan.table_space}; keys "
        "{plan.key_space}; {plan.work_groups} work-groups of {plan.work_items}[; {plan.counters!1} blocks per work-item]"
        "|[{plan.devices} devices, ]{plan.threads} threads]";

/* The dissertation's equations (section 6.4), and the overlap model. */
static const char *const kernel_lines[] = {
	"  N_batch = work-items / batch = {plan.work_items} / {thesis.terms.batch} = {thesis.n_batch}",
	"  N_iter = bytes / (16 N_wg batch N_batch) = {bytes} / (16 x {plan.work_groups} x {thesis.terms.batch} x "
	"{thesis.n_batch}) = {thesis.n_iter}",
	"  (6.4) SA: L_enc_bt = L_glb (N_pt + N_ct) + L_local_rand N_tbl + L_local_rgl N_key\n"
	"          = {thesis.terms.l_glb} x ({thesis.terms.n_pt} + {thesis.terms.n_ct}) + {thesis.terms.l_local_rand} x "
	"{thesis.terms.n_tbl} + {thesis.terms.l_local_rgl} x {thesis.terms.n_key} = {thesis.l_enc_bt.sa} cycles",
	"  (6.4) SI: ... + L_inst N_inst = {thesis.l_enc_bt.sa} + {thesis.terms.l_inst} x {thesis.terms.n_inst} = "
	"{thesis.l_enc_bt.si} cycles",
	"  (6.3) L_enc = L_enc_bt N_iter N_batch N_wg / N_cu = L_enc_bt x {thesis.n_iter} x {thesis.n_batch} x "
	"{plan.work_groups} / {thesis.terms.n_cu}\n"
	"          = {thesis.terms.l_enc.sa} (SA), {thesis.terms.l_enc.si} (SI) cycles",
	"{?thesis.terms.batch}  (6.2) L_enc_total = L_ker + L_ld + L_enc = {thesis.l_ker} + {thesis.l_ld} + L_enc\n"
	"          = {thesis.l_enc_total.sa} (SA), {thesis.l_enc_total.si} (SI) cycles",
	"{?estimate.tried}  the record has no figures of vectors; in a trial the kernel took {estimate.seconds} s for this input",
	"{?estimate.bound}  overlap model, cycles of a warp by resource: local memory {estimate.batch_cycles.local memory}, logic "
	"{estimate.batch_cycles.logic}, multiplication {estimate.batch_cycles.multiplication}, instruction issue "
	"{estimate.batch_cycles.instruction issue}, device memory {estimate.batch_cycles.device memory}, latency "
	"{estimate.batch_cycles.latency}",
	"{?estimate.bound}          joined: (sum of cycles^p)^(1/p) with p = {estimate.contention}: {estimate.joined_cycles}, bound by "
	"{estimate.bound}",
	"{?estimate.bound}          joined x warps of the busiest compute unit + launch with tables + tweaks = {estimate.joined_cycles} x "
	"{estimate.unit_batches} + {estimate.launch_cycles} + {estimate.tweak_cycles}",
	"{?estimate.bound}          = {estimate.cycles} cycles, {estimate.seconds} s", NULL
};

void advise_explain(FILE *stream, const struct advice *advice, const json_t *json)
{
	for (unsigned i = 0; i < advice->n_rows; i++) {
		const struct advice_row *row = &advice->rows[i];
		const json_t *object = json_array_get(json_object_get(json, "rows"), i);

		pattern_print(stream, head, object, json);
		for (const char *const *line = kernel_lines; *line; line++)
			pattern_print(stream, *line, object, json);
		explain_end_to_end(stream, "memory to memory", &row->choice.end_to_end);
		explain_end_to_end(stream, "file to file", &row->files);
	}
}
