/* The advice as one JSON object, which is sufficient for a plot. */
#include "cli/advise/advise.h"
#include "cli/luks/volume.h"
#include "gpucrypt/crypto/names.h"
#include "command/json.h"

json_t *device_number_json(unsigned device)
{
	return device ? json_integer(device - 1) : json_null();
}

static json_t *devices_json(const struct machine *machine)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < machine->n_devices; i++) {
		const struct machine_device *at = &machine->devices[i];

		json_array_append_new(
		        array, json_pack("{s:i, s:o, s:o, s:o, s:o, s:b, s:b, s:i}", "number", (int)i, "name",
		                       json_text(at->device.name), "driver", json_text(at->device.driver), "clock_hz",
		                       json_figure(at->record.clock_hz), "record", json_text(at->record.source),
		                       "derived", at->record.derived, "measured", at->measured, "compute_units",
		                       (int)at->record.compute_units));
	}
	return array;
}

/* The terms of the equations of --explain; NULL: there is no profile, or the record lacks a figure. */
static json_t *terms_json(const struct choice *c)
{
	const struct device_record *r = &c->device->record;
	const struct thesis_prediction *t = &c->thesis;
	const struct profile *p = profile_builtin(CORE_BLOCK, c->suite.cipher->name, 8 * c->suite.key_bytes,
	        value_name(&table_names, c->plan.kernel.table));
	double all = -t->l_ker - t->l_ld;

	if (!p || t->total_sa <= 0)
		return NULL;
	return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:{s:f,s:f}}", "batch", (int)r->batch_items,
	        "n_cu", (int)r->compute_units, "n_pt", (int)p->n_pt, "n_ct", (int)p->n_ct, "n_tbl", (int)p->n_tbl,
	        "n_key", (int)p->n_key, "n_inst", (int)profile_n_inst(p), "l_glb",
	        device_record_full_cycles(r, RESOURCE_GLOBAL), "l_local_rand",
	        device_record_full_cycles(r, RESOURCE_LOCAL_RANDOM), "l_local_rgl",
	        device_record_full_cycles(r, RESOURCE_LOCAL_REGULAR), "l_inst",
	        device_record_full_cycles(r, RESOURCE_ARITHMETIC), "l_enc", "sa", t->total_sa + all, "si",
	        t->total_si + all);
}

static json_t *thesis_json(const struct choice *c)
{
	const struct thesis_prediction *t = &c->thesis;

	return json_pack("{s:{s:f,s:f},s:f,s:f,s:f,s:f,s:{s:f,s:f},s:o*}", "l_enc_bt", "sa", t->block_sa, "si",
	        t->block_si, "n_batch", t->n_batch, "n_iter", t->n_iter, "l_ker", t->l_ker, "l_ld", t->l_ld,
	        "l_enc_total", "sa", t->total_sa, "si", t->total_si, "terms", terms_json(c));
}

static json_t *overlap_json(const struct overlap_prediction *o)
{
	json_t *resources;

	if (o->seconds <= 0)
		return json_null();
	resources = json_object();
	for (int b = 0; b < N_BOUNDS; b++)
		json_set(resources, bound_names[b], json_real(o->cycles[b]));
	return json_pack("{s:b, s:o, s:f, s:f, s:s?, s:f, s:f, s:f, s:f, s:f}", "tried", o->tried, "batch_cycles",
	        resources, "contention", o->contention, "joined_cycles", o->batch_cycles, "bound",
	        o->tried ? NULL : bound_names[o->bound], "unit_batches", o->unit_batches, "launch_cycles",
	        o->launch_cycles, "tweak_cycles", o->tweak_cycles, "cycles", o->total_cycles, "seconds", o->seconds);
}

static json_t *end_to_end_json(const struct end_to_end *e)
{
	json_t *stages = json_object();

	for (int s = 0; s < N_STAGES; s++)
		if (e->stage_s[s] > 0)
			json_set(stages, stage_names[s], json_real(e->stage_s[s]));
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o, s:s}", "seconds", e->seconds, "start_s", e->start_s, "first_s",
	        e->first_s, "rest_s", e->rest_s, "end_s", e->end_s, "stage_s", stages, "bottleneck",
	        stage_names[e->bottleneck]);
}

void kernel_json(json_t *object, const struct kernel_config *kernel)
{
	json_set(object, "table", json_text_or_null(value_name(&table_names, kernel->table)));
	json_set(object, "table_space", json_text_or_null(value_name(&table_space_names, kernel->table_space)));
	json_set(object, "copies", json_integer(kernel->replicas));
	json_set(object, "counters", json_integer(kernel->blocks_per_item));
	json_set(object, "key_space", json_text_or_null(value_name(&key_space_names, kernel->key_space)));
	json_set(object, "work_items", json_integer(kernel->work_items));
	json_set(object, "work_groups", json_integer(kernel->work_groups));
}

/* With the devices that take part in "all", and the number of CPU threads. */
static json_t *plan_json(const struct advice_row *row)
{
	const struct gpucrypt_plan *plan = &row->choice.plan;
	json_t *object = json_object(), *devices = json_array();
	unsigned threads = 0;

	for (unsigned i = 0; i < plan_engines(plan); i++) {
		const struct gpucrypt_part part = plan_engine(plan, i);

		threads += part.threads;
		if (part.device)
			json_array_append_new(devices, json_integer(part.device - 1));
	}
	if (plan->n_parts > 0)
		json_object_set(object, "devices", devices);
	json_decref(devices);
	if (row->choice.device)
		kernel_json(object, &plan->kernel);
	else
		json_set(object, "threads", json_integer(threads));
	return object;
}

json_t *range_json(struct seconds_range range)
{
	return json_pack("[f,f,f]", range.least, range.middle, range.most);
}

static json_t *row_json(const struct advice_row *row)
{
	const struct choice *c = &row->choice;

	return json_pack("{s:s, s:i, s:s, s:o, s:o, s:o?, s:o?, s:o, s:o, s:o, s:O?, s:o}", "cipher",
	        c->suite.cipher->name, "bits", (int)(8 * c->suite.key_bytes), "engine",
	        value_name(&engine_names, c->plan.engine), "device", device_number_json(c->device ? c->plan.device : 0),
	        "plan", plan_json(row), "thesis", c->device ? thesis_json(c) : NULL, "estimate",
	        c->device ? overlap_json(&c->overlap) : NULL, "not_compared",
	        json_text_or_null(row->unpredicted ? row->unpredicted->name : NULL), "memory",
	        end_to_end_json(&c->end_to_end), "files", end_to_end_json(&row->files), "measured",
	        row->failed ? NULL : row->measured, "points", row->points ? json_incref(row->points) : json_array());
}

/* The verdict for one cipher; cipher NULL: for all ciphers that may be advised. */
static json_t *verdict_json(const struct advice *advice, const struct cipher *cipher, unsigned bits)
{
	json_t *fastest;
	struct verdict v;

	advise_verdict(&v, advice, cipher, bits);
	if (v.n_equal == 0)
		return NULL;
	fastest = json_array();
	for (unsigned i = 0; i < v.n_equal; i++) {
		char engine[24];

		json_array_append_new(fastest,
		        json_pack("{s:s,s:s,s:o}", "cipher", v.equal[i]->choice.suite.cipher->name, "engine",
		                advise_engine(engine, v.equal[i]), "seconds", range_json(v.equal[i]->seconds)));
	}
	return json_pack("{s:s?, s:i, s:b, s:o, s:o}", "cipher", cipher ? cipher->name : NULL, "bits", (int)bits,
	        "equal", v.n_equal > 1, "fastest", fastest, "times_next", json_figure(v.factor));
}

static json_t *verdicts_json(const struct advice *advice)
{
	json_t *array = json_array(), *one;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (unsigned bits = 128; bits <= 256; bits += 64)
			if ((one = verdict_json(advice, *c, bits)) != NULL)
				json_array_append_new(array, one);
	return array;
}

static json_t *notes_json(const struct advice *advice)
{
	const char *const notes[] = { advice->machine->failure, advice->machine->note, advice->note };
	json_t *array = json_array();

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (notes[i][0])
			json_array_append_new(array, json_text(notes[i]));
	return array;
}

/* The speed of dm-crypt on one CPU of this machine; null: the kernel does not report it. */
static json_t *volume_json(const struct advice *advice)
{
	struct luks_speed speed;

	if (advice->enc.n_bytes == 0 || !luks_kernel_speed(&speed, &advice->enc.suite))
		return json_null();
	return json_pack("{s:f, s:f}", "encrypt_gb_s", speed.encrypt, "decrypt_gb_s", speed.decrypt);
}

static json_t *nodes_json(const struct advice_nodes *nodes)
{
	const struct nodes_job *job = &nodes->job;

	return json_pack("{s:f, s:f, s:o, s:o, s:o, s:o}", "node_bytes_per_s", job->node_bytes_per_s, "start_s",
	        job->start_s, "storage_bytes_per_s", json_figure(job->storage_bytes_per_s), "piece_bytes",
	        json_count(job->piece_bytes), "enough", json_count(nodes_enough(job)), "rows",
	        nodes_table(job, nodes->n, "seconds"));
}

/* What enc would choose from file to file; null: nothing. */
static json_t *enc_json(const struct advice *advice)
{
	const struct choice *enc = &advice->enc;
	char engine[24];
	json_t *object;

	if (enc->n_bytes == 0 || !enc->predicted)
		return json_null();
	object = json_pack("{s:f, s:s, s:s, s:i, s:s, s:s, s:s}", "seconds", enc->end_to_end.seconds, "bottleneck",
	        stage_names[enc->end_to_end.bottleneck], "cipher", enc->suite.cipher->name, "bits",
	        (int)(8 * enc->suite.key_bytes), "mode", enc->suite.mode->name, "engine", choice_engine(engine, enc),
	        "why", enc->why);
	if (advice->update)
		json_set(object, "changed_percent", json_real(100 * advice->changed));
	json_set(object, "copies", json_boolean(advice->copies));
	return object;
}

json_t *advise_json(const struct advice *advice)
{
	const struct machine *machine = advice->machine;
	json_t *rows = json_array();
	char sentence[PATTERN_TEXT];

	for (unsigned i = 0; i < advice->n_rows; i++)
		json_array_append_new(rows, row_json(&advice->rows[i]));
	advise_sentence(sentence, advice);
	return json_pack("{s:o, s:s, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o?, s:o, s:o*, s:o*}", "bytes",
	        json_count(advice->n_bytes), "mode", advice->mode->name, "bits", (int)advice->bits, "cpu_threads",
	        (int)machine->cpu_threads, "cpu_measured", machine->host_measured, "libcrypto",
	        json_text_or_null(machine->host_measured ? machine->host.libcrypto : NULL), "devices",
	        devices_json(machine), "notes", notes_json(advice), "enc", enc_json(advice), "rows", rows, "rests_on",
	        advice->measured ? "measurement" : "prediction", "verdicts", verdicts_json(advice), "best",
	        verdict_json(advice, NULL, advice->bits), "advice", json_text(sentence), "nodes",
	        advice->nodes.n > 0 ? nodes_json(&advice->nodes) : NULL, "dm_crypt",
	        advice->volume ? volume_json(advice) : NULL);
}
