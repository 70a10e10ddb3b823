/* Prints the equations of each row with their numbers, so that a reader can check the results by hand. */
#include "cli/advise/advise.h"
#include "cli/terminal/pattern.h"
#include "gpucrypt/crypto/names.h"

static double full_unit_cycles(const struct device_record *record, enum resource resource)
{
	return device_record_cycles(record, resource, record->max_batches);
}

/* Print the dissertation's equations (section 6.4) with their numbers. */
static void explain_thesis(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	const struct choice *c = &row->choice;
	const struct kernel_config *kernel = &c->plan.kernel;
	const struct device_record *r = &c->device->record;
	const struct thesis_prediction *t = &c->thesis;
	const struct profile *p =
	        profile_builtin(c->suite.cipher->name, 8 * c->suite.key_bytes, value_name(&table_names, kernel->table));

	if (!p || t->total_sa <= 0)
		return;
	fprintf(stream, "  N_batch = work-items / batch = %u / %u = %.6g\n", kernel->work_items, r->batch_items,
	        t->n_batch);
	fprintf(stream,
	        "  N_iter = bytes / (16 N_wg batch N_batch) = %llu / (16 x %u x %u x %.6g) "
	        "= %.10g\n",
	        (unsigned long long)advice->n_bytes, kernel->work_groups, r->batch_items, t->n_batch, t->n_iter);
	fprintf(stream,
	        "  (6.4) SA: L_enc_bt = L_glb (N_pt + N_ct) + L_local_rand N_tbl + L_local_rgl"
	        " N_key\n"
	        "          = %.6g x (%u + %u) + %.6g x %u + %.6g x %u = %.8g cycles\n",
	        full_unit_cycles(r, RESOURCE_GLOBAL), p->n_pt, p->n_ct, full_unit_cycles(r, RESOURCE_LOCAL_RANDOM),
	        p->n_tbl, full_unit_cycles(r, RESOURCE_LOCAL_REGULAR), p->n_key, t->block_sa);
	fprintf(stream, "  (6.4) SI: ... + L_inst N_inst = %.8g + %.6g x %u = %.8g cycles\n", t->block_sa,
	        full_unit_cycles(r, RESOURCE_ARITHMETIC), profile_n_inst(p), t->block_si);
	fprintf(stream,
	        "  (6.3) L_enc = L_enc_bt N_iter N_batch N_wg / N_cu = L_enc_bt x %.10g x %.6g "
	        "x %u / %u\n"
	        "          = %.8g (SA), %.8g (SI) cycles\n",
	        t->n_iter, t->n_batch, kernel->work_groups, r->compute_units, t->total_sa - t->l_ker - t->l_ld,
	        t->total_si - t->l_ker - t->l_ld);
	fprintf(stream,
	        "  (6.2) L_enc_total = L_ker + L_ld + L_enc = %.6g + %.6g + L_enc\n"
	        "          = %.0f (SA), %.0f (SI) cycles\n",
	        t->l_ker, t->l_ld, t->total_sa, t->total_si);
}

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

static const char *const overlap_lines[] = {
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
		if (row->choice.device)
			explain_thesis(stream, advice, row);
		patterns_print(stream, overlap_lines, object);
		explain_end_to_end(stream, "memory to memory", &row->choice.end_to_end);
		explain_end_to_end(stream, "file to file", &row->files);
	}
}
