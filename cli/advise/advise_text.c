/* The advice in words: two tables within 120 columns, a line for each cipher, one sentence. */
#include <stdarg.h>
#include <string.h>

#include "cli/advise/advise.h"
#include "command/figure.h"
#include "cli/terminal/pattern.h"

/* Name the engine and threads of a row. */

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

/* Tables. */

#define N_OF(columns) (sizeof(columns) / sizeof *(columns))

/* The patterns name members of a row; "bytes", the input's size, is a member of the whole advice. */
static const struct column predicted_columns[] = {
	{ -12, "", "{cipher}-{bits}" },
	{ -8, "engine", ADVICE_ENGINE },
	{ -15, "SA..SI", "{thesis.l_enc_total.sa:cycles}..{thesis.l_enc_total.si:cycles}" },
	{ 8, "estimate", "{estimate.cycles:cycles}" },
	{ 5, "GB/s", "{bytes/estimate.seconds:giga}" },
	{ 7, "s", "{memory.seconds:figure}" },
	{ 6, "GB/s", "{bytes/memory.seconds:giga}" },
	{ 7, "s", "{files.seconds:figure}" },
	{ -17, "bottleneck", "[{?memory.seconds}{memory.bottleneck}|-]" },
	{ 0, "tables; groups x items",
	        "[{plan.table}[ x{plan.copies!1}][ {plan.table_space!local}]; {plan.work_groups}x{plan.work_items}"
	        "[x{plan.counters!1}][{?estimate.tried} (tried)| (not {not_compared})]"
	        "|[{plan.devices} devices, ]{plan.threads} threads]" },
};

static const struct column measured_columns[] = {
	{ -12, "", "{cipher}-{bits}" },
	{ -8, "engine", ADVICE_ENGINE },
	{ -9, "over", "{measured.bytes:size}" },
	{ 9, "start s", "{measured.start_s:figure}" },
	{ 9, "spread", "{measured.whole_s.1/measured.whole_s.0:error}" },
	{ 8, "measured", "{measured.whole_s.0:figure}" },
	{ 9, "predicted", "{memory.seconds:figure}" },
	{ 8, "error", "{memory.seconds/measured.whole_s.0:error}" },
	{ 8, "measured", "{measured.kernel_bytes/measured.kernel_s:giga}" },
	{ 8, "estimate", "{measured.kernel_bytes/measured.kernel_estimate_s:giga}" },
	{ 8, "error", "{measured.kernel_estimate_s/measured.kernel_s:error}" },
};

static const struct column verdict_columns[] = {
	{ -12, "fastest", "{cipher}-{bits}" },
	{ 0, "engine",
	        "[equal: {fastest.0.engine}, {fastest.1.engine}[, {fastest.2.engine}][, {fastest.3.engine}]"
	        "|{fastest.0.engine}][, {times_next:figure} times as fast as the next]" },
};

/* Fill the pattern from the first row that has all its members, and print the line. */
static void print_first(FILE *stream, const char *pattern, const json_t *rows)
{
	char text[PATTERN_TEXT];

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (pattern_fill(text, pattern, json_array_get(rows, i), NULL)) {
			fprintf(stream, "%s\n", text);
			break;
		}
}

static void print_rows(FILE *stream, const struct advice *advice, const json_t *json)
{
	const json_t *rows = json_object_get(json, "rows");

	fprintf(stream, "\n%-21s %-30s %14s %7s\n", "predicted", "kernel alone, cycles", "in memory", "files");
	columns_print(stream, predicted_columns, N_OF(predicted_columns), rows, json);
	fprintf(stream,
	        "in memory: from memory to memory%s, start included; bottleneck: the stage that limits it\n"
	        "files: from file to file in this folder, until the output is synced\n",
	        advice->volume ? "" : " with tags");
	print_first(stream,
	        "{?plan.work_groups}kernel alone: the input in one launch; SA..SI: the dissertation's bounds; estimate: the "
	        "overlap model\ntables: form, x replicas; work-groups x work-items x blocks per work-item",
	        rows);
	print_first(stream,
	        "{?estimate.tried}(tried): the device's record has no figures of its vectors; kernels were timed instead",
	        rows);
	print_first(stream,
	        "(not {not_compared}): not compared with table {not_compared}, for which the device's record lacks a figure",
	        rows);
}

/* The fastest of runs over less than the whole size says what the whole would have taken. */
static void print_measured(FILE *stream, const json_t *json)
{
	char size[PATTERN_TEXT];

	pattern_fill(size, "s for {bytes:size}", json, NULL);
	fprintf(stream, "\n%-21s %-31s%-28s kernel alone, GB/s\n", "measured", "memory to memory", size);
	columns_print(stream, measured_columns, N_OF(measured_columns), json_object_get(json, "rows"), json);
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
		add_text(text, "no prediction, because the records lack figures.");
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

/* The whole. */

#define CPU "CPU: {cpu_threads} threads, its record [{?cpu_measured}measured here[, libcrypto {libcrypto}]|a default]"

static const char *const device_lines[] = {
	"device {number}: {name}, {clock_hz:giga} GHz, its record [{?measured}measured here|a default]", NULL
};

static void print_machine(FILE *stream, const struct advice *advice, const json_t *json)
{
	const json_t *notes = json_object_get(json, "notes");
	bool fails = advice->machine->failure[0] != '\0';

	pattern_print(stream,
	        advice->volume ? "{bytes:size}, {mode}, LUKS2 volume without tags; " CPU
	                       : "{bytes:size}, {mode}, with tags; " CPU,
	        json, NULL);
	patterns_print(stream, device_lines, json_object_get(json, "devices"));
	for (size_t i = 0; i < json_array_size(notes); i++)
		pattern_print(stream, i == 0 && fails ? "note: no OpenCL device: {}" : "note: {}",
		        json_array_get(notes, i), NULL);
}

void advise_print(FILE *stream, const struct advice *advice, const json_t *json)
{
	char text[512];

	advise_print_files(stream, advice);
	print_machine(stream, advice, json);
	print_rows(stream, advice, json);
	if (advice->measured)
		print_measured(stream, json);
	fputc('\n', stream);
	columns_print(stream, verdict_columns, N_OF(verdict_columns), json_object_get(json, "verdicts"), NULL);
	advise_sentence(text, advice);
	fputc('\n', stream);
	advise_print_wrapped(stream, text);
}
