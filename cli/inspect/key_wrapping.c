#include "cli/inspect/key_wrapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/keys/rsa_cpu.h"
#include "gpucrypt/status.h"
#include "cli/terminal/message.h"
#include "ppf/measure/bench.h"
#include "ppf/model/machine.h"
#include "ppf/model/rsa.h"

#define START_S 0.1 /* no OpenCL device is ready before */
#define TRIALS  4   /* numbers that are timed on the CPU */

/* Who would wrap them, and how long it would take. */
struct forecast {
	double cpu_s, device_s;              /* device_s 0: not known, or not worth asking */
	const struct machine_device *device; /* NULL: the CPU */
};

static bool is_asked(const struct options *options, enum gpucrypt_engine engine)
{
	return options->plan.engine == engine;
}

int key_wrapping_check(const struct options *options)
{
	if (is_asked(options, GPUCRYPT_HYBRID))
		return fail(GPUCRYPT_USAGE, "--engine all: not here (choose from: auto, opencl, cpu)");
	if (options->plan.device && is_asked(options, GPUCRYPT_CPU))
		return fail(GPUCRYPT_USAGE, "--device: names an OpenCL device, not with --engine cpu");
	return GPUCRYPT_OK;
}

bool key_wrapping_pays(const struct options *options, const struct pem_keys *recipients)
{
	bool any = false;

	for (unsigned i = 0; i < recipients->n; i++)
		any |= recipients->list[i].type == GPUCRYPT_RSA;
	return any && options->n_operands > 2;
}

/* A few numbers on one thread tell what all on all threads take. */
static int forecast_cpu(double *seconds, const struct wrapped_batch *wrapped, unsigned threads)
{
	uint8_t numbers[TRIALS * MAX_RSA_BYTES];
	size_t n = wrapped->batch->n < TRIALS ? wrapped->batch->n : TRIALS;
	size_t n_bytes = n * (wrapped->key.bits / 8);
	double begin = host_seconds();
	int status;

	memcpy(numbers, wrapped->bodies, n_bytes);
	status = rsa_cpu(&wrapped->key, numbers, n, 1);
	wipe(numbers, sizeof numbers);
	*seconds = (host_seconds() - begin) / (double)n * (double)wrapped->batch->n / threads;
	return status;
}

static bool look_at_machine(struct key_wrapping *wrapping)
{
	if (!wrapping->machine) {
		wrapping->machine = malloc(sizeof *wrapping->machine);
		if (!wrapping->machine)
			return false;
		machine_cached(wrapping->machine);
	}
	if (!wrapping->machine->asked)
		machine_take(wrapping->machine);
	return true;
}

/* The device that would be first, of those that the options leave. */
static void forecast_devices(struct forecast *forecast, const struct machine *machine, const struct options *options,
        const struct wrapped_batch *wrapped)
{
	for (unsigned i = 0; i < machine->n_devices; i++) {
		const struct machine_device *device = &machine->devices[i];
		double seconds = rsa_device_seconds(device, &wrapped->key, wrapped->batch->n);
		bool asked = options->plan.device == i + 1 ||
		             (options->plan.device == 0 && is_asked(options, GPUCRYPT_OPENCL));

		if (device->device.unusable[0] || (options->plan.device && !asked) || (seconds == 0 && !asked))
			continue;
		if (!forecast->device || (seconds > 0 && (forecast->device_s == 0 || seconds < forecast->device_s))) {
			forecast->device = device;
			forecast->device_s = seconds;
		}
	}
}

static int choose_engine(struct forecast *forecast, struct key_wrapping *wrapping, const struct options *options,
        const struct wrapped_batch *wrapped)
{
	bool asked = options->plan.device || is_asked(options, GPUCRYPT_OPENCL);
	int status = forecast_cpu(&forecast->cpu_s, wrapped, plan_threads(&options->plan));

	if (status != GPUCRYPT_OK || is_asked(options, GPUCRYPT_CPU) || (!asked && forecast->cpu_s < START_S))
		return status;
	if (!look_at_machine(wrapping))
		return fail(GPUCRYPT_OTHER, "out of memory");
	forecast_devices(forecast, wrapping->machine, options, wrapped);
	if (!forecast->device && asked)
		return fail(GPUCRYPT_DEVICE, "no such OpenCL device%s%s", wrapping->machine->failure[0] ? ": " : "",
		        wrapping->machine->failure);
	if (!asked && forecast->device_s >= forecast->cpu_s)
		forecast->device = NULL;
	return GPUCRYPT_OK;
}

/* The inventory of this process: a machine out of the cache has no device to be opened. */
static int wrap_by_device(struct wrapped_batch *wrapped, const struct machine *machine, const struct forecast *forecast)
{
	unsigned number = 1 + (unsigned)(forecast->device - machine->devices);
	struct inventory inventory;
	const struct device *device;

	inventory_take(&inventory);
	device = inventory_choose(&inventory, number);
	return device ? wrapped_batch_device(wrapped, device) : GPUCRYPT_DEVICE;
}

static int wrap(struct forecast *forecast, struct key_wrapping *wrapping, const struct options *options,
        struct wrapped_batch *wrapped)
{
	if (forecast->device) {
		if (wrap_by_device(wrapped, wrapping->machine, forecast) == GPUCRYPT_OK)
			return GPUCRYPT_OK;
		if (!options->quiet)
			message_warning(NULL, "%s: the CPU wraps the keys", gpucrypt_error());
		fail_clear();
		forecast->device = NULL;
	}
	return wrapped_batch_cpu(wrapped, plan_threads(&options->plan));
}

static void tell(const struct key_wrapping *wrapping, const struct options *options,
        const struct wrapped_batch *wrapped, const struct forecast *forecast, double seconds)
{
	const char *name = forecast->device ? forecast->device->device.name : NULL;
	const char *engine = forecast->device ? engine_opencl.name : engine_cpu.name;

	if (options->verbose)
		fprintf(stderr,
		        "RSA-%u: %zu keys wrapped by %s%s%s in %.4f s; predicted: CPU %.4f s, "
		        "OpenCL %.4f s%s\n",
		        wrapped->key.bits, wrapped->batch->n, engine, name ? ", " : "", name ? name : "", seconds,
		        forecast->cpu_s, forecast->device_s, forecast->device_s > 0 ? "" : " (not asked)");
	if (wrapping->json)
		json_array_append_new(wrapping->json,
		        json_pack("{s:i,s:I,s:s,s:o,s:f,s:f,s:o}", "bits", (int)wrapped->key.bits, "keys",
		                (json_int_t)wrapped->batch->n, "engine", engine, "device",
		                json_text_or_null(name ? name : ""), "seconds", seconds, "predicted_cpu_s",
		                forecast->cpu_s, "predicted_opencl_s", json_figure(forecast->device_s)));
}

static int wrap_for(struct key_wrapping *wrapping, const struct options *options, unsigned number,
        struct gpucrypt_secret *recipient)
{
	struct wrapped_batch *wrapped = &wrapping->wrapped[number];
	struct forecast forecast = { 0 };
	double begin;
	int status = wrapped_batch_open(wrapped, &wrapping->opened, recipient);

	if (status == GPUCRYPT_USAGE) { /* an unusual key: its slots are made one by one */
		fail_clear();
		return GPUCRYPT_OK;
	}
	if (status == GPUCRYPT_OK)
		status = choose_engine(&forecast, wrapping, options, wrapped);
	begin = host_seconds();
	if (status == GPUCRYPT_OK)
		status = wrap(&forecast, wrapping, options, wrapped);
	if (status != GPUCRYPT_OK)
		return status;
	tell(wrapping, options, wrapped, &forecast, host_seconds() - begin);
	wrapping->derived[number].wrapped = wrapped;
	recipient->derived = &wrapping->derived[number];
	return GPUCRYPT_OK;
}

int key_wrapping_make(struct key_wrapping *wrapping, const struct options *options, struct pem_keys *recipients)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < recipients->n && status == GPUCRYPT_OK; i++)
		if (recipients->list[i].type == GPUCRYPT_RSA && wrapping->opened.n > 0)
			status = wrap_for(wrapping, options, i, &recipients->list[i]);
	return status;
}

void key_wrapping_close(struct key_wrapping *wrapping)
{
	for (unsigned i = 0; i < MAX_RECIPIENTS; i++)
		wrapped_batch_close(&wrapping->wrapped[i]);
	key_batch_close(&wrapping->opened);
	free(wrapping->machine);
	json_decref(wrapping->json);
	*wrapping = (struct key_wrapping){ 0 };
}
