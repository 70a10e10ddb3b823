/* Reads the JSON text of bench_json().  A missing member or a member of another type is an error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"
#include "cli/terminal/json.h"
#include "cli/terminal/message.h"

/* After the first wrong member, the reader ignores all other members. */
struct reader {
	json_t *object;
	char wrong[80];
};

static json_t *find_member(struct reader *reader, const char *name, bool good_type(const json_t *))
{
	json_t *value = json_object_get(reader->object, name);

	if ((!value || !good_type(value)) && !reader->wrong[0])
		snprintf(reader->wrong, sizeof reader->wrong, "\"%.60s\"", name);
	return value;
}

static bool is_figure(const json_t *value)
{
	return json_is_null(value) || json_number_value(value) > 0;
}

static bool is_text(const json_t *value)
{
	return json_is_null(value) || json_is_string(value);
}

static bool is_bool(const json_t *value)
{
	return json_is_boolean(value);
}

static bool is_number(const json_t *value)
{
	return json_is_null(value) ||
	       (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= INT32_MAX);
}

static bool is_count(const json_t *value)
{
	return (json_is_integer(value) && json_integer_value(value) >= 0) || json_is_string(value);
}

static bool is_array(const json_t *value)
{
	return json_is_array(value);
}

static double read_figure(struct reader *reader, const char *name)
{
	return json_number_value(find_member(reader, name, is_figure));
}

/* NULL: null.  The text belongs to the JSON, and is cleaned there before it is printed or drawn. */
static const char *read_text(struct reader *reader, const char *name)
{
	json_t *value = find_member(reader, name, is_text);
	char *text = json_is_string(value) ? strdup(json_string_value(value)) : NULL;

	if (text) {
		message_clean(text, true);
		if (strcmp(text, json_string_value(value)) != 0)
			json_string_set(value, text);
	}
	free(text);
	return json_string_value(value);
}

static const char *read_name(struct reader *reader, const char *name)
{
	const char *text = read_text(reader, name);

	return text ? text : "";
}

static unsigned read_value(struct reader *reader, const char *name, const struct value_names *names)
{
	unsigned value;

	if (value_parse(&value, names, read_name(reader, name)) != GPUCRYPT_OK && !reader->wrong[0])
		snprintf(reader->wrong, sizeof reader->wrong, "%.70s", gpucrypt_error());
	return value;
}

static unsigned read_number(struct reader *reader, const char *name)
{
	return (unsigned)json_integer_value(find_member(reader, name, is_number));
}

static bool read_bool(struct reader *reader, const char *name)
{
	return json_is_true(find_member(reader, name, is_bool));
}

/* json_count()'s. */
static uint64_t read_count(struct reader *reader, const char *name)
{
	json_t *value = find_member(reader, name, is_count);

	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10)
	                             : (uint64_t)json_integer_value(value);
}

static void read_seconds(struct reader *reader, double *seconds, size_t n)
{
	json_t *array = find_member(reader, "seconds", is_array);

	for (size_t i = 0; i < n; i++)
		seconds[i] = json_number_value(json_array_get(array, i));
}

static unsigned read_device(struct reader *reader)
{
	return json_is_null(json_object_get(reader->object, "device")) ? 0 : 1 + read_number(reader, "device");
}

/* Rows. */

static void read_suite(struct reader *reader, struct suite *suite, struct gpucrypt_plan *plan)
{
	*plan = (struct gpucrypt_plan){ .cipher = read_value(reader, "cipher", &cipher_names),
		.key_bits = read_number(reader, "bits"),
		.mode = read_value(reader, "mode", &mode_names) };
	if (suite_of_plan(suite, plan, strcmp(read_name(reader, "direction"), "dec") ? ENCRYPT : DECRYPT) !=
	                GPUCRYPT_OK &&
	        !reader->wrong[0])
		snprintf(reader->wrong, sizeof reader->wrong, "%.70s", gpucrypt_error());
}

static void read_kernel(struct reader *reader, struct bench *bench)
{
	struct bench_kernel *kernel = &bench->kernels[bench->n_kernels++];
	struct gpucrypt_plan *plan = &kernel->plan;
	struct kernel_config *config = &plan->kernel;

	read_suite(reader, &kernel->suite, plan);
	plan->device = read_device(reader);
	if ((plan->device == 0 || plan->device > bench->n_devices) && !reader->wrong[0])
		snprintf(reader->wrong, sizeof reader->wrong, "no device %u", plan->device - 1);
	kernel->chosen = read_bool(reader, "chosen");
	kernel->policy = read_bool(reader, "policy");
	config->table = read_value(reader, "table", &table_names);
	config->table_space = read_value(reader, "table_space", &table_space_names);
	config->replicas = read_number(reader, "copies");
	config->blocks_per_item = read_number(reader, "counters");
	config->key_space = read_value(reader, "key_space", &key_space_names);
	config->portable = read_bool(reader, "portable");
	config->work_items = read_number(reader, "work_items");
	config->work_groups = read_number(reader, "work_groups");
	kernel->n_bytes = read_count(reader, "bytes");
	read_seconds(reader, kernel->seconds, BENCH_RUNS);
	kernel->compared_bytes = read_count(reader, "compared_bytes");
	kernel->bound = read_text(reader, "bound");
	kernel->bound_bytes_per_s = read_figure(reader, "bound_bytes_per_s");
	kernel->estimate_s = read_figure(reader, "estimate_s");
	snprintf(kernel->failure, sizeof kernel->failure, "%s", read_name(reader, "failure"));
}

/* Figures that files of earlier releases lack. */
static double read_new_figure(struct reader *reader, const char *name)
{
	return json_object_get(reader->object, name) ? read_figure(reader, name) : 0;
}

static void read_cpu(struct reader *reader, struct bench *bench)
{
	struct bench_cpu *cpu = &bench->cpu[bench->n_cpu++];
	struct gpucrypt_plan plan;
	char name[32];

	read_suite(reader, &cpu->suite, &plan);
	for (int way = 0; way < CPU_VECTORS_512; way++)
		cpu->bytes_per_s[way] = read_figure(reader, cpu_way_names[way]);
	for (int way = CPU_VECTORS_512; way <= CPU_VECTORS_128; way++) {
		cpu->bytes_per_s[way] = read_new_figure(reader, cpu_way_names[way]);
		cpu->bound_bytes_per_s[way] = read_new_figure(reader, cpu_bound_name(name, way));
	}
}

static void read_pipeline(struct reader *reader, struct bench_pipeline *row)
{
	read_suite(reader, &row->suite, &row->plan);
	row->plan.device = read_device(reader);
	if (json_object_get(reader->object, "together")) /* not in older ones */
		row->plan.n_parts = read_number(reader, "together");
	row->n_bytes = read_count(reader, "bytes");
	row->start_s = read_figure(reader, "start_s");
	read_seconds(reader, row->seconds, BENCH_PIPELINE_RUNS);
	row->predicted_s = read_figure(reader, "predicted_s");
	row->bottleneck = read_text(reader, "bottleneck");
	if (json_object_get(reader->object, "busiest")) { /* not in older ones */
		row->busiest = read_text(reader, "busiest");
		row->busy = read_figure(reader, "busy");
	}
	snprintf(row->failure, sizeof row->failure, "%s", read_name(reader, "failure"));
}

static void read_memory(struct reader *reader, struct bench *bench)
{
	struct bench_pipeline *row = &bench->memory[bench->n_memory++];

	read_pipeline(reader, row);
	row->plan.threads = read_number(reader, "threads");
}

static enum file_verb read_verb(struct reader *reader)
{
	const char *name = read_name(reader, "verb");

	for (enum file_verb verb = 0; verb < N_FILE_VERBS; verb++)
		if (!strcmp(file_verbs[verb], name))
			return verb;
	if (!reader->wrong[0])
		snprintf(reader->wrong, sizeof reader->wrong, "verb %.60s", name);
	return FILE_COPY;
}

static void read_file(struct reader *reader, struct bench *bench)
{
	struct bench_file *row = &bench->files[bench->n_files++];

	read_pipeline(reader, &row->pipeline);
	row->verb = read_verb(reader);
	row->to_file = read_bool(reader, "to_file");
	row->cpu_s = read_figure(reader, "cpu_s");
	row->resident_bytes = read_count(reader, "resident_bytes");
}

static void read_device_row(struct reader *reader, struct bench *bench)
{
	if (bench->n_devices < MAX_DEVICES)
		bench->devices[bench->n_devices++] = (struct bench_device){ read_name(reader, "name"),
			read_name(reader, "driver"), read_bool(reader, "record_measured"),
			read_number(reader, "compute_units"), read_figure(reader, "clock_hz") };
}

static void read_rows(
        struct reader *reader, struct bench *bench, const char *name, void (*read_row)(struct reader *, struct bench *))
{
	json_t *array = find_member(reader, name, is_array);

	for (size_t i = 0; i < json_array_size(array) && !reader->wrong[0]; i++) {
		struct reader row = { .object = json_array_get(array, i) };

		read_row(&row, bench);
		memcpy(reader->wrong, row.wrong, sizeof row.wrong);
	}
}

/* The whole object. */

static void *allocate_rows(json_t *json, const char *name, size_t row_bytes)
{
	return calloc(json_array_size(json_object_get(json, name)) + 1, row_bytes);
}

static void read_all(struct reader *reader, struct bench *bench)
{
	bench->cpu_threads = read_number(reader, "cpu_threads");
	bench->core_clock_hz = read_new_figure(reader, "core_clock_hz");
	bench->libcrypto = read_text(reader, "libcrypto");
	bench->libgcrypt = read_text(reader, "libgcrypt");
	snprintf(bench->note, sizeof bench->note, "%s", read_name(reader, "note"));
	read_rows(reader, bench, "devices", read_device_row);
	read_rows(reader, bench, "kernels", read_kernel);
	read_rows(reader, bench, "cpu", read_cpu);
	read_rows(reader, bench, "memory", read_memory);
	if (!json_object_get(reader->object, "files")) /* not in older ones */
		return;
	bench->folder = read_text(reader, "folder");
	read_rows(reader, bench, "files", read_file);
}

int bench_read(struct bench *bench, const char *path)
{
	FILE *stream = fopen(path, "re");
	struct reader reader = { 0 };
	json_error_t error;

	*bench = (struct bench){ 0 };
	if (!stream)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	bench->json = reader.object = json_loadf(stream, 0, &error);
	fclose(stream);
	if (!bench->json)
		return fail(GPUCRYPT_CORRUPT, "%s: not JSON: line %d: %s", path, error.line, error.text);
	bench->kernels = allocate_rows(bench->json, "kernels", sizeof *bench->kernels);
	bench->cpu = allocate_rows(bench->json, "cpu", sizeof *bench->cpu);
	bench->memory = allocate_rows(bench->json, "memory", sizeof *bench->memory);
	bench->files = allocate_rows(bench->json, "files", sizeof *bench->files);
	if (!bench->kernels || !bench->cpu || !bench->memory || !bench->files)
		return fail(GPUCRYPT_OTHER, "out of memory");
	read_all(&reader, bench);
	fail_clear();
	return reader.wrong[0] ? fail(GPUCRYPT_CORRUPT, "%s: not from gcrypt bench --json: %s", path, reader.wrong)
	                       : GPUCRYPT_OK;
}
