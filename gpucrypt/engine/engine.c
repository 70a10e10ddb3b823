#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/engine/kernel_config.h"
#include "gpucrypt/status.h"

#define PAGE_ALIGNMENT ((size_t)4096)
#define HUGE_ALIGNMENT ((size_t)2 << 20)

/* Suites. */

int suite_of_plan(struct suite *suite, const struct gpucrypt_plan *plan, enum direction direction)
{
	unsigned bits = plan->key_bits == 0 ? 256 : plan->key_bits;
	enum gpucrypt_cipher cipher = plan->cipher != GPUCRYPT_CIPHER_AUTO ? plan->cipher : GPUCRYPT_AES;
	enum gpucrypt_mode mode = plan->mode != GPUCRYPT_MODE_DEFAULT ? plan->mode
	                          : plan->sector_log2 != 0            ? GPUCRYPT_XTS
	                                                              : GPUCRYPT_CTR;

	suite->cipher = cipher_by_id(cipher);
	suite->mode = mode_by_id(mode);
	if (suite->cipher == NULL)
		return fail(GPUCRYPT_USAGE, "unknown cipher number %u", cipher);
	if (suite->mode == NULL)
		return fail(GPUCRYPT_USAGE, "unknown mode number %u", mode);
	if (plan->sector_log2 != 0 && (!suite->mode->has_tweaks || plan->sector_log2 < 9 || plan->sector_log2 > 12))
		return fail(GPUCRYPT_USAGE,
		        "mode %s, sectors of 2^%u: the detached layout is for xts with sectors of 2^9 to 2^12 bytes",
		        suite->mode->name, plan->sector_log2);
	if (bits != 128 && bits != 192 && bits != 256)
		return fail(GPUCRYPT_USAGE, "unknown key size of %u bits (choose from: 128, 192, 256)", bits);
	suite->key_bytes = bits / 8;
	suite->direction = direction;
	return GPUCRYPT_OK;
}

/* Work. */

uint64_t units_of_work(const struct work *work)
{
	return (work->n_bytes + (1u << work->unit_log2) - 1) >> work->unit_log2;
}

uint64_t tweaks_of_work(const struct work *work)
{
	return (units_of_work(work) << (work->unit_log2 - 4 - TWEAK_LOG2)) + TWEAKS_SPARE;
}

void iv_of_number(uint8_t iv[16], const struct span *span, uint64_t n, bool little)
{
	uint64_t high = NUMBER_HIGH(span, n), low = NUMBER_LOW(span, n);

	if (little) {
		store_le64(iv, low);
		store_le64(iv + 8, high);
	} else {
		store_be64(iv, high);
		store_be64(iv + 8, low);
	}
}

void span_of_work(struct span *span, const struct suite *suite, const struct work *work)
{
	bool xts = suite->mode->has_tweaks;

	memset(span, 0, sizeof(*span));
	span->n_blocks = work->n_bytes / BLOCK_BYTES;
	span->first_block = work->first_block;
	if (xts) {
		span->tail_bytes = work->n_bytes % BLOCK_BYTES;
		span->n_blocks -= span->tail_bytes != 0;
		span->unit_log2 = work->unit_log2 - 4;
		span->step = work->tweak_step;
	} else if (work->n_bytes % BLOCK_BYTES != 0) {
		span->n_blocks++;
	}
	span->high = xts ? load_le64(work->iv + 8) : load_be64(work->iv);
	span->low = xts ? load_le64(work->iv) : load_be64(work->iv + 8);
	span->decrypt = suite_direction(suite) == DECRYPT;
}

/* Engines. */

/* The same code for the same suite as that of the engine that this thread tested last is not tested again: with many
 * small files that would take longer than their encryption. */
static int test_once(struct engine *engine)
{
	static _Thread_local struct suite tested;
	static _Thread_local const void *tested_code;
	const struct suite *suite = &engine->suite;
	int status;

	if (engine->code != NULL && engine->code == tested_code && suite->cipher == tested.cipher &&
	        suite->mode == tested.mode && suite->key_bytes == tested.key_bytes &&
	        suite->direction == tested.direction)
		return GPUCRYPT_OK;
	status = selftest_engine(engine);
	tested = *suite;
	tested_code = status == GPUCRYPT_OK ? engine->code : NULL;
	return status;
}

/* Open an engine, and close it if it fails its self-test; *wrong: a known answer was wrong.  The engine needs as many
 * lanes as `before`, because each lane's thread drives both engines. */
static int open_and_test(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan, struct engine *before, bool *wrong)
{
	struct gpucrypt_plan own = *plan;
	struct kernel_config kernel;
	int status;

	*engine = NULL;
	*wrong = false;
	if (before != NULL)
		own.threads = before->lanes;
	status = kernel_config_check(&kernel, suite->cipher, plan) ?: class->open(engine, suite, &own, before);
	if (status != GPUCRYPT_OK)
		return status;
	(*engine)->before = before;
	status = before != NULL && (*engine)->lanes < before->lanes
	                 ? fail(GPUCRYPT_DEVICE, "%s: too few lanes", before->description)
	                 : test_once(*engine);
	if (status == GPUCRYPT_OK)
		return status;
	*wrong = (*engine)->wrong;
	engine_close(*engine);
	*engine = NULL;
	return status;
}

/* A driver may compile one form of a cipher wrongly, and another one right. */
int engine_open_tested(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan, struct engine *before)
{
	const struct cipher *cipher = suite->cipher;
	struct gpucrypt_plan other = *plan;
	struct kernel_config kernel;
	bool wrong;
	int status = open_and_test(engine, class, suite, plan, before, &wrong);

	if (!wrong || class != &engine_opencl || plan->strict_device)
		return status;
	kernel_config_check(&kernel, cipher, plan);
	for (unsigned i = 0; i < cipher->n_forms && status == GPUCRYPT_DEVICE; i++) {
		const struct table_form *form = &cipher->forms[i];

		if (form->id == kernel.table || (plan->constant_time && !form_is_sliced(form)))
			continue;
		other.kernel = (struct kernel_config){ .table = form->id, .portable = plan->kernel.portable };
		status = open_and_test(engine, class, suite, &other, before, &wrong);
		if (status != GPUCRYPT_OK)
			continue;
		snprintf((*engine)->note, sizeof((*engine)->note), "table %s in place of %s: %s", form->name,
		        kernel_form(&kernel, cipher)->name, gpucrypt_error());
		fail_clear();
	}
	return status;
}

int engine_open_cpu_for(struct engine **cpu, const struct engine *engine, bool constant_time)
{
	const struct gpucrypt_plan plan = { .threads = engine->lanes, .constant_time = constant_time };
	struct engine *first = NULL;
	int status =
	        (engine->before != NULL ? engine_cpu.open(&first, &engine->before->suite, &plan, NULL) : GPUCRYPT_OK)
	                ?: engine_cpu.open(cpu, &engine->suite, &plan, NULL);

	if (status == GPUCRYPT_OK)
		(*cpu)->before = first;
	else
		engine_close(first);
	return status;
}

/* For a plan that names no engine: true if the best OpenCL device is not a CPU.  why: set if no device is usable. */
static bool opencl_pays(char *why, size_t n)
{
	struct inventory inventory;
	const struct device *device;

	inventory_take(&inventory);
	device = inventory_choose(&inventory, 0);
	if (device == NULL)
		snprintf(why, n, "%s", gpucrypt_error());
	fail_clear();
	return device != NULL && !device->cpu;
}

int engine_open_cpu(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, const char *why)
{
	int status = engine_open_tested(engine, &engine_cpu, suite, plan, NULL);

	if (status == GPUCRYPT_OK && why[0] != '\0')
		snprintf((*engine)->note, sizeof((*engine)->note), "%s; using the CPU", why);
	return status;
}

/* An engine that cannot be opened, or computes wrongly in each form, is replaced by the CPU. */
static int open_or_cpu(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan)
{
	char why[200] = "";
	bool named = plan->or_cpu && (plan->device != 0 || plan->n_parts != 0);
	int status;

	if (devices_failed())
		return engine_open_cpu(engine, suite, plan, FAILED_BEFORE);
	if (named || opencl_pays(why, sizeof(why))) {
		status = engine_open_tested(engine, class, suite, plan, NULL);
		if (status != GPUCRYPT_DEVICE || plan->strict_device)
			return status;
		snprintf(why, sizeof(why), "%s", gpucrypt_error());
		fail_clear();
	}
	return engine_open_cpu(engine, suite, plan, why);
}

int engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	static const struct engine_class *const classes[] = { [GPUCRYPT_ENGINE_AUTO] = &engine_opencl,
		[GPUCRYPT_OPENCL] = &engine_opencl,
		[GPUCRYPT_CPU] = &engine_cpu,
		[GPUCRYPT_HYBRID] = &engine_all };
	bool taken_over = devices_left() != NULL && plan->engine != GPUCRYPT_CPU && !plan->strict_device;

	*engine = NULL;
	if ((unsigned)plan->engine >= sizeof(classes) / sizeof(classes[0]))
		return fail(GPUCRYPT_USAGE, "unknown engine number %u", plan->engine);
	return plan_gives_way(plan) || taken_over
	               ? open_or_cpu(engine, classes[plan->engine], suite, plan)
	               : engine_open_tested(engine, classes[plan->engine], suite, plan, NULL);
}

struct work work_slice(const struct work *work, size_t start, size_t n)
{
	struct work slice = *work;
	size_t left = work->n_bytes > start ? work->n_bytes - start : 0;

	slice.in += start;
	slice.out += start;
	slice.first_block += start / BLOCK_BYTES;
	slice.n_bytes = left < n ? left : n;
	if (slice.tag_r != NULL)
		slice.tags += start >> work->chunk_log2;
	return slice;
}

int engine_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	struct recryption alone = { .encrypt = *work, .plain_bytes = work->n_bytes, .alone = true };

	if (work->n_bytes == 0)
		return GPUCRYPT_OK;
	return engine->class->crypt != NULL ? engine->class->crypt(engine, lane, work)
	                                    : engine->class->recrypt(engine, lane, &alone);
}

/* Pages are first touched when they are used; large pages make that faster. */
static uint8_t *page_memory(size_t n_bytes)
{
	size_t alignment = n_bytes >= HUGE_ALIGNMENT ? HUGE_ALIGNMENT : PAGE_ALIGNMENT;
	uint8_t *bytes = aligned_alloc(alignment, (n_bytes + alignment - 1) & ~(alignment - 1));

	if (bytes != NULL && alignment == HUGE_ALIGNMENT)
		madvise(bytes, n_bytes, MADV_HUGEPAGE); /* a hint: failure is harmless */
	return bytes;
}

int engine_allocate(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	size_t whole = (n_bytes + PAGE_ALIGNMENT - 1) & ~(PAGE_ALIGNMENT - 1);

	*buffer = (struct host_buffer){ .bytes = page_memory(whole), .n_bytes = n_bytes };
	/* A failure to page-lock the buffer only makes transfers slower; but a device that is late may write to it. */
	if (buffer->bytes != NULL && engine != NULL && engine->class->lock != NULL &&
	        engine->class->lock(engine, buffer, whole) != GPUCRYPT_OK) {
		fail_clear();
		if (devices_failed())
			buffer->bytes = page_memory(whole);
	}
	if (buffer->bytes != NULL)
		return GPUCRYPT_OK;
	buffer->n_bytes = 0;
	return fail(GPUCRYPT_OTHER, "out of memory for a buffer of %zu bytes", whole);
}

void engine_release(struct engine *engine, struct host_buffer *buffer)
{
	if (buffer->used_bytes > 0)
		wipe(buffer->bytes, buffer->used_bytes);
	if (buffer->handle != NULL)
		engine->class->unlock(engine, buffer);
	if (engine_devices(engine) == 0 || !devices_failed())
		free(buffer->bytes);
	*buffer = (struct host_buffer){ 0 };
}

void engine_close(struct engine *engine)
{
	if (engine != NULL)
		engine->class->close(engine);
}
