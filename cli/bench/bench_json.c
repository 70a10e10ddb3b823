/* The measurements as one JSON object, from which bench_text.c and bench_plot.c make text and plot. */
#include "cli/advise/advise.h"
#include "cli/bench/bench.h"
#include "gpucrypt/crypto/names.h"
#include "command/number.h"
#include "command/json.h"

/* The times of all runs, the best first; empty if the row could not run. */
static json_t *seconds_json(const double *seconds, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n && seconds[0] > 0; i++)
		json_array_append_new(array, json_real(seconds[i]));
	return array;
}

/* In CTR, encryption and decryption are the same operation. */
static json_t *suite_json(const struct suite *suite)
{
	json_t *object = json_object();

	json_set(object, "cipher", json_string(suite->cipher->name));
	json_set(object, "bits", json_integer(8 * suite->key_bytes));
	json_set(object, "mode", json_string(suite->mode->name));
	json_set(object, "direction", json_string(suite->direction == ENCRYPT ? "enc" : "dec"));
	return object;
}

/* Speed of the best run in GB/s; 0: unknown. */
static double kernel_speed(const struct bench_kernel *kernel)
{
	return gigabytes_per_s(kernel->n_bytes, kernel->seconds[0]);
}

/* The speed of a kernel as a multiple of the policy's on the same device; 0: unknown. */
static double times_policy(const struct bench *bench, const struct bench_kernel *kernel)
{
	const struct bench_kernel *policy = bench_policy_of(bench, kernel);

	return policy && policy->seconds[0] > 0 ? kernel_speed(kernel) / kernel_speed(policy) : 0;
}

static json_t *kernel_row_json(const struct bench *bench, const struct bench_kernel *kernel)
{
	double speed = 1e9 * kernel_speed(kernel);
	json_t *object = suite_json(&kernel->suite);

	json_set(object, "device", device_number_json(kernel->plan.device));
	json_set(object, "chosen", json_boolean(kernel->chosen));
	json_set(object, "policy", json_boolean(kernel->policy));
	kernel_json(object, &kernel->plan.kernel);
	json_set(object, "portable", json_boolean(kernel->plan.kernel.portable));
	json_set(object, "bytes", json_count(kernel->n_bytes));
	json_set(object, "seconds", seconds_json(kernel->seconds, BENCH_RUNS));
	json_set(object, "bytes_per_s", json_figure(speed));
	json_set(object, "compared_bytes", json_count(kernel->compared_bytes));
	json_set(object, "bound", json_text_or_null(kernel->bound));
	json_set(object, "bound_bytes_per_s", json_figure(kernel->bound_bytes_per_s));
	json_set(
	        object, "of_bound", json_figure(kernel->bound_bytes_per_s > 0 ? speed / kernel->bound_bytes_per_s : 0));
	json_set(object, "times_policy", json_figure(times_policy(bench, kernel)));
	json_set(object, "estimate_s", json_figure(kernel->estimate_s));
	json_set(object, "failure", json_text_or_null(kernel->failure));
	return object;
}

static json_t *cpu_json(const struct bench_cpu *cpu)
{
	json_t *object = suite_json(&cpu->suite);
	char name[32];

	for (int way = 0; way < N_CPU_WAYS; way++)
		json_set(object, cpu_way_names[way], json_figure(cpu->bytes_per_s[way]));
	for (int way = CPU_VECTORS_512; way <= CPU_VECTORS_128; way++)
		json_set(object, cpu_bound_name(name, way), json_figure(cpu->bound_bytes_per_s[way]));
	return object;
}

static json_t *memory_json(const struct bench_pipeline *row)
{
	json_t *object = suite_json(&row->suite);

	json_set(object, "threads", json_integer(plan_threads(&row->plan)));
	json_set(object, "device", device_number_json(row->plan.device));
	json_set(object, "together", json_integer(row->plan.n_parts));
	json_set(object, "bytes", json_count(row->n_bytes));
	json_set(object, "start_s", json_figure(row->start_s));
	json_set(object, "seconds", seconds_json(row->seconds, BENCH_PIPELINE_RUNS));
	json_set(object, "bytes_per_s", json_figure(row->seconds[0] > 0 ? (double)row->n_bytes / row->seconds[0] : 0));
	json_set(object, "predicted_s", json_figure(row->predicted_s));
	json_set(object, "bottleneck", json_text_or_null(row->bottleneck));
	json_set(object, "busiest", json_text_or_null(row->busiest));
	json_set(object, "busy", json_figure(row->busy));
	json_set(object, "failure", json_text_or_null(row->failure));
	return object;
}

json_t *bench_json(const struct bench *bench)
{
	json_t *object = json_object(), *devices = json_array(), *kernels = json_array(), *cpu = json_array(),
	       *memory = json_array(), *device;

	for (unsigned i = 0; i < bench->machine->n_devices; i++) {
		json_array_append_new(devices, device = machine_device_json(bench->machine, i));
		json_set(device, "record_measured", json_boolean(bench->machine->devices[i].measured));
		json_set(device, "compute_units", json_integer(bench->machine->devices[i].device.compute_units));
	}
	for (unsigned i = 0; i < bench->n_kernels; i++)
		json_array_append_new(kernels, kernel_row_json(bench, &bench->kernels[i]));
	for (unsigned i = 0; i < bench->n_cpu; i++)
		json_array_append_new(cpu, cpu_json(&bench->cpu[i]));
	for (unsigned i = 0; i < bench->n_memory; i++)
		json_array_append_new(memory, memory_json(&bench->memory[i]));
	json_set(object, "cpu_threads", json_integer(bench->cpu_threads));
	json_set(object, "core_clock_hz", json_figure(bench->core_clock_hz));
	json_set(object, "libcrypto", json_text_or_null(bench->libcrypto));
	json_set(object, "libgcrypt", json_text_or_null(bench->libgcrypt));
	json_set(object, "expected_s", json_real(bench_expected_s(bench)));
	json_set(object, "note", json_text_or_null(bench->note));
	json_set(object, "devices", devices);
	json_set(object, "kernels", kernels);
	json_set(object, "cpu", cpu);
	json_set(object, "memory", memory);
	return object;
}
