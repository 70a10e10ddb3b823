/* ppf predict: the dissertation's bounds, and the overlap model's estimate where the record allows
 * one, for one cipher, device and launch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/json.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"
#include "ppf/analysis/analyze.h"
#include "ppf/model/overlap.h"
#include "ppf/model/trace.h"
#include "ppf/program/options.h"
#include "ppf/record/records.h"

static bool has_counts_file(const struct options *options)
{
	const char *counts = options->predict.counts;

	return counts && strcmp(counts, "core") != 0 && strcmp(counts, "thesis") != 0;
}

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

/* Counts and table words of a built-in cipher. */
static int find_builtin(struct profile *profile, unsigned *table_words, const struct options *options)
{
	const char *name = options->predict.cipher, *table = options->predict.table;
	const struct cipher *cipher = name ? cipher_by_name(name) : NULL;
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
	found = !thesis       ? profile_builtin(cipher->name, bits, form->name)
	        : bits == 128 ? profile_thesis(cipher->name, form->name)
	                      : NULL;
	if (!found)
		return fail(GPUCRYPT_USAGE, "no %s counts of %s with %u bits and tables %s",
		        thesis ? "printed" : "built-in", name, bits, form->name);
	*profile = *found;
	*table_words = form->words;
	return GPUCRYPT_OK;
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

/* Complete the launch by the options and the device's defaults; for a built-in cipher the core is traced and the mode
 * is known. */
static void complete_launch(struct launch *launch, const struct options *options, const struct device_record *record)
{
	const struct cipher *cipher = options->predict.cipher ? cipher_by_name(options->predict.cipher) : NULL;
	const struct mode *mode = mode_by_id(options->predict.mode ? options->predict.mode : GPUCRYPT_CTR);
	const struct table_form *form;

	launch->kernel = shape_of_options(options, record->compute_units);
	launch->has_tweaks = mode->has_tweaks;
	if (!cipher)
		return;
	form = options->predict.table ? form_by_name(cipher, options->predict.table) : &cipher->forms[0];
	launch->mode = profile_mode(cipher->name, mode->name);
	if (form_is_sliced(form)) /* vectors that were not measured are not predicted, however long */
		launch->item_blocks =
		        record->is_cpu && record->slice_words ? 32 * record->slice_words : GPU_SLICE_BLOCKS;
	if (!record->is_cpu && launch->kernel.table_space == MEMORY_LOCAL)
		launch->wavefronts =
		        trace_wavefronts(cipher, form, options->predict.bits ? options->predict.bits / 8 : 16,
		                mode->takes_iv, launch->kernel.replicas, record->batch_items, record->banks);
}

static int find_profile(struct profile *profile, struct launch *launch, const struct options *options)
{
	if (has_counts_file(options))
		return profile_of_file(profile, launch, options);
	return options->sources.n > 0 ? profile_of_source(profile, launch, NULL, options)
	                              : find_builtin(profile, &launch->table_words, options);
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

static int check_prediction(const struct thesis_prediction *p, const struct device_record *record)
{
	bool sensible = isfinite(p->total_sa) && isfinite(p->total_si) && p->total_sa > 0 && p->total_si >= p->total_sa;

	return sensible ? GPUCRYPT_OK
	                : fail(GPUCRYPT_UNKNOWN, "%s: the record gives no sensible prediction (%g to %g cycles)",
	                          record->name, p->total_sa, p->total_si);
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

static double gb_per_s(const struct device_record *record, const struct launch *launch, double cycles)
{
	return 1e-9 * (double)launch->n_bytes * record->clock_hz / cycles;
}

static void print_overlap(const struct device_record *record, const struct launch *launch,
        const struct thesis_prediction *p, const struct overlap_prediction *o)
{
	const char *note = overlap_note(o, p);
	char total[48];

	printf("estimate: %s cycles, %.2f GB/s, bound by %s\n", grouped(total, sizeof total, o->total_cycles),
	        gb_per_s(record, launch, o->total_cycles), bound_names[o->bound]);
	for (int b = 0; b < N_BOUNDS && !o->tried; b++)
		printf("%s %s %.1f%s", b > 0 ? "" : "its resources, cycles of a batch:", bound_names[b], o->cycles[b],
		        b + 1 < N_BOUNDS ? "," : "\n");
	if (note)
		printf("note: %s\n", note);
}

static void print_text(const struct device_record *record, const struct profile *profile, const struct launch *launch,
        const struct thesis_prediction *p, const struct overlap_prediction *o)
{
	char sa[48], si[48];

	printf("device: %s%s, %u compute units, %.3f GHz\n", record->name,
	        record->derived ? " (derived, never measured)" : "", record->compute_units, record->clock_hz / 1e9);
	print_counts(profile);
	printf("launch: %u work-groups of %u work-items, %llu bytes\n", launch->kernel.work_groups,
	        launch->kernel.work_items, (unsigned long long)launch->n_bytes);
	if (o)
		print_overlap(record, launch, p, o);
	puts("bounds of the dissertation: SA leaves out arithmetic, and both leave out the bandwidth of memory");
	printf("N_batch %.10g\nN_iter %.10g\n", p->n_batch, p->n_iter);
	printf("L_ker %.0f\nL_ld %.0f\n", p->l_ker, p->l_ld);
	printf("%-12s %18s %18s\n", "cycles", "SA", "SI");
	printf("%-12s %18.1f %18.1f\n", "L_enc_bt", p->block_sa, p->block_si);
	printf("%-12s %18s %18s\n", "L_enc_total", grouped(sa, sizeof sa, p->total_sa),
	        grouped(si, sizeof si, p->total_si));
	printf("%-12s %18.2f %18.2f\n", "GB/s", gb_per_s(record, launch, p->total_sa),
	        gb_per_s(record, launch, p->total_si));
}

static int print_json(const struct device_record *record, const struct profile *profile, const struct launch *launch,
        const struct thesis_prediction *p, const struct overlap_prediction *o)
{
	json_t *object = json_pack("{s:s, s:b, s:s, s:s, s:o, s:i, s:i, s:f, s:f, s:f, s:f, s:{s:f, s:f}, "
	                           "s:{s:f, s:f}, s:{s:f, s:f}}",
	        "device", record->name, "derived", record->derived, "counts", profile->name, "counts_note",
	        profile->note, "bytes", json_count(launch->n_bytes), "work_groups", (int)launch->kernel.work_groups,
	        "work_items", (int)launch->kernel.work_items, "n_batch", p->n_batch, "n_iter", p->n_iter, "l_ker",
	        p->l_ker, "l_ld", p->l_ld, "l_enc_bt", "sa", p->block_sa, "si", p->block_si, "l_enc_total", "sa",
	        p->total_sa, "si", p->total_si, "gb_per_s", "sa", gb_per_s(record, launch, p->total_sa), "si",
	        gb_per_s(record, launch, p->total_si));
	json_t *resources = json_object();

	for (int b = 0; o && !o->tried && b < N_BOUNDS; b++)
		json_set(resources, bound_names[b], json_real(o->cycles[b]));
	if (o && object)
		json_set(object, "estimate",
		        json_pack("{s:f, s:f, s:s, s:O, s:s?}", "cycles", o->total_cycles, "gb_per_s",
		                gb_per_s(record, launch, o->total_cycles), "bound", bound_names[o->bound], "resources",
		                resources, "note", overlap_note(o, p)));
	json_decref(resources);
	return object ? json_print(object) : fail(GPUCRYPT_OTHER, "no JSON: a name is not UTF-8, or out of memory");
}

int cmd_predict(const struct options *options)
{
	struct device_record record;
	struct profile profile;
	struct launch launch = { .n_bytes = options->predict.size };
	struct thesis_prediction prediction;
	struct overlap_prediction overlap;
	bool estimated;
	int status = device_record_parse(&record, records_builtin(options->predict.device), options->predict.device)
	                     ?: find_profile(&profile, &launch, options);

	if (status != GPUCRYPT_OK)
		return status;
	complete_launch(&launch, options, &record);
	status = check_launch(&record, &launch) ?: check_tables(&record, &launch);
	if (status != GPUCRYPT_OK)
		return status;
	predict_thesis(&prediction, &record, &profile, &launch);
	status = check_prediction(&prediction, &record);
	if (status != GPUCRYPT_OK)
		return status;
	estimated = predict_overlap(&overlap, &record, &profile, &launch);
	if (options->json)
		return print_json(&record, &profile, &launch, &prediction, estimated ? &overlap : NULL);
	print_text(&record, &profile, &launch, &prediction, estimated ? &overlap : NULL);
	return GPUCRYPT_OK;
}
