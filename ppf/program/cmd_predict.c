/* ppf predict: the dissertation's bounds, and the overlap model's estimate where the record allows
 * one, for one cipher, device and launch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/json.h"
#include "command/text.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/analyze.h"
#include "ppf/model/overlap.h"
#include "ppf/model/trace.h"
#include "ppf/program/options.h"
#include "ppf/record/records.h"

/* Counts that `ppf analyze --json` wrote. */
static int profile_of_file(struct profile *profile, struct launch *launch, const struct options *options)
{
	static const struct option_rule rule = { ~0u, 0, "counts", RULE_EXCLUDES,
		"cipher bits table function set tables key plain ciphertext rotate include", "a file of counts" };
	int status = option_rule_check(&rule, &options->parsed, options->predict.counts);

	if (status == GPUCRYPT_OK && options->analyze.preprocessor.n > 0)
		status = fail(GPUCRYPT_USAGE, "%s: %s: not with -D, -U or -I", options->predict.counts, rule.why);
	return status
	               ?: profile_record_read(profile, options->predict.counts)
	               ?: check_counts(profile, launch, options);
}

struct kernel_config shape_of_options(const struct options *options, unsigned compute_units)
{
	unsigned copies = options->predict.copies, items = options->predict.work_items,
	         groups = options->predict.work_groups;
	enum memory_space tables = options->run.table_space, keys = options->predict.key_space;

	return (struct kernel_config){ .replicas = copies ? copies : 1,
		.work_groups = groups ? groups : 4 * compute_units,
		.work_items = items ? items : 256,
		.table_space = tables == MEMORY_OPEN ? MEMORY_LOCAL : tables,
		.key_space = keys == MEMORY_OPEN ? MEMORY_LOCAL : keys };
}

void print_counts(const struct profile *profile)
{
	printf("counts: %s: N_tbl %u N_key %u N_inst %u N_pt %u N_ct %u\n", profile->name, profile->n_tbl,
	        profile->n_key, profile_n_inst(profile), profile->n_pt, profile->n_ct);
	if (*profile->note)
		printf("note: %s\n", profile->note);
}

/* A built-in cipher.  Its mode is known too, and the look-ups of a warp are traced. */
static int find_builtin(struct prediction *p, const struct options *options, const struct mode *mode)
{
	const char *name = options->predict.cipher, *table = options->predict.table;
	const struct cipher *cipher = name ? cipher_by_name(name) : NULL;
	const struct device_record *record = &p->record;
	struct launch *launch = &p->launch;
	const struct table_form *form;
	const struct profile *found;
	unsigned bits = options->predict.bits ? options->predict.bits : 128;
	bool thesis = options->predict.counts && !strcmp(options->predict.counts, "thesis");

	if (!name)
		return fail(GPUCRYPT_USAGE, "--counts %s: needs --cipher", options->predict.counts);
	if (!cipher)
		return fail(GPUCRYPT_USAGE, "cipher %s: not built in", name);
	form = table ? form_by_name(cipher, table) : &cipher->forms[0];
	if (!form)
		return fail(GPUCRYPT_USAGE, "table form %s: %s has no such form", table, name);
	found = !thesis       ? profile_builtin(CORE_BLOCK, cipher->name, bits, form->name)
	        : bits == 128 ? profile_thesis(cipher->name, form->name)
	                      : NULL;
	if (!found)
		return fail(GPUCRYPT_USAGE, "no %s counts of %s with %u bits and tables %s",
		        thesis ? "printed" : "built-in", name, bits, form->name);
	p->profile = *found;
	launch->table_words = form->words;
	launch->mode = profile_mode(cipher->name, mode->name);
	if (form_is_sliced(form)) /* vectors that were not measured are not predicted, however long */
		launch->item_blocks =
		        record->is_cpu && record->slice_words ? 32 * record->slice_words : GPU_SLICE_BLOCKS;
	if (!record->is_cpu && launch->kernel.table_space == MEMORY_LOCAL)
		launch->wavefronts = trace_wavefronts(cipher, form, bits / 8, mode->takes_iv, launch->kernel.replicas,
		        record->batch_items, record->banks);
	return GPUCRYPT_OK;
}

/* Tables in local memory must fit. */
static int check_tables(const struct device_record *record, const struct launch *launch)
{
	uint64_t table_bytes = 4 * (uint64_t)launch->table_words * launch->kernel.replicas;
	bool is_local = launch->kernel.table_space == MEMORY_LOCAL;

	if (!is_local && launch->kernel.replicas > 1)
		return fail(GPUCRYPT_USAGE, "--copies: %u: only with --table-space local", launch->kernel.replicas);
	if (!is_local || record->local_bytes == 0 || table_bytes <= record->local_bytes)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s has %llu bytes of local memory, the tables need %llu (--table-space global has room)", record->name,
	        (unsigned long long)record->local_bytes, (unsigned long long)table_bytes);
}

int check_launch(const struct device_record *record, const struct launch *launch)
{
	unsigned items = record->max_batches * record->batch_items;

	if ((double)launch->n_bytes < launch_block_bytes(launch))
		return fail(GPUCRYPT_USAGE, "--size: %llu bytes are less than a block of %.0f",
		        (unsigned long long)launch->n_bytes, launch_block_bytes(launch));
	if (!record->is_cpu && launch->kernel.work_items > items)
		return fail(GPUCRYPT_USAGE, "--work-items: %u: a compute unit of %s holds %u",
		        launch->kernel.work_items, record->name, items);
	return GPUCRYPT_OK;
}

/* Cycles as the dissertation's totals are written here: 41,521,181; what no run takes has a power of
 * ten. */
static const char *grouped(char *text, size_t n, double cycles)
{
	char digits[32];
	bool whole = cycles < 1e18;
	size_t length = (size_t)snprintf(digits, sizeof digits, whole ? "%.0f" : "%g", cycles), used = 0;

	for (size_t i = 0; i < length && used + 2 < n; i++) {
		text[used++] = digits[i];
		if (whole && i + 1 < length && (length - i - 1) % 3 == 0)
			text[used++] = ',';
	}
	text[used] = '\0';
	return text;
}

static double gb_per_s(const struct prediction *p, double cycles)
{
	return gigabytes_per_s(p->launch.n_bytes, cycles / p->record.clock_hz);
}

static void print_overlap(const struct prediction *p)
{
	const struct overlap_prediction *o = &p->overlap;
	const char *note = overlap_note(o, &p->thesis);
	char total[48];

	printf("estimate: %s cycles, %.2f GB/s, bound by %s\n", grouped(total, sizeof total, o->total_cycles),
	        gb_per_s(p, o->total_cycles), bound_names[o->bound]);
	for (int b = 0; b < N_BOUNDS && !o->tried; b++)
		printf("%s %s %.1f%s", b > 0 ? "" : "its resources, cycles of a batch:", bound_names[b], o->cycles[b],
		        b + 1 < N_BOUNDS ? "," : "\n");
	if (note)
		printf("note: %s\n", note);
}

static int print_text(const struct prediction *p)
{
	const struct device_record *record = &p->record;
	const struct thesis_prediction *t = &p->thesis;
	char sa[48], si[48];

	printf("device: %s%s, %u compute units, %.3f GHz\n", record->name,
	        record->derived ? " (derived, never measured)" : "", record->compute_units, record->clock_hz / 1e9);
	print_counts(&p->profile);
	printf("launch: %u work-groups of %u work-items, %llu bytes\n", p->launch.kernel.work_groups,
	        p->launch.kernel.work_items, (unsigned long long)p->launch.n_bytes);
	if (p->estimated)
		print_overlap(p);
	puts("bounds of the dissertation: SA leaves out arithmetic, and both leave out the bandwidth of memory");
	printf("N_batch %.10g\nN_iter %.10g\n", t->n_batch, t->n_iter);
	printf("L_ker %.0f\nL_ld %.0f\n", t->l_ker, t->l_ld);
	printf("%-12s %18s %18s\n", "cycles", "SA", "SI");
	printf("%-12s %18.1f %18.1f\n", "L_enc_bt", t->block_sa, t->block_si);
	printf("%-12s %18s %18s\n", "L_enc_total", grouped(sa, sizeof sa, t->total_sa),
	        grouped(si, sizeof si, t->total_si));
	printf("%-12s %18.2f %18.2f\n", "GB/s", gb_per_s(p, t->total_sa), gb_per_s(p, t->total_si));
	return GPUCRYPT_OK;
}

static json_t *estimate_json(const struct prediction *p)
{
	const struct overlap_prediction *o = &p->overlap;
	json_t *resources = json_object();

	for (int b = 0; !o->tried && b < N_BOUNDS; b++)
		json_set(resources, bound_names[b], json_real(o->cycles[b]));
	return json_pack("{s:f, s:f, s:f, s:s, s:o, s:s?}", "cycles", o->total_cycles, "cycles_per_byte",
	        o->total_cycles / (double)p->launch.n_bytes, "gb_per_s", gb_per_s(p, o->total_cycles), "bound",
	        bound_names[o->bound], "resources", resources, "note", overlap_note(o, &p->thesis));
}

json_t *prediction_json(const struct prediction *p)
{
	const struct kernel_config *kernel = &p->launch.kernel;
	const struct profile *counts = &p->profile;
	const struct thesis_prediction *t = &p->thesis;
	json_t *object =
	        json_pack("{s:s, s:b, s:o, s:s, s:{s:i, s:i, s:i, s:i, s:i}, s:o, s:i, s:i, s:i, s:s, s:s, s:f, s:f, "
	                  "s:f, s:f, s:{s:f, s:f}, s:{s:f, s:f}, s:{s:f, s:f}}",
	                "device", p->record.name, "derived", p->record.derived, "counts", json_text(counts->name),
	                "counts_note", counts->note, "operations", "n_tbl", (int)counts->n_tbl, "n_key",
	                (int)counts->n_key, "n_inst", (int)profile_n_inst(counts), "n_pt", (int)counts->n_pt, "n_ct",
	                (int)counts->n_ct, "bytes", json_count(p->launch.n_bytes), "work_groups",
	                (int)kernel->work_groups, "work_items", (int)kernel->work_items, "copies",
	                (int)kernel->replicas, "tables", value_name(&table_space_names, kernel->table_space), "keys",
	                value_name(&key_space_names, kernel->key_space), "n_batch", t->n_batch, "n_iter", t->n_iter,
	                "l_ker", t->l_ker, "l_ld", t->l_ld, "l_enc_bt", "sa", t->block_sa, "si", t->block_si,
	                "l_enc_total", "sa", t->total_sa, "si", t->total_si, "gb_per_s", "sa", gb_per_s(p, t->total_sa),
	                "si", gb_per_s(p, t->total_si));

	if (p->estimated)
		json_set(object, "estimate", estimate_json(p));
	if (p->seconds > 0)
		json_set(object, "measured",
		        json_pack("{s:f, s:f}", "seconds", p->seconds, "gb_per_s",
		                gigabytes_per_s(p->launch.n_bytes, p->seconds)));
	if (p->estimated && p->seconds > 0)
		json_set(object, "error_percent",
		        json_real(100 * (p->overlap.total_cycles / p->record.clock_hz / p->seconds - 1)));
	return object;
}

int prediction_compute(struct prediction *p)
{
	const struct thesis_prediction *t = &p->thesis;

	predict_thesis(&p->thesis, &p->record, &p->profile, &p->launch);
	if (!(isfinite(t->total_sa) && isfinite(t->total_si) && t->total_sa > 0 && t->total_si >= t->total_sa))
		return fail(GPUCRYPT_UNKNOWN, "%s: the record gives no sensible prediction (%g to %g cycles)",
		        p->record.name, t->total_sa, t->total_si);
	p->estimated = predict_overlap(&p->overlap, &p->record, &p->profile, &p->launch);
	return GPUCRYPT_OK;
}

int predict_options(struct prediction *p, const struct options *options)
{
	const struct mode *mode = mode_by_id(options->predict.mode ? options->predict.mode : GPUCRYPT_CTR);
	const char *device = options->predict.device, *counts = options->predict.counts;
	int status;

	*p = (struct prediction){ .launch.n_bytes = options->predict.size ? options->predict.size : DEFAULT_BYTES };
	status = device_record_parse(&p->record, records_builtin(device), device);
	if (status != GPUCRYPT_OK)
		return status;
	p->launch.kernel = shape_of_options(options, p->record.compute_units);
	p->launch.has_tweaks = mode->has_tweaks;
	if (counts && strcmp(counts, "core") != 0 && strcmp(counts, "thesis") != 0)
		status = profile_of_file(&p->profile, &p->launch, options);
	else
		status = options->sources.n > 0 ? profile_of_source(&p->profile, &p->launch, NULL, options)
		                                : find_builtin(p, options, mode);
	return status
	               ?: check_launch(&p->record, &p->launch)
	               ?: check_tables(&p->record, &p->launch)
	               ?: prediction_compute(p);
}

int cmd_predict(const struct options *options)
{
	struct prediction prediction;
	int status = predict_options(&prediction, options);

	if (status != GPUCRYPT_OK)
		return status;
	return options->json ? json_print(prediction_json(&prediction)) : print_text(&prediction);
}
