/* Measurement of a device: its record, and what a process needs to open and to release it. */
#include "ppf/measure/measure.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/isolate.h"
#include "ppf/measure/bench.h"

static int measure_units(struct bench *bench, struct device_record *record)
{
	const struct chain warm = { .kernel = "logic", .operations = 1 };
	const struct device *device = bench->device;
	int status = measure_build_chains(bench) ?: bench_warm(bench, &warm);
	char date[16];

	write_date(date);
	snprintf(record->name, sizeof(record->name), "%s", device->name);
	snprintf(record->vendor, sizeof(record->vendor), "%s", device->vendor);
	snprintf(record->driver, sizeof(record->driver), "%s", device->driver);
	snprintf(record->source, sizeof(record->source), "measured by ppf measure on %s, %.60s, %s clock", date,
	        device->platform_name, bench->device_time ? "device's" : "host's");
	record->is_cpu = device->cpu;
	record->clock_hz = bench->clock_hz;
	record->units_factor = bench->units_factor;
	record->compute_units = device->compute_units;
	record->batch_items = bench->batch_items;
	record->max_batches = bench->max_batches;
	record->banks = device->cpu ? 0 : BANKS;
	record->local_bytes = device->local_bytes;
	return status;
}

/* In this order: the chains of operators, memory, launches and streams are in one program, which look-ups replace by
 * their own.  Look-ups subtract what operators cost, and use replicas only if they fit into local memory. */
static int (*const measurements[])(struct bench *bench, struct device_record *record) = { measure_units,
	measure_arithmetic, measure_memory, measure_launches, measure_stream, measure_lookups, measure_slices,
	measure_transfers, measure_tags };

/* Measure by micro-benchmarks.  The bench is closed before engines open the device. */
static int measure_by_bench(struct device_record *record, const struct device *device, double begin)
{
	struct bench bench;
	int status = bench_open(&bench, device);

	record->context_s = host_seconds() - begin;
	for (size_t i = 0; i < sizeof(measurements) / sizeof(*measurements) && status == GPUCRYPT_OK; i++)
		status = measurements[i](&bench, record);
	record->spread = bench.spread;
	bench_close(&bench);
	return status;
}

/* Bitsliced kernels, on a CPU whose vector operations could not be measured. */

#define TRIAL_BYTES (8u << 20)
#define TRIAL_RUNS  5

static int time_suite(double *bytes_per_s, const struct suite *suite, unsigned number)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL,
		.device = number,
		.cipher = suite->cipher->id,
		.mode = suite->mode->id,
		.key_bits = 8 * suite->key_bytes,
		.kernel.table = TABLE_BITSLICED };
	struct engine *engine = NULL;
	struct kernel_timing timing;
	int status = engine_open(&engine, suite, &plan) ?: kernel_times(engine, TRIAL_BYTES, TRIAL_RUNS, &timing);

	if (status == GPUCRYPT_OK)
		*bytes_per_s = TRIAL_BYTES / robust_seconds(timing.seconds, timing.runs, true);
	engine_close(engine);
	return status;
}

void measure_trials(struct device_record *record, unsigned number)
{
	struct suite suite;

	for (unsigned i = 0; i < MAX_TRIALS && measured_suite(&suite, i); i++)
		if (time_suite(&record->trials[i], &suite, number) != GPUCRYPT_OK)
			fail_clear(); /* the prediction that needs this trial reports that the trial is missing */
}

/* Build times of programs. */

/* Drivers may finish a build only at the first launch, so a block is encrypted. */
static int build_once(const struct suite *suite, const struct gpucrypt_plan *plan, double *seconds)
{
	static const uint8_t key[32];
	uint8_t block[BLOCK_BYTES] = { 0 };
	const struct work work = { .in = block, .out = block, .n_bytes = sizeof block, .key = key };
	struct engine *engine = NULL;
	double begin = host_seconds();
	int status = engine_opencl_bare.open(&engine, suite, plan, NULL) ?: engine_crypt(engine, 0, &work);

	*seconds = host_seconds() - begin;
	engine_close(engine);
	return status;
}

/* Time the build of cipher programs that are not cached, with a context that exists.  number: as in a plan.  The
 * programs are AES-256-CTR with surplus round-key words.  Their number comes from the clock, so that drivers find no
 * such program in their caches. */
static int measure_build(struct device_record *record, unsigned number)
{
	struct gpucrypt_plan plan = { .device = number, .tags = TAGS_ON_HOST };
	struct cipher cipher = cipher_aes;
	const struct suite suite = { &cipher, &modes[MODE_CTR], 32, ENCRYPT };
	int status;

	cipher.round_key_words[2] += 1 + (unsigned)(1e6 * clock_seconds(CLOCK_REALTIME)) % 2000;
	status = build_once(&suite, &plan, &record->build_s);
	plan.kernel = (struct kernel_config){ .table = TABLE_BITSLICED, .key_space = MEMORY_CONSTANT };
	return status ?: build_once(&suite, &plan, &record->build_sliced_s);
}

int measure_device(struct device_record *record, unsigned number, const struct start_seconds *start)
{
	double begin = host_seconds();
	struct inventory inventory;
	const struct device *device;
	int status;

	memset(record, 0, sizeof(*record));
	inventory_take(&inventory);
	device = inventory_choose(&inventory, number);
	if (device == NULL)
		return GPUCRYPT_DEVICE;
	status = measure_by_bench(record, device, begin);
	if (status != GPUCRYPT_OK)
		return status;
	if (record->is_cpu && !device_record_has_slices(record))
		measure_trials(record, number);
	if (measure_engine(record, number) != GPUCRYPT_OK)
		fail_clear(); /* the other figures remain valid */
	status = measure_build(record, number);
	if (start != NULL && start->open_s[device - inventory.devices] > 0) {
		record->context_s = start->open_s[device - inventory.devices];
		record->close_s = device->cpu ? 0 : start->close_s;
	}
	return status;
}

/* The start and the end of a process. */

#define LANE_BYTES ((size_t)8 << 20)

/* Create used queues and memory, which a run leaves for the end of the process to release. */
static void use_device(cl_context context, cl_device_id device)
{
	static const cl_uint zero;

	for (unsigned i = 0; i < OPENCL_LANES; i++) {
		cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
		cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, LANE_BYTES, NULL, NULL);

		if (queue != NULL && memory != NULL &&
		        clEnqueueFillBuffer(queue, memory, &zero, sizeof(zero), 0, LANE_BYTES, 0, NULL, NULL) ==
		                CL_SUCCESS)
			clFinish(queue);
	}
}

struct answer {
	double open_s[MAX_DEVICES];
	double time_s; /* host_seconds() at the end of the work */
};

static void open_devices(void *result, const void *unused)
{
	struct answer *answer = result;
	double begin = host_seconds(), found;
	struct inventory inventory;

	(void)unused;
	inventory_take(&inventory);
	found = host_seconds() - begin;
	for (unsigned i = 0; i < inventory.n_devices; i++) {
		const struct device *device = &inventory.devices[i];
		cl_context context;

		if (device->unusable[0] != '\0')
			continue;
		begin = host_seconds();
		context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
		answer->open_s[i] = context != NULL ? found + host_seconds() - begin : 0;
		if (context != NULL)
			use_device(context, device->id);
	}
	answer->time_s = host_seconds();
}

static void ask_child(struct start_seconds *seconds)
{
	struct answer answer = { .time_s = 0 };
	const struct isolation isolation = { .name = "OpenCL",
		.crashed = "crashed",
		.status = GPUCRYPT_DEVICE,
		.work = open_devices,
		.result = &answer,
		.n_bytes = sizeof answer };

	if (isolate(&isolation) == GPUCRYPT_OK) {
		memcpy(seconds->open_s, answer.open_s, sizeof answer.open_s);
		seconds->close_s = host_seconds() - answer.time_s;
	}
	fail_clear();
}

void start_seconds(struct start_seconds *seconds)
{
	memset(seconds, 0, sizeof *seconds);
	probe_once();
	ask_child(seconds);
	ask_child(seconds);
}
