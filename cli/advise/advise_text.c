/* The advice in words: two tables within 120 columns, a line for each cipher, one sentence. */
#include <stdarg.h>
#include <string.h>

#include "cli/advise/advise.h"
#include "gpucrypt/crypto/names.h"
#include "cli/terminal/figure.h"

#define NAME_COLUMNS   13
#define WINNER_COLUMNS 35

/* 41521181 as 4.15e7, which is how the dissertation writes cycles. */
static const char *cycles_text(char text[16], double value)
{
	int exponent = 0;

	if (value < 1e4)
		return figure_text(text, value);
	for (; value >= 9.995; exponent++)
		value /= 10;
	snprintf(text, 16, "%.2fe%d", value, exponent);
	return text;
}

/* Name the engine and devices of a row. */

const char *advise_engine(char text[24], const struct advice_row *row)
{
	if (row->choice.device)
		snprintf(text, 24, "device %u", row->choice.plan.device - 1);
	else
		snprintf(text, 24, "%s", row->choice.n_parts > 0 ? engine_all.name : "CPU");
	return text;
}

unsigned advise_devices(const struct advice_row *row)
{
	return (row->choice.device != NULL) + parts_devices(row->choice.parts, row->choice.n_parts);
}

unsigned advise_threads(const struct advice_row *row)
{
	const struct choice *choice = &row->choice;
	unsigned n = 0;

	if (choice->n_parts == 0)
		return choice->device ? 0 : plan_threads(&choice->plan);
	for (unsigned i = 0; i < choice->n_parts; i++)
		n += choice->parts[i].threads;
	return n;
}

/* "4 x32; 528x512x8": the table's form and copies, work-groups, work-items, and counters that share what
 * they have in common, with a mark of explain_marks(); or "2 devices, 4 threads". */
static void write_configuration(char text[64], const struct advice_row *row)
{
	const struct kernel_config *kernel = &row->choice.plan.kernel;
	bool local = kernel->table_space == MEMORY_LOCAL;
	char replicas[16] = "", blocks[16] = "", devices[24] = "", mark[24] = "";

	if (!row->choice.device) {
		if (row->choice.n_parts > 0)
			snprintf(devices, sizeof devices, "%u devices, ", advise_devices(row));
		snprintf(text, 64, "%s%u threads", devices, advise_threads(row));
		return;
	}
	if (kernel->replicas > 1)
		snprintf(replicas, sizeof replicas, " x%u", kernel->replicas);
	if (kernel->blocks_per_item > 1)
		snprintf(blocks, sizeof blocks, "x%u", kernel->blocks_per_item);
	if (row->choice.overlap.tried)
		snprintf(mark, sizeof mark, " (tried)");
	else if (row->unpredicted)
		snprintf(mark, sizeof mark, " (not %s)", row->unpredicted->name);
	snprintf(text, 64, "%s%s%s%s; %ux%u%s%s", value_name(&table_names, kernel->table), replicas, local ? "" : " ",
	        local ? "" : value_name(&table_space_names, kernel->table_space), kernel->work_groups,
	        kernel->work_items, blocks, mark);
}

/* Tables. */

static const char *suite_name(char text[24], const struct advice_row *row)
{
	const struct suite *suite = &row->choice.suite;

	snprintf(text, 24, "%s-%u", suite->cipher->name, 8 * suite->key_bytes);
	return text;
}

/* "4.15e7..6.26e7" */
static const char *bounds_text(char text[40], const struct thesis_prediction *thesis)
{
	char sa[16], si[16];

	if (thesis->total_sa > 0)
		snprintf(text, 40, "%s..%s", cycles_text(sa, thesis->total_sa), cycles_text(si, thesis->total_si));
	else
		snprintf(text, 40, "-");
	return text;
}

#define ROW_FORMAT "%-13s%-9s%-16s%8s %5s %7s %6s %7s %-18s%s\n"

static void print_row(FILE *stream, const struct advice *advice, const struct advice_row *row)
{
	const struct choice *c = &row->choice;
	char name[24], engine[24], both[40], text[5][16], how[64];

	write_configuration(how, row);
	fprintf(stream, ROW_FORMAT, suite_name(name, row), advise_engine(engine, row), bounds_text(both, &c->thesis),
	        cycles_text(text[0], c->overlap.total_cycles),
	        figure_text(text[1], gigabytes_per_s(advice->n_bytes, c->overlap.seconds)),
	        figure_text(text[2], c->end_to_end.seconds),
	        figure_text(text[3], gigabytes_per_s(advice->n_bytes, c->end_to_end.seconds)),
	        figure_text(text[4], row->files.seconds), c->predicted ? stage_names[c->end_to_end.bottleneck] : "-",
	        how);
}

static void explain_marks(FILE *stream, const struct advice *advice)
{
	const struct table_form *unpredicted = NULL;
	bool tried = false;

	for (unsigned i = 0; i < advice->n_rows; i++) {
		tried |= advice->rows[i].choice.overlap.tried;
		if (advice->rows[i].unpredicted)
			unpredicted = advice->rows[i].unpredicted;
	}
	if (tried)
		fprintf(stream,
		        "(tried): the device's record has no figures of its vectors; kernels were timed instead\n");
	if (unpredicted)
		fprintf(stream, "(not %s): not compared with table %s, for which the device's record lacks a figure\n",
		        unpredicted->name, unpredicted->name);
}

static bool has_device(const struct advice *advice)
{
	for (unsigned i = 0; i < advice->n_rows; i++)
		if (advice->rows[i].choice.device)
			return true;
	return false;
}

static void explain_columns(FILE *stream, const struct advice *advice)
{
	fprintf(stream,
	        "in memory: from memory to memory%s, start included; bottleneck: the stage that limits it\n"
	        "files: from file to file in this folder, until the output is synced\n",
	        advice->volume ? "" : " with tags");
	if (has_device(advice))
		fputs("kernel alone: the input in one launch; SA..SI: the dissertation's bounds; estimate: the overlap model\n"
		      "tables: form, x replicas; work-groups x work-items x blocks per work-item\n",
		        stream);
}

static void print_rows(FILE *stream, const struct advice *advice)
{
	fprintf(stream, "\n%-22s%-30s %14s %7s\n", "predicted", "kernel alone, cycles", "in memory", "files");
	fprintf(stream, ROW_FORMAT, "", "engine", "SA..SI", "estimate", "GB/s", "s", "GB/s", "s", "bottleneck",
	        "tables; groups x items");
	for (unsigned i = 0; i < advice->n_rows; i++)
		print_row(stream, advice, &advice->rows[i]);
	explain_columns(stream, advice);
	explain_marks(stream, advice);
}

/* "-1.9 %" of a prediction, when there are both figures. */
static const char *error_text(char text[16], double predicted, double measured)
{
	if (predicted > 0 && measured > 0)
		snprintf(text, 16, "%+.1f %%", 100 * (predicted / measured - 1));
	else
		snprintf(text, 16, "-");
	return text;
}

#define MEASURED_FORMAT "%-13s%-9s%-10s %9s %8s  %8s %9s %8s  %8s %8s %8s\n"

static void print_measured_row(FILE *stream, const struct advice_row *row)
{
	const struct advice_measurement *m = &row->measured;
	const struct choice *c = &row->choice;
	double measured = row->seconds.least, predicted = c->end_to_end.seconds;
	char name[24], engine[24], size[32], spread[16], text[7][16];

	size_text(size, m->n_bytes);
	snprintf(spread, sizeof spread, "%.1f %%",
	        100 * (row->seconds.middle - row->seconds.least) / row->seconds.least);
	fprintf(stream, MEASURED_FORMAT, suite_name(name, row), advise_engine(engine, row), size,
	        figure_text(text[0], m->start_s), spread, figure_text(text[1], measured),
	        figure_text(text[2], predicted), error_text(text[3], predicted, measured),
	        figure_text(text[4], gigabytes_per_s(m->kernel_bytes, m->kernel_s)),
	        figure_text(text[5], gigabytes_per_s(m->kernel_bytes, m->estimate_s)),
	        error_text(text[6], m->estimate_s, m->kernel_s));
}

/* The fastest of runs over less than the whole size says what the whole would have taken. */
static void print_measured(FILE *stream, const struct advice *advice)
{
	char size[32];

	size_text(size, advice->n_bytes);
	fprintf(stream, "\n%-22s%-31ss for %-23s kernel alone, GB/s\n", "measured", "memory to memory", size);
	fprintf(stream, MEASURED_FORMAT, "", "engine", "over", "start s", "spread", "measured", "predicted", "error",
	        "measured", "estimate", "error");
	for (unsigned i = 0; i < advice->n_rows; i++)
		if (!advice->rows[i].failed)
			print_measured_row(stream, &advice->rows[i]);
}

/* Sentences are put together from pieces. */

static void add_text(char text[512], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_text(char text[512], const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, 512 - length, format, arguments);
	va_end(arguments);
}

/* "2.3 times as fast as", "12 % faster than" */
static void add_factor(char text[512], double factor)
{
	if (factor >= 1.5)
		add_text(text, "%.*f times as fast as ", factor < 10, factor);
	else
		add_text(text, "%.0f %% faster than ", 100 * (factor - 1));
}

static void add_engine(char text[512], const struct advice_row *row)
{
	char engine[24];

	advise_engine(engine, row);
	if (row->choice.n_parts > 0)
		add_text(text, "all engines together");
	else
		add_text(text, "%s%s", row->choice.device ? "" : "the ", engine);
	if (row->choice.device)
		add_text(text, " (%s)", row->choice.device->device.name);
}

/* "AES on the CPU and Camellia on device 0 (…)" */
static void add_equals(char text[512], const struct verdict *verdict)
{
	for (unsigned i = 0; i < verdict->n_equal; i++) {
		add_text(text, "%s%s on ",
		        i == 0                     ? ""
		        : i + 1 < verdict->n_equal ? ", "
		                                   : " and ",
		        verdict->equal[i]->choice.suite.cipher->name);
		add_engine(text, verdict->equal[i]);
	}
}

void advise_sentence(char text[512], const struct advice *advice)
{
	const char *how = advice->measured ? "measured" : "predicted";
	const struct advice_row *best;
	struct verdict v;
	char size[32], seconds[16], rate[16], form[256];

	advise_verdict(&v, advice, NULL, advice->bits);
	size_text(size, advice->n_bytes);
	snprintf(text, 512, "In memory, %s with %u-bit keys in %s: ", size, advice->bits, advice->mode->name);
	if (v.n_equal == 0) {
		add_text(text, "none, for lack of figures.");
		return;
	}
	best = v.equal[0];
	add_equals(text, &v);
	add_text(text, v.n_equal > 1 ? " are equal, " : ", ");
	add_text(text, "%s s and %s GB/s %s", figure_text(seconds, best->seconds.least),
	        figure_text(rate, gigabytes_per_s(advice->n_bytes, best->seconds.least)), how);
	if (v.next) {
		add_text(text, ", ");
		add_factor(text, v.factor);
		add_text(text, "%s on ", v.next->choice.suite.cipher->name);
		add_engine(text, v.next);
	}
	advise_form_sentence(form, advice, best);
	add_text(text, ".%s", form);
}

/* For example "device 0 (2.30x CPU)", "device 0 (2.30x; predicted: CPU)", "equal: device 0, CPU". The part in
 * parentheses is left out if the text would be wider than the given columns. */
static void add_winner(
        char text[512], const struct advice *advice, const struct cipher *cipher, unsigned bits, size_t columns)
{
	const struct advice_row *predicted = advise_predicted(advice, cipher, bits);
	bool as_predicted = !predicted;
	size_t start = strlen(text), winner;
	struct verdict v;
	char engine[24];

	advise_verdict(&v, advice, cipher, bits);
	add_text(text, "%s", v.n_equal == 0 ? "-" : v.n_equal > 1 ? "equal: " : "");
	for (unsigned i = 0; i < v.n_equal; i++) {
		add_text(text, "%s%s", i ? ", " : "", advise_engine(engine, v.equal[i]));
		as_predicted |= v.equal[i] == predicted;
	}
	winner = strlen(text);
	if (v.next)
		add_text(text, " (%.*fx", v.factor < 10 ? 2 : 0, v.factor);
	if (v.next && as_predicted)
		add_text(text, " %s", advise_engine(engine, v.next));
	if (!as_predicted)
		add_text(text, "%spredicted: %s", v.next ? "; " : " (", advise_engine(engine, predicted));
	add_text(text, "%s", v.next || !as_predicted ? ")" : "");
	if (strlen(text) - start >= columns)
		text[winner] = '\0';
}

static bool has_key_size(const struct advice *advice, unsigned bits)
{
	for (unsigned i = 0; i < advice->n_rows; i++)
		if (8 * advice->rows[i].choice.suite.key_bytes == bits)
			return true;
	return false;
}

void advise_cipher_line(char text[512], const struct advice *advice, const struct cipher *cipher)
{
	unsigned column = NAME_COLUMNS, n = 0;

	for (unsigned bits = 128; bits <= 256; bits += 64)
		n += has_key_size(advice, bits);
	snprintf(text, 512, "%-*s", NAME_COLUMNS, cipher ? cipher->name : "fastest");
	for (unsigned bits = 128; bits <= 256; bits += 64) {
		if (!has_key_size(advice, bits))
			continue;
		add_text(text, "%*s", (int)(column - strlen(text)), "");
		if (cipher)
			add_winner(text, advice, cipher, bits, n > 1 ? WINNER_COLUMNS : 100);
		else
			add_text(text, "%u bits", bits);
		column = (unsigned)strlen(text) < column + WINNER_COLUMNS ? column + WINNER_COLUMNS
		                                                          : (unsigned)strlen(text) + 1;
	}
}

/* The whole. */

static void print_machine(FILE *stream, const struct advice *advice)
{
	const struct machine *machine = advice->machine;
	char size[32];

	size_text(size, advice->n_bytes);
	fprintf(stream, "%s, %s, %s tags; CPU: %u threads, its record %s%s\n", size, advice->mode->name,
	        advice->volume ? "LUKS2 volume without" : "with", machine->cpu_threads,
	        machine->host_measured ? "measured here, libcrypto " : "a default",
	        machine->host_measured ? machine->host.libcrypto : "");
	for (unsigned i = 0; i < machine->n_devices; i++)
		fprintf(stream, "device %u: %s, %.3f GHz, its record %s\n", i, machine->devices[i].device.name,
		        1e-9 * machine->devices[i].record.clock_hz,
		        machine->devices[i].measured ? "measured here" : "a default");
	if (machine->failure[0])
		fprintf(stream, "note: no OpenCL device: %s\n", machine->failure);
	if (machine->note[0])
		fprintf(stream, "note: %s\n", machine->note);
	if (advice->note[0])
		fprintf(stream, "note: %s\n", advice->note);
}

static bool has_cipher(const struct advice *advice, const struct cipher *cipher)
{
	for (unsigned i = 0; i < advice->n_rows; i++)
		if (advice->rows[i].choice.suite.cipher == cipher)
			return true;
	return false;
}

void advise_print(FILE *stream, const struct advice *advice)
{
	char text[512];

	advise_print_files(stream, advice);
	print_machine(stream, advice);
	print_rows(stream, advice);
	if (advice->measured)
		print_measured(stream, advice);
	fputc('\n', stream);
	advise_cipher_line(text, advice, NULL);
	fprintf(stream, "%s\n", text);
	for (const struct cipher *const *c = ciphers; *c; c++)
		if (has_cipher(advice, *c)) {
			advise_cipher_line(text, advice, *c);
			fprintf(stream, "%s\n", text);
		}
	advise_sentence(text, advice);
	fputc('\n', stream);
	advise_print_wrapped(stream, text);
}
