/* The advice in words: what enc does with files in this folder, two tables within 120 columns, a line for each cipher,
 * one sentence. */
#include <string.h>

#include "cli/advise/advise.h"
#include "command/json.h"

const char *advise_engine(char text[24], const struct advice_row *row)
{
	if (row->choice.device)
		snprintf(text, 24, "device %u", row->choice.plan.device - 1);
	else
		snprintf(text, 24, "%s", row->choice.plan.n_parts > 0 ? engine_all.name : "CPU");
	return text;
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
	{ -17, "bottleneck", "[{?files.seconds}{files.bottleneck}|-]" },
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

void advise_print_rows(FILE *stream, const struct advice *advice, const json_t *json)
{
	const json_t *rows = json_object_get(json, "rows");

	fprintf(stream, "\n%-21s %-30s %14s %7s\n", "predicted", "kernel alone, cycles", "in memory", "files");
	columns_print(stream, predicted_columns, N_OF(predicted_columns), rows, json);
	fprintf(stream,
	        "in memory: from memory to memory%s, start included\n"
	        "files: from file to file in this folder, until the output is synced; bottleneck: the stage that limits it\n",
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

/* The advice as a sentence. */

#define ROW(at) "{" at ".cipher} on {" at ".engine}[ ({" at ".name})]"
#define FIRST   ROW("equal.0")
#define SECOND  ROW("equal.1")
#define THIRD   ROW("equal.2")

static const char *const sentence =
        "In memory, {bytes:size} with {bits}-bit keys in {mode}: "
        "[[" FIRST ", " SECOND ", " THIRD " and " ROW(
                "equal.3") " are equal|" FIRST ", " SECOND " and " THIRD " are equal|" FIRST " and " SECOND
                           " are equal|" FIRST "]"
                           ", {seconds:figure} s and {bytes/seconds:giga} GB/s {how}[, {factor:factor} " ROW(
                                   "next") "]."
                                           "[ The CPU is faster than {device.engine} ({device.seconds:figure} s) because of the instruction form {form}: "
                                           "without such forms, the CPU would take at least {without_s:figure} s.]"
                                           "|no prediction, because the records lack figures.]";

static json_t *words_json(const struct advice_row *row)
{
	const struct machine_device *device = row->choice.device;
	char engine[24];

	advise_engine(engine, row);
	return json_pack("{s:s, s:s, s:o, s:f}", "cipher", row->choice.suite.cipher->name, "engine",
	        row->choice.plan.n_parts > 0 ? "all engines together"
	        : device                     ? engine
	                                     : "the CPU",
	        "name", json_text_or_null(device ? device->device.name : NULL), "seconds", row->seconds.least);
}

/* If the CPU is the fastest only because of its instruction form, add the members for that part of the sentence. */
static void set_form(json_t *words, const struct advice *advice, const struct advice_row *best)
{
	const struct suite *suite = &best->choice.suite;
	const struct instruction_form *form = cpu_form(suite, &best->choice.plan);
	const struct advice_row *device = advise_fastest_device(advice, suite);
	double without = cpu_bytes_per_s_without_forms(advice->machine, suite);

	if (best->choice.plan.engine != GPUCRYPT_CPU || !form || !device || without <= 0 ||
	        (double)advice->n_bytes / without <= device->seconds.least)
		return;
	json_set(words, "form", json_string(form->name));
	json_set(words, "device", words_json(device));
	json_set(words, "without_s", json_real((double)advice->n_bytes / without));
}

void advise_sentence(char text[PATTERN_TEXT], const struct advice *advice)
{
	json_t *equal = json_array(),
	       *words = json_pack("{s:o, s:i, s:s, s:s, s:o}", "bytes", json_count(advice->n_bytes), "bits",
	               (int)advice->bits, "mode", advice->mode->name, "how",
	               advice->measured ? "measured" : "predicted", "equal", equal);
	struct verdict v;

	advise_verdict(&v, advice, NULL, advice->bits);
	for (unsigned i = 0; i < v.n_equal; i++)
		json_array_append_new(equal, words_json(v.equal[i]));
	if (v.n_equal > 0) {
		json_set(words, "seconds", json_real(v.equal[0]->seconds.least));
		set_form(words, advice, v.equal[0]);
	}
	if (v.next) {
		json_set(words, "factor", json_real(v.factor));
		json_set(words, "next", words_json(v.next));
	}
	pattern_fill(text, sentence, words, NULL);
	json_decref(words);
}

/* The whole. */

#define COLUMNS 120

/* Print words in lines of at most COLUMNS; strtok() overwrites the text. */
static void print_wrapped(FILE *stream, char *text)
{
	size_t column = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		size_t n = strlen(word);
		bool breaks = column + 1 + n > COLUMNS;

		fprintf(stream, "%s%s", column == 0 ? "" : breaks ? "\n" : " ", word);
		column = (breaks ? 0 : column + (column > 0)) + n;
	}
	fputc('\n', stream);
}

/* enc: null if there is no prediction. */
static void print_files(FILE *stream, const json_t *enc, const json_t *json)
{
	char why[sizeof((struct choice *)0)->why + 8];

	if (!json_is_object(enc))
		return;
	pattern_print(stream,
	        "[enc --update of {changed_percent} % changed groups|enc], from file to file in this folder: "
	        "{bytes:size} in {seconds:figure} s ({bytes/seconds:giga} GB/s) predicted, bottleneck: {bottleneck}[\n"
	        "note: files here cannot share storage: unchanged groups are copied, except with --in-place{?copies}]\n"
	        "enc chooses: {cipher}-{bits}-{mode} on {engine}, without compression (--zstd is not in these figures)",
	        enc, json);
	snprintf(why, sizeof why, "why: %s", json_string_value(json_object_get(enc, "why")));
	print_wrapped(stream, why);
	fputc('\n', stream);
}

#define CPU "CPU: {cpu_threads} threads, its record [{?cpu_measured}measured here[, libcrypto {libcrypto}]|a default]"

static const char *const device_lines[] = { "device {number}: {name}, {clock_hz:giga} GHz, its record "
	                                    "[{?derived}derived, never measured|[{?measured}measured here|a default]]",
	NULL };

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

static void print_volume(FILE *stream, const struct advice *advice, const json_t *json)
{
	const struct suite *suite = &advice->enc.suite;

	fputs("dm-crypt uses no device: ", stream);
	if (json_is_object(json))
		fprintf(stream, "with %s-%u-xts ", suite->cipher->name, 8 * suite->key_bytes);
	pattern_print(stream,
	        "[this kernel writes {encrypt_gb_s:figure} GB/s and reads {decrypt_gb_s:figure} GB/s on one CPU|this kernel "
	        "cannot be asked how fast it is; `cryptsetup benchmark` measures it]",
	        json, NULL);
}

static const struct column nodes_columns[] = {
	{ 7, "nodes", "{nodes}" },
	{ 9, "s", "{seconds:figure}" },
	{ 9, "GB/s", "{bytes/seconds:giga}" },
	{ 0, " bound by", " {bound}" },
};

/* nodes: NULL without --nodes. */
static void print_nodes(FILE *stream, const json_t *nodes, const json_t *json)
{
	if (!nodes)
		return;
	pattern_print(stream,
	        "\n{bytes:size} on nodes like this one, each with its part (enc --part), predicted:\n"
	        "a node: {node_bytes_per_s:giga} GB/s from file to file after a start of [{start_s:figure}|-] s; storage of "
	        "all nodes: [{storage_bytes_per_s:giga} GB/s|not known (see --storage)]",
	        nodes, json);
	columns_print(stream, nodes_columns, N_OF(nodes_columns), json_object_get(nodes, "rows"), json);
	pattern_print(stream, "{?storage_bytes_per_s}from [{enough!1} nodes|1 node] on, another one does not help",
	        nodes, NULL);
}

void advise_print(FILE *stream, const struct advice *advice, const json_t *json)
{
	char text[PATTERN_TEXT];

	print_files(stream, json_object_get(json, "enc"), json);
	print_machine(stream, advice, json);
	if (advice->measured)
		print_measured(stream, json);
	fputc('\n', stream);
	columns_print(stream, verdict_columns, N_OF(verdict_columns), json_object_get(json, "verdicts"), NULL);
	advise_sentence(text, advice);
	fputc('\n', stream);
	print_wrapped(stream, text);
	if (advice->volume)
		print_volume(stream, advice, json_object_get(json, "dm_crypt"));
	print_nodes(stream, json_object_get(json, "nodes"), json);
}

/* The equations of each row with their numbers, so that a reader can check the results by hand. */

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
