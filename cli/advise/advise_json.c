/* The advice as one JSON object, which is sufficient for a plot. */
#include "cli/advise/advise.h"
#include "cli/luks/volume.h"
#include "gpucrypt/crypto/names.h"
#include "command/json.h"

static double full_unit_cycles(const struct device_record *record, enum resource resource)
{
	return device_record_cycles(record, resource, record->max_batches);
}

json_t *device_number_json(unsigned device)
{
	return device ? json_integer(device - 1) : json_null();
}

json_t *machine_device_json(const struct machine *machine, unsigned number)
{
	const struct machine_device *device = &machine->devices[number];
	json_t *object = json_object();

	json_set(object, "number", json_integer(number));
	json_set(object, "name", json_text(device->device.name));
	json_set(object, "driver", json_text(device->device.driver));
	json_set(object, "clock_hz", json_figure(device->record.clock_hz));
	return object;
}

static json_t *devices_json(const struct machine *machine)
{
	json_t *array = json_array(), *object;

	for (unsigned i = 0; i < machine->n_devices; i++) {
		json_array_append_new(array, object = machine_device_json(machine, i));
		json_set(object, "record", json_text(machine->devices[i].record.source));
		json_set(object, "derived", json_boolean(machine->devices[i].record.derived));
		json_set(object, "measured", json_boolean(machine->devices[i].measured));
		json_set(object, "compute_units", json_integer(machine->devices[i].record.compute_units));
	}
	return array;
}

/* The terms of the equations of --explain; NULL: there is no profile, or the record lacks a figure. */
static json_t *terms_json(const struct choice *c)
{
	const struct device_record *r = &c->device->record;
	const struct thesis_prediction *t = &c->thesis;
	const struct profile *p = profile_builtin(
	        c->suite.cipher->name, 8 * c->suite.key_bytes, value_name(&table_names, c->plan.kernel.table));
	double all = -t->l_ker - t->l_ld;

	if (!p || t->total_sa <= 0)
		return NULL;
	return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:{s:f,s:f}}", "batch", (int)r->batch_items,
	        "n_cu", (int)r->compute_units, "n_pt", (int)p->n_pt, "n_ct", (int)p->n_ct, "n_tbl", (int)p->n_tbl,
	        "n_key", (int)p->n_key, "n_inst", (int)profile_n_inst(p), "l_glb", full_unit_cycles(r, RESOURCE_GLOBAL),
	        "l_local_rand", full_unit_cycles(r, RESOURCE_LOCAL_RANDOM), "l_local_rgl",
	        full_unit_cycles(r, RESOURCE_LOCAL_REGULAR), "l_inst", full_unit_cycles(r, RESOURCE_ARITHMETIC),
	        "l_enc", "sa", t->total_sa + all, "si", t->total_si + all);
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

/* The devices that take part in "all". */
static json_t *part_numbers(const struct advice_row *row)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < row->choice.plan.n_parts; i++)
		if (row->choice.plan.parts[i].device)
			json_array_append_new(array, json_integer(row->choice.plan.parts[i].device - 1));
	return array;
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

static json_t *plan_json(const struct advice_row *row)
{
	json_t *object = json_object();

	if (row->choice.plan.n_parts > 0)
		json_set(object, "devices", part_numbers(row));
	if (row->choice.device)
		kernel_json(object, &row->choice.plan.kernel);
	else
		json_set(object, "threads", json_integer(advise_threads(row)));
	return object;
}

json_t *range_json(struct seconds_range range)
{
	return json_pack("[f,f,f]", range.least, range.middle, range.most);
}

static json_t *row_json(const struct advice_row *row)
{
	const struct choice *c = &row->choice;
	json_t *object = json_object();

	json_set(object, "cipher", json_string(c->suite.cipher->name));
	json_set(object, "bits", json_integer(8 * c->suite.key_bytes));
	json_set(object, "engine", json_string(value_name(&engine_names, c->plan.engine)));
	json_set(object, "device", device_number_json(c->device ? c->plan.device : 0));
	json_set(object, "plan", plan_json(row));
	json_set(object, "thesis", c->device ? thesis_json(c) : json_null());
	json_set(object, "estimate", c->device ? overlap_json(&c->overlap) : json_null());
	json_set(object, "not_compared", json_text_or_null(row->unpredicted ? row->unpredicted->name : NULL));
	json_set(object, "memory", end_to_end_json(&c->end_to_end));
	json_set(object, "files", end_to_end_json(&row->files));
	json_set(object, "measured", row->measured && !row->failed ? json_incref(row->measured) : json_null());
	json_set(object, "points", row->points ? json_incref(row->points) : json_array());
	return object;
}

/* The verdict for one cipher; cipher NULL: for all ciphers that may be advised. */
static json_t *verdict_json(const struct advice *advice, const struct cipher *cipher, unsigned bits)
{
	json_t *object, *fastest;
	struct verdict v;

	advise_verdict(&v, advice, cipher, bits);
	if (v.n_equal == 0)
		return NULL;
	object = json_object();
	fastest = json_array();
	for (unsigned i = 0; i < v.n_equal; i++) {
		char engine[24];

		json_array_append_new(fastest,
		        json_pack("{s:s,s:s,s:o}", "cipher", v.equal[i]->choice.suite.cipher->name, "engine",
		                advise_engine(engine, v.equal[i]), "seconds", range_json(v.equal[i]->seconds)));
	}
	json_set(object, "cipher", json_text_or_null(cipher ? cipher->name : NULL));
	json_set(object, "bits", json_integer(bits));
	json_set(object, "equal", json_boolean(v.n_equal > 1));
	json_set(object, "fastest", fastest);
	json_set(object, "times_next", json_figure(v.factor));
	return object;
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
	json_t *rows = json_array();

	for (unsigned n = 1; n <= nodes->n; n = nodes_next_count(n, nodes->n)) {
		enum nodes_bound bound;
		double seconds = nodes_predict(&bound, job, n);

		json_array_append_new(rows, json_pack("{s:i, s:f, s:s}", "nodes", (int)n, "seconds", seconds, "bound",
		                                    nodes_bound_names[bound]));
	}
	return json_pack("{s:f, s:f, s:o, s:o, s:o, s:o}", "node_bytes_per_s", job->node_bytes_per_s, "start_s",
	        job->start_s, "storage_bytes_per_s", json_figure(job->storage_bytes_per_s), "piece_bytes",
	        json_count(job->piece_bytes), "enough", json_count(nodes_enough(job)), "rows", rows);
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
	json_t *object = json_object(), *rows = json_array(), *best;
	char sentence[PATTERN_TEXT];

	for (unsigned i = 0; i < advice->n_rows; i++)
		json_array_append_new(rows, row_json(&advice->rows[i]));
	advise_sentence(sentence, advice);
	best = verdict_json(advice, NULL, advice->bits);
	json_set(object, "bytes", json_count(advice->n_bytes));
	json_set(object, "mode", json_string(advice->mode->name));
	json_set(object, "bits", json_integer(advice->bits));
	json_set(object, "cpu_threads", json_integer(advice->machine->cpu_threads));
	json_set(object, "cpu_measured", json_boolean(advice->machine->host_measured));
	json_set(object, "libcrypto",
	        json_text_or_null(advice->machine->host_measured ? advice->machine->host.libcrypto : NULL));
	json_set(object, "devices", devices_json(advice->machine));
	json_set(object, "notes", notes_json(advice));
	json_set(object, "enc", enc_json(advice));
	json_set(object, "rows", rows);
	json_set(object, "rests_on", json_string(advice->measured ? "measurement" : "prediction"));
	json_set(object, "verdicts", verdicts_json(advice));
	json_set(object, "best", best ? best : json_null());
	json_set(object, "advice", json_text(sentence));
	if (advice->nodes.n > 0)
		json_set(object, "nodes", nodes_json(&advice->nodes));
	if (advice->volume)
		json_set(object, "dm_crypt", volume_json(advice));
	return object;
}
