/* ppf run: a cipher's C source on a device, compared with the same function on the host, and timed beside its
 * prediction. */
#include <stdio.h>
#include <stdlib.h>

#include "command/text.h"
#include "command/json.h"
#include "command/message.h"
#include "gpucrypt/status.h"
#include "ppf/isolate.h"
#include "ppf/model/overlap.h"
#include "ppf/program/options.h"
#include "ppf/run/device_run.h"

#define CPU_BYTES ((uint64_t)4 << 20) /* fewer than DEFAULT_BYTES: a CPU takes a hundred times as long as a GPU */
#define MAX_ROWS  150                 /* of a sweep */

/* One launch for each row. */
struct measurements {
	unsigned n, best; /* best: the fastest row */
	struct prediction rows[MAX_ROWS];
};

/* All that one run needs; large, so that it is on the heap. */
struct job {
	const struct options *options;
	bool prints; /* the rows as they are measured */
	struct memory_list memory;
	struct prediction next; /* counts, record, block, tables, and the launch to measure */
	struct translation translation;
	struct host_results results;
	struct session session;
	struct device_run run;
	struct measurements measured; /* written by the child process that uses the device */
};

/* Count the function's operations, and compute the results on the host. */
static int prepare(struct job *job)
{
	const struct options *options = job->options;
	const struct hex_bytes *block = &options->run.block, *key = &options->run.key;
	const struct host_input given = { key->bytes, block->bytes, key->length };
	struct preprocessor_options preprocessor;
	struct translation_request request = { .analysis = analysis_of_options(options, &preprocessor),
		.memory = &job->memory };
	const char *name = job->next.profile.name;
	int status = profile_of_source(&job->next.profile, &job->next.launch, &job->memory, options);

	request.analysis.prepare = options->run.prepare;
	request.block_bytes = job->next.launch.block_bytes;
	status = status ?: translate(&job->translation, &request);
	if (status == GPUCRYPT_OK && block->length > 0 && block->length != job->translation.block_bytes[0])
		status = fail(GPUCRYPT_USAGE, "--print-block: %zu bytes: a block of %s has %u", block->length, name,
		        job->translation.block_bytes[0]);
	return status ?: host_run(&job->results, &job->translation, block->length > 0 ? &given : NULL, name);
}

/* Print one block and its result, with which the user checks that the counted function is the cipher. */
static int print_block(const struct job *job)
{
	const struct hex_bytes *block = &job->options->run.block;
	const uint32_t n_bytes = job->translation.block_bytes[1];
	char input[2 * MAX_RAW_KEY_BYTES + 1], *output = malloc(2 * n_bytes + 1);
	int status = GPUCRYPT_OK;

	if (!output)
		return fail(GPUCRYPT_OTHER, "out of memory");
	hex_encode(input, block->bytes, block->length);
	hex_encode(output, job->results.ciphertext, n_bytes);
	if (job->options->json) {
		status = json_print(json_pack("{s:s, s:s, s:s}", "counts", job->next.profile.name, "input_block", input,
		        "output_block", output));
	} else {
		print_counts(&job->next.profile);
		printf("input block:  %s\noutput block: %s\n", input, output);
	}
	free(output);
	return status;
}

/* Rows. */

static const struct column columns[] = {
	{ -8, "tables", "{tables}" },
	{ -8, "keys", "{keys}" },
	{ 11, "work-groups", "{work_groups}" },
	{ 10, "work-items", "{work_items}" },
	{ 10, "GB/s", "{measured.gb_per_s:figure}" },
	{ 10, "estimate", "{estimate.gb_per_s:figure}" },
	{ 8, "error", "{measured.gb_per_s/estimate.gb_per_s:error}" },
	{ 10, "SA", "{gb_per_s.sa:figure}" },
	{ 10, "SI", "{gb_per_s.si:figure}" },
	{ 0, " bound by", " [{estimate.bound}|-]" },
};

#define N_COLUMNS (sizeof columns / sizeof *columns)

static void print_row(const struct prediction *row)
{
	json_t *object = prediction_json(row);

	columns_print_row(stdout, columns, N_COLUMNS, object, NULL);
	fflush(stdout);
	json_decref(object);
}

static void print_head(const struct job *job)
{
	printf("device: %s\n", job->next.record.name);
	print_counts(&job->next.profile);
	printf("blocks: %llu of %u bytes, each compared with the host's\n", (unsigned long long)job->run.n_blocks,
	        job->next.launch.block_bytes);
	columns_print_heading(stdout, columns, N_COLUMNS);
}

/* A sweep prints its fastest row once more as the last one. */
static int print_json(const struct measurements *measured, bool sweep)
{
	const struct prediction *first = measured->rows;
	uint64_t n_bytes = first->launch.n_bytes;
	unsigned block_bytes = first->launch.block_bytes;
	json_t *rows = json_array();

	for (unsigned i = 0; i < measured->n; i++)
		json_array_append_new(rows, prediction_json(&measured->rows[i]));
	if (sweep)
		json_array_append_new(rows, prediction_json(&measured->rows[measured->best]));
	return json_print(json_pack("{s:s, s:o, s:s, s:o, s:i, s:o, s:o}", "device", first->record.name, "counts",
	        json_text(first->profile.name), "counts_note", first->profile.note, "bytes", json_count(n_bytes),
	        "block_bytes", (int)block_bytes, "blocks_compared", json_count(n_bytes / block_bytes), "rows", rows));
}

/* The device. */

static int open_device(struct job *job)
{
	const struct device_record *record;
	struct launch *launch = &job->next.launch;
	int status = session_open(&job->session, job->options->device) ?: session_record(&job->session, &record);

	if (status != GPUCRYPT_OK)
		return status;
	job->next.record = *record;
	snprintf(job->next.record.name, sizeof job->next.record.name, "%s", job->session.device->name);
	launch->n_bytes = job->options->predict.size ? job->options->predict.size
	                  : job->session.device->cpu ? CPU_BYTES
	                                             : DEFAULT_BYTES;
	launch->n_bytes -= launch->n_bytes % launch->block_bytes;
	return check_launch(record, launch)
	               ?: device_run_open(&job->run, &job->session, &job->translation, &job->results, launch->n_bytes,
	                          job->next.profile.name);
}

/* The options' launch, or for a sweep placements × work-items × work-groups, as far as options leave them open.
 * Launches that the device rejects are left out. */
static unsigned list_shapes(struct kernel_config shapes[MAX_ROWS], const struct job *job)
{
	static const enum memory_space spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL };
	static const unsigned items[] = { 64, 128, 256, 512, 1024 }, groups[] = { 1, 2, 4, 8, 16 };
	const struct device *device = job->session.device;
	const struct options *options = job->options;
	const bool sweep = options->run.sweep, has_tables = job->translation.n_bytes[OBJECT_TABLE] > 0;
	const unsigned n_groups = sweep && !options->predict.work_groups ? 5 : 1,
	               n_items = sweep && !options->predict.work_items ? 5 : 1,
	               n_keys = sweep && !options->predict.key_space ? 2 : 1,
	               n_tables = sweep && !options->run.table_space && has_tables ? 3 : 1;
	unsigned n = 0;

	for (unsigned i = 0; i < n_groups * n_items * n_keys * n_tables; i++) {
		struct kernel_config *shape = &shapes[n];

		*shape = shape_of_options(options, device->compute_units);
		if (n_groups > 1)
			shape->work_groups = device->compute_units * groups[i % n_groups];
		if (n_items > 1)
			shape->work_items = items[i / n_groups % n_items];
		if (n_keys > 1)
			shape->key_space = spaces[i / (n_groups * n_items) % n_keys];
		if (n_tables > 1)
			shape->table_space = spaces[i / (n_groups * n_items * n_keys)];
		n += !sweep || shape->work_items <= device->max_work_items;
	}
	return n;
}

static int measure_shapes(struct measurements *measured, struct job *job)
{
	struct kernel_config shapes[MAX_ROWS];
	unsigned listed = list_shapes(shapes, job);
	bool sweep = job->options->run.sweep;

	for (unsigned i = 0; i < listed; i++) {
		struct prediction *row = &measured->rows[measured->n];
		int status;

		*row = job->next;
		row->launch.kernel = shapes[i];
		status = device_run_time(&job->run, &shapes[i], &row->seconds) ?: prediction_compute(row);
		if (status == GPUCRYPT_CORRUPT || (status != GPUCRYPT_OK && !sweep))
			return status;
		fail_clear();
		if (status != GPUCRYPT_OK)
			continue;
		if (row->seconds < measured->rows[measured->best].seconds)
			measured->best = measured->n;
		measured->n++;
		if (job->prints)
			print_row(row);
	}
	return measured->n > 0 ? GPUCRYPT_OK
	                       : fail(GPUCRYPT_DEVICE, "%s: no shape of the kernel runs on the device %s",
	                                 job->next.profile.name, job->next.record.name);
}

/* Runs in a child process, whose end closes the device. */
static void run_on_device(void *result, const void *request)
{
	struct job *job = *(struct job *const *)request;
	int status = open_device(job);

	if (status == GPUCRYPT_OK && job->prints)
		print_head(job);
	if (status == GPUCRYPT_OK)
		status = measure_shapes(result, job);
	if (fflush(stdout) != 0)
		status = fail_errno("standard output", "cannot write");
	if (status != GPUCRYPT_OK)
		isolate_end(status);
	message_left_out();
}

static int isolate_device(struct job *job)
{
	return isolate(&(struct isolation){ .name = job->next.profile.name,
	        .crashed = "the driver crashes as it runs the function on the device",
	        .late = "the device's compiler takes more than 120 s for this function",
	        .status = GPUCRYPT_DEVICE,
	        .work = run_on_device,
	        .request = &job,
	        .result = &job->measured,
	        .n_bytes = sizeof job->measured });
}

/* result: gets the row, and nothing is printed; NULL: print. */
static int run_job(struct prediction *result, struct job *job)
{
	const struct options *options = job->options;
	const struct measurements *measured = &job->measured;
	int status = prepare(job);

	if (status == GPUCRYPT_OK && options->run.block.length > 0)
		return print_block(job);
	status = status ?: isolate_device(job);
	if (status == GPUCRYPT_OK && result)
		*result = measured->rows[0];
	else if (status == GPUCRYPT_OK && options->json)
		return print_json(measured, options->run.sweep);
	else if (status == GPUCRYPT_OK && options->run.sweep) {
		puts("fastest:");
		print_row(&measured->rows[measured->best]);
	}
	return status;
}

int run_options(struct prediction *result, const struct options *options)
{
	struct job *job = calloc(1, sizeof *job);
	int status;

	if (!job)
		return fail(GPUCRYPT_OTHER, "out of memory");
	job->options = options;
	job->prints = !result && !options->json;
	status = run_job(result, job);
	host_results_free(&job->results);
	free(job);
	return status;
}

int cmd_run(const struct options *options)
{
	return run_options(NULL, options);
}
