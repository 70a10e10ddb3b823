/* ppf run: a cipher's C source on a device, compared with the same function on the host, and timed beside its
 * prediction. */
#include <stdio.h>
#include <stdlib.h>

#include "command/hex.h"
#include "command/json.h"
#include "command/message.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"
#include "ppf/isolate.h"
#include "ppf/model/overlap.h"
#include "ppf/program/options.h"
#include "ppf/run/device_run.h"

#define SIZE_GPU ((uint64_t)256 << 20)
#define SIZE_CPU ((uint64_t)4 << 20) /* a CPU takes a hundred times as long */

/* All that one run needs; large, so that it is on the heap. */
struct job {
	const struct options *options;
	struct memory_list memory;
	struct profile profile;
	struct launch launch; /* block and tables */
	struct translation translation;
	struct host_results results;
	struct session session;
	struct device_run run;
	const struct device_record *record;
};

/* A shape with its measured and predicted times. */
struct row {
	struct kernel_config shape;
	double seconds, sa, si; /* seconds */
	double estimate;        /* 0: the record has no figures for one */
	enum bottleneck bound;
};

static void predict_row(struct row *row, const struct job *job)
{
	const struct device_record *record = job->record;
	struct launch launch = job->launch;
	struct thesis_prediction thesis;
	struct overlap_prediction overlap;

	launch.kernel = row->shape;
	predict_thesis(&thesis, record, &job->profile, &launch);
	row->sa = thesis.total_sa / record->clock_hz;
	row->si = thesis.total_si / record->clock_hz;
	row->estimate = 0;
	if (predict_overlap(&overlap, record, &job->profile, &launch)) {
		row->estimate = overlap.total_cycles / record->clock_hz;
		row->bound = overlap.bound;
	}
}

static double rate(const struct job *job, double seconds)
{
	return seconds > 0 ? 1e-9 * (double)job->launch.n_bytes / seconds : 0;
}

static double error_percent(const struct row *row)
{
	return row->estimate > 0 ? 100 * (row->estimate / row->seconds - 1) : 0;
}

/* Count the function's operations, and compute the results on the host. */
static int prepare(struct job *job)
{
	const struct hex_bytes *block = &job->options->run.block, *key = &job->options->run.key;
	const struct host_input given = { key->bytes, block->bytes, key->length };
	const struct options *options = job->options;
	struct preprocessor_options preprocessor;
	struct translation_request request = { .analysis = analysis_of_options(options, &preprocessor),
		.memory = &job->memory };
	int status = profile_of_source(&job->profile, &job->launch, &job->memory, options);

	request.analysis.prepare = options->run.prepare;
	request.block_bytes = job->launch.block_bytes;
	if (status == GPUCRYPT_OK && block->length > 0 && block->length != request.block_bytes)
		status = fail(GPUCRYPT_USAGE, "--print-block: %zu bytes: a block of %s has %u", block->length,
		        job->profile.name, request.block_bytes);
	return status
	               ?: translate(&job->translation, &request)
	               ?: host_run(&job->results, &job->translation, request.block_bytes,
	                          block->length > 0 ? &given : NULL, job->profile.name);
}

/* Print one block and its result, with which the user checks that the counted function is the cipher. */
static int print_block(const struct job *job)
{
	const struct hex_bytes *block = &job->options->run.block;
	char input[2 * MAX_RAW_KEY_BYTES + 1], output[2 * MAX_RAW_KEY_BYTES + 1];

	hex_encode(input, block->bytes, block->length);
	hex_encode(output, job->results.ciphertext, block->length);
	if (job->options->json)
		return json_print(json_pack(
		        "{s:s, s:s, s:s}", "counts", job->profile.name, "input_block", input, "output_block", output));
	print_counts(&job->profile);
	printf("input block:  %s\noutput block: %s\n", input, output);
	return GPUCRYPT_OK;
}

/* Device and buffers. */
static int open_device(struct job *job)
{
	int status = session_open(&job->session, job->options->device) ?: session_record(&job->session, &job->record);

	if (status != GPUCRYPT_OK)
		return status;
	job->launch.n_bytes = job->options->predict.size ? job->options->predict.size
	                      : job->session.device->cpu ? SIZE_CPU
	                                                 : SIZE_GPU;
	job->launch.n_bytes -= job->launch.n_bytes % job->launch.block_bytes;
	return check_launch(job->record, &job->launch)
	               ?: device_run_open(&job->run, &job->session, &job->translation, &job->results,
	                          job->launch.block_bytes, job->launch.n_bytes, job->profile.name);
}

static int measure_row(struct row *row, struct job *job)
{
	int status = device_run_time(&job->run, &row->shape, &row->seconds);

	if (status == GPUCRYPT_OK)
		predict_row(row, job);
	return status;
}

/* Text. */

static void print_head(const struct job *job)
{
	printf("device: %s\n", job->session.device->name);
	print_counts(&job->profile);
	printf("blocks: %llu of %u bytes, each compared with the host's\n", (unsigned long long)job->run.n_blocks,
	        job->launch.block_bytes);
	printf("%-8s %-8s %11s %10s %10s %10s %8s %10s %10s  %s\n", "tables", "keys", "work-groups", "work-items",
	        "GB/s", "estimate", "error", "SA", "SI", "bound by");
}

static void print_row(const struct job *job, const struct row *row)
{
	printf("%-8s %-8s %11u %10u %10.2f", value_name(&table_space_names, row->shape.table_space),
	        value_name(&key_space_names, row->shape.key_space), row->shape.work_groups, row->shape.work_items,
	        rate(job, row->seconds));
	if (row->estimate > 0)
		printf(" %10.2f %+7.1f%%", rate(job, row->estimate), error_percent(row));
	else
		printf(" %10s %8s", "-", "-");
	printf(" %10.2f %10.2f  %s\n", rate(job, row->sa), rate(job, row->si),
	        row->estimate > 0 ? bound_names[row->bound] : "-");
	fflush(stdout);
}

/* JSON. */

static json_t *row_json(const struct job *job, const struct row *row)
{
	json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "tables",
	        value_name(&table_space_names, row->shape.table_space), "keys",
	        value_name(&key_space_names, row->shape.key_space), "work_groups", (int)row->shape.work_groups,
	        "work_items", (int)row->shape.work_items, "seconds", row->seconds, "gb_per_s", rate(job, row->seconds),
	        "sa_seconds", row->sa, "si_seconds", row->si, "sa_gb_per_s", rate(job, row->sa), "si_gb_per_s",
	        rate(job, row->si));

	if (object && row->estimate > 0) {
		json_set(object, "estimate_seconds", json_real(row->estimate));
		json_set(object, "estimate_gb_per_s", json_real(rate(job, row->estimate)));
		json_set(object, "error_percent", json_real(error_percent(row)));
		json_set(object, "bound", json_string(bound_names[row->bound]));
	}
	return object;
}

static int print_json(const struct job *job, const struct row *rows, unsigned n)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:i, s:o, s:o}", "device", job->session.device->name, "counts",
	        job->profile.name, "counts_note", job->profile.note, "bytes", json_count(job->launch.n_bytes),
	        "block_bytes", (int)job->launch.block_bytes, "blocks_compared", json_count(job->run.n_blocks), "rows",
	        json_array());
	json_t *list = object ? json_object_get(object, "rows") : NULL;

	for (unsigned i = 0; i < n && list; i++)
		if (json_array_append_new(list, row_json(job, &rows[i])) != 0)
			list = NULL;
	if (list)
		return json_print(object);
	json_decref(object);
	return fail(GPUCRYPT_OTHER, "no JSON: a name is not UTF-8, or out of memory");
}

/* The sweep. */

#define MAX_ROWS 256

/* Placements × work-items × work-groups, as far as options leave them open.  Launches that the device
 * rejects are left out. */
static unsigned list_shapes(struct row *rows, const struct job *job)
{
	static const enum memory_space spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL };
	static const unsigned items[] = { 64, 128, 256, 512, 1024 }, groups[] = { 1, 2, 4, 8, 16 };
	const struct kernel_config first = shape_of_options(job->options, job->session.device->compute_units);
	const struct options *options = job->options;
	unsigned n = 0, units = job->session.device->compute_units;

	for (unsigned i = 0; i < 3 * 2 * 25; i++) {
		struct kernel_config shape = { .replicas = 1,
			.work_groups = units * groups[i % 5],
			.work_items = items[i / 5 % 5],
			.table_space = spaces[i / 50],
			.key_space = spaces[i / 25 % 2] };

		if ((options->predict.work_groups && i % 5 > 0) || (options->predict.work_items && i / 5 % 5 > 0) ||
		        (options->predict.key_space && i / 25 % 2 > 0) ||
		        ((options->run.table_space || job->translation.n_bytes[OBJECT_TABLE] == 0) && i / 50 > 0))
			continue;
		shape.work_groups = options->predict.work_groups ? first.work_groups : shape.work_groups;
		shape.work_items = options->predict.work_items ? first.work_items : shape.work_items;
		shape.key_space = options->predict.key_space ? first.key_space : shape.key_space;
		shape.table_space = options->run.table_space ? first.table_space : shape.table_space;
		if (shape.work_items <= job->session.device->max_work_items)
			rows[n++].shape = shape;
	}
	return n;
}

static int run_sweep(struct job *job, struct row *rows, unsigned *n)
{
	unsigned listed = list_shapes(rows, job), best = 0;

	*n = 0;
	for (unsigned i = 0; i < listed; i++) {
		struct row row = rows[i];
		int status = measure_row(&row, job);

		if (status == GPUCRYPT_CORRUPT)
			return status;
		fail_clear();
		if (status != GPUCRYPT_OK)
			continue;
		rows[*n] = row;
		best = *n == 0 || row.seconds < rows[best].seconds ? *n : best;
		++*n;
		if (!job->options->json)
			print_row(job, &row);
	}
	if (*n == 0)
		return fail(GPUCRYPT_DEVICE, "%s: no shape of the kernel runs on the device %s", job->profile.name,
		        job->session.device->name);
	if (!job->options->json)
		printf("fastest:\n");
	rows[*n] = rows[best];
	++*n;
	return GPUCRYPT_OK;
}

static int run_rows(struct job *job)
{
	static struct row rows[MAX_ROWS];
	const struct options *options = job->options;
	unsigned n = 1;
	int status;

	if (!options->json)
		print_head(job);
	if (options->run.sweep) {
		status = run_sweep(job, rows, &n);
	} else {
		rows[0].shape = shape_of_options(job->options, job->session.device->compute_units);
		status = measure_row(&rows[0], job);
	}
	if (status != GPUCRYPT_OK)
		return status;
	if (options->json)
		return print_json(job, rows, n);
	print_row(job, &rows[n - 1]);
	return GPUCRYPT_OK;
}

/* Runs in a child process, whose end closes the device. */
static void run_on_device(void *result, const void *request)
{
	struct job *job = *(struct job *const *)request;
	int status = open_device(job) ?: run_rows(job);

	(void)result;
	if (fflush(stdout) != 0)
		status = fail_errno("standard output", "cannot write");
	if (status != GPUCRYPT_OK)
		isolate_end(status);
	message_left_out();
}

int cmd_run(const struct options *options)
{
	struct job *job = calloc(1, sizeof *job);
	int status;

	if (!job)
		return fail(GPUCRYPT_OTHER, "out of memory");
	job->options = options;
	status =
	        options->predict.key_space == MEMORY_ARGUMENT
	                ? fail(GPUCRYPT_USAGE, "--key-space: argument: not for a source (choose from: local, constant)")
	                : prepare(job);
	if (status == GPUCRYPT_OK)
		status = options->run.block.length > 0
		                 ? print_block(job)
		                 : isolate(&(struct isolation){ .name = job->profile.name,
		                           .crashed = "the driver crashes as it runs the function on the device",
		                           .late = "the device's compiler takes more than 120 s for this function",
		                           .status = GPUCRYPT_DEVICE,
		                           .work = run_on_device,
		                           .request = &job,
		                           .result = &job });
	host_results_free(&job->results);
	free(job);
	return status;
}
