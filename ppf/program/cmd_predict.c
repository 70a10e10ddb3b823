/* ppf predict: the dissertation's bounds, and the overlap model's estimate where the record allows
 * one, for one cipher, device and launch. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ppf/analysis/analyze.h"
#include "ppf/program/command.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"
#include "ppf/program/options.h"
#include "ppf/model/overlap.h"
#include "ppf/model/trace.h"
#include "ppf/record/records.h"

struct arguments {
	const char *device, *cipher, *table, *counts, *source, *function, *mode, *keys;
	unsigned long long bits, size, work_groups, work_items, copies;
	int json, help;
};

static const char help[] = "usage: ppf predict --device D --size N (--cipher C [--bits B] | --source FILE.c "
                           "--function F)\n"
                           "lower and upper bound of the kernel's time, in core cycles\n\n"
                           "      --device gtx580|gtx280|h200|cpu|FILE\n"
                           "                        a built-in record, or the file of one (ppf measure -o)\n"
                           "      --cipher C        a built-in cipher\n"
                           "      --bits 128|192|256\n"
                           "                        of its key (128)\n"
                           "      --table FORM      of its tables\n"
                           "      --counts core|thesis\n"
                           "                        counts of the built-in core, or the dissertation's table 6.4\n"
                           "      --source FILE.c   counts of a C function, as ppf analyze finds them\n"
                           "      --function F      its name\n"
                           "      --size N          bytes; K, M, G, T and KiB, MiB … are powers of 1024\n"
                           "      --work-groups N   in the launch (4 for each compute unit)\n"
                           "      --work-items N    in a work-group (256)\n"
                           "      --copies N        of the tables in local memory, a power of 2 (1)\n"
                           "      --mode ecb|ctr|xts\n"
                           "                        what the estimate is for (ctr)\n"
                           "      --key-space local|constant|argument\n"
                           "                        where round keys are (local)\n"
                           "      --json            print JSON\n";

/* Arguments. */

/* A whole number from 1 on, with a power of 1024 if sizes are asked for; 0: it is none. */
static unsigned long long read_number(const char *text, bool size)
{
	static const char units[] = "KMGT";
	char *end;
	unsigned long long n;
	const char *unit;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || errno != 0)
		return 0;
	if (size && *end != '\0' && (unit = strchr(units, *end)) != NULL) {
		unsigned shift = 10 * (unsigned)(unit - units + 1);
		if (n > UINT64_MAX >> shift)
			return 0;
		n <<= shift;
		end += !strcmp(end + 1, "iB") ? 3 : !strcmp(end + 1, "B") ? 2 : 1;
	}
	return *end == '\0' ? n : 0;
}

static int store_number(unsigned long long *to, const char *name, bool size, unsigned long long most)
{
	*to = read_number(optarg, size);
	if (*to == 0 || *to > most)
		return fail(GPUCRYPT_USAGE, "predict: --%s %s: not a number from 1 to %llu", name, optarg, most);
	return GPUCRYPT_OK;
}

static int store(void *self, int option)
{
	struct arguments *a = self;
	switch (option) {
	case 'd':
		a->device = optarg;
		return GPUCRYPT_OK;
	case 'c':
		a->cipher = optarg;
		return GPUCRYPT_OK;
	case 't':
		a->table = optarg;
		return GPUCRYPT_OK;
	case 'n':
		a->counts = optarg;
		return GPUCRYPT_OK;
	case 's':
		a->source = optarg;
		return GPUCRYPT_OK;
	case 'f':
		a->function = optarg;
		return GPUCRYPT_OK;
	case 'm':
		a->mode = optarg;
		return GPUCRYPT_OK;
	case 'k':
		a->keys = optarg;
		return GPUCRYPT_OK;
	case 'b':
		return store_number(&a->bits, "bits", false, 256);
	case 'z':
		return store_number(&a->size, "size", true, 1ull << 60);
	case 'g':
		return store_number(&a->work_groups, "work-groups", false, 1u << 30);
	case 'i':
		return store_number(&a->work_items, "work-items", false, 1u << 20);
	case 'x':
		return store_number(&a->copies, "copies", false, 1u << MAX_COPIES_LOG2);
	default:
		return GPUCRYPT_OK;
	}
}

static int check(const struct arguments *a, bool operands)
{
	if (operands)
		return fail(GPUCRYPT_USAGE, "predict: takes no operands (see ppf predict --help)");
	if (!a->device || !a->size)
		return fail(GPUCRYPT_USAGE, "predict: --device and --size are needed");
	if (!a->cipher == !a->source)
		return fail(GPUCRYPT_USAGE, "predict: either --cipher or --source");
	if (a->source && !a->function)
		return fail(GPUCRYPT_USAGE, "predict: --source needs --function");
	if ((a->copies & (a->copies - 1)) != 0)
		return fail(GPUCRYPT_USAGE, "predict: --copies %llu: not a power of 2", a->copies);
	if (a->mode && !mode_by_name(a->mode))
		return fail(GPUCRYPT_USAGE, "predict: --mode %s: there are ecb ctr xts", a->mode);
	if (a->keys && strcmp(a->keys, "local") && strcmp(a->keys, "constant") && strcmp(a->keys, "argument"))
		return fail(GPUCRYPT_USAGE, "predict: --key-space %s: there are local constant argument", a->keys);
	if (a->counts && strcmp(a->counts, "core") && strcmp(a->counts, "thesis"))
		return fail(GPUCRYPT_USAGE, "predict: --counts %s: there are core thesis", a->counts);
	return GPUCRYPT_OK;
}

static int parse(struct arguments *a, int argc, char **argv)
{
	const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "cipher", required_argument, NULL, 'c' },
		{ "bits", required_argument, NULL, 'b' },
		{ "table", required_argument, NULL, 't' },
		{ "counts", required_argument, NULL, 'n' },
		{ "source", required_argument, NULL, 's' },
		{ "function", required_argument, NULL, 'f' },
		{ "size", required_argument, NULL, 'z' },
		{ "work-groups", required_argument, NULL, 'g' },
		{ "work-items", required_argument, NULL, 'i' },
		{ "copies", required_argument, NULL, 'x' },
		{ "mode", required_argument, NULL, 'm' },
		{ "key-space", required_argument, NULL, 'k' },
		{ "json", no_argument, &a->json, 1 },
		{ "help", no_argument, &a->help, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int status = options_read(argc, argv, "+:", options, store, a);

	if (status != GPUCRYPT_OK || a->help)
		return status;
	return check(a, optind != argc);
}

/* Inputs of the prediction. */

static int find_record(struct device_record *record, const char *device)
{
	const char *text = records_builtin(device);

	return text ? device_record_parse(record, text, device)
	            : records_read(&(struct records){ .device = record }, device);
}

/* Counts and table words of a built-in cipher. */
static int find_builtin(struct profile *profile, unsigned *table_words, const struct arguments *a)
{
	const struct cipher *cipher = cipher_by_name(a->cipher);
	const struct table_form *form;
	const struct profile *found;
	unsigned bits = a->bits ? (unsigned)a->bits : 128;
	bool thesis = a->counts && !strcmp(a->counts, "thesis");

	if (!cipher)
		return fail(GPUCRYPT_USAGE, "cipher %s: not built in", a->cipher);
	form = a->table ? form_by_name(cipher, a->table) : &cipher->forms[0];
	if (!form)
		return fail(GPUCRYPT_USAGE, "table form %s: %s has no such form", a->table, a->cipher);
	found = !thesis       ? profile_builtin(cipher->name, bits, form->name)
	        : bits == 128 ? profile_thesis(cipher->name, form->name)
	                      : NULL;
	if (!found)
		return fail(GPUCRYPT_USAGE, "no %s counts of %s with %u bits and tables %s",
		        thesis ? "printed" : "built-in", a->cipher, bits, form->name);
	*profile = *found;
	*table_words = form->words;
	return GPUCRYPT_OK;
}

/* How the kernel is shaped; of a built-in cipher the core is traced, and the mode is known. */
static struct kernel_shape find_shape(const struct arguments *a, const struct device_record *record)
{
	const struct cipher *cipher = a->cipher ? cipher_by_name(a->cipher) : NULL;
	const struct mode *mode = mode_by_name(a->mode ? a->mode : "ctr");
	struct kernel_shape shape = { .copies = a->copies ? (unsigned)a->copies : 1,
		.keys_local = !a->keys || !strcmp(a->keys, "local"),
		.keys_constant = a->keys && !strcmp(a->keys, "constant"),
		.has_tweaks = mode->has_tweaks };
	const struct table_form *form;

	if (!cipher)
		return shape;
	form = a->table ? form_by_name(cipher, a->table) : &cipher->forms[0];
	shape.mode = profile_mode(cipher->name, mode->name);
	if (form_is_sliced(form)) /* vectors that were not measured are not predicted, however long */
		shape.item_blocks = record->is_cpu && record->slice_words ? 32 * record->slice_words : GPU_SLICE_BLOCKS;
	if (!record->is_cpu)
		shape.wavefronts = trace_wavefronts(cipher, form, a->bits ? (unsigned)a->bits / 8 : 16, mode->takes_iv,
		        shape.copies, record->batch_items, record->banks);
	return shape;
}

/* A cipher that exists as C source only: four tables of 256 words are assumed. */
static int find_profile(struct profile *profile, unsigned *table_words, const struct arguments *a)
{
	const struct analysis analysis = { .file = a->source, .function = a->function };

	*table_words = 1024;
	return a->source ? analyze(profile, &analysis) : find_builtin(profile, table_words, a);
}

/* Output. */

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

/* The fullest resource last: that is the estimate. */
static void print_overlap(
        const struct device_record *record, const struct launch *launch, const struct overlap_prediction *o)
{
	char total[48];

	printf("overlap model, cycles of a batch:");
	for (int b = 0; b < N_BOUNDS; b++)
		printf(" %s %.1f%s", bound_names[b], o->cycles[b], b + 1 < N_BOUNDS ? "," : "\n");
	printf("estimate: %s cycles, %.2f GB/s, bound by %s\n", grouped(total, sizeof total, o->total_cycles),
	        1e-9 * (double)launch->n_bytes * record->clock_hz / o->total_cycles, bound_names[o->bound]);
}

static void print_text(const struct device_record *record, const struct profile *profile, const struct launch *launch,
        const struct thesis_prediction *p)
{
	char sa[48], si[48];

	printf("device: %s, %u compute units, %.3f GHz\n", record->name, record->compute_units, record->clock_hz / 1e9);
	printf("counts: %s: N_tbl %u N_key %u N_inst %u N_pt %u N_ct %u\n", profile->name, profile->n_tbl,
	        profile->n_key, profile_n_inst(profile), profile->n_pt, profile->n_ct);
	printf("launch: %u work-groups of %u work-items, %llu bytes\n", launch->work_groups, launch->work_items,
	        (unsigned long long)launch->n_bytes);
	printf("N_batch %.10g\nN_iter %.10g\n", p->n_batch, p->n_iter);
	printf("L_ker %.0f\nL_ld %.0f\n", p->l_ker, p->l_ld);
	printf("%-12s %18s %18s\n", "cycles", "SA", "SI");
	printf("%-12s %18.1f %18.1f\n", "L_enc_bt", p->block_sa, p->block_si);
	printf("%-12s %18s %18s\n", "L_enc_total", grouped(sa, sizeof sa, p->total_sa),
	        grouped(si, sizeof si, p->total_si));
	printf("%-12s %18.2f %18.2f\n", "GB/s", 1e-9 * (double)launch->n_bytes * record->clock_hz / p->total_sa,
	        1e-9 * (double)launch->n_bytes * record->clock_hz / p->total_si);
}

/* A string above what every reader's numbers can hold. */
static json_t *count_json(uint64_t count)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
	return count <= UINT64_C(1) << 53 ? json_integer((json_int_t)count) : json_string(digits);
}

static int print_json(const struct device_record *record, const struct profile *profile, const struct launch *launch,
        const struct thesis_prediction *p, const struct overlap_prediction *o)
{
	json_t *object = json_pack("{s:s, s:s, s:o, s:i, s:i, s:f, s:f, s:f, s:f, s:{s:f, s:f}, "
	                           "s:{s:f, s:f}}",
	        "device", record->name, "counts", profile->name, "bytes", count_json(launch->n_bytes), "work_groups",
	        (int)launch->work_groups, "work_items", (int)launch->work_items, "n_batch", p->n_batch, "n_iter",
	        p->n_iter, "l_ker", p->l_ker, "l_ld", p->l_ld, "l_enc_bt", "sa", p->block_sa, "si", p->block_si,
	        "l_enc_total", "sa", p->total_sa, "si", p->total_si);
	char *text;

	if (o)
		json_object_set_new(object, "estimate",
		        json_pack("{s:f, s:s}", "cycles", o->total_cycles, "bound", bound_names[o->bound]));
	text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;

	json_decref(object);
	if (!text)
		return fail(GPUCRYPT_OTHER, "no JSON: a name is not UTF-8, or out of memory");
	puts(text);
	free(text);
	return GPUCRYPT_OK;
}

int cmd_predict(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct device_record record;
	struct profile profile;
	struct launch launch = { 0 };
	struct thesis_prediction prediction;
	struct overlap_prediction overlap;
	struct kernel_shape shape;
	bool estimated;
	int status = parse(&a, argc, argv);

	if (status == GPUCRYPT_OK && a.help)
		return fputs(help, stdout), GPUCRYPT_OK;
	if (status == GPUCRYPT_OK)
		status = find_record(&record, a.device);
	if (status == GPUCRYPT_OK)
		status = find_profile(&profile, &launch.table_words, &a);
	if (status != GPUCRYPT_OK)
		return status;
	launch.n_bytes = a.size;
	launch.work_items = a.work_items ? (unsigned)a.work_items : 256;
	launch.work_groups = a.work_groups ? (unsigned)a.work_groups : 4 * record.compute_units;
	predict_thesis(&prediction, &record, &profile, &launch);
	shape = find_shape(&a, &record);
	estimated = predict_overlap(&overlap, &record, &profile, &shape, &launch);
	if (a.json)
		return print_json(&record, &profile, &launch, &prediction, estimated ? &overlap : NULL);
	print_text(&record, &profile, &launch, &prediction);
	if (estimated)
		print_overlap(&record, &launch, &overlap);
	return GPUCRYPT_OK;
}
