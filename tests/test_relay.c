/* The CPU begins, and who is opened meanwhile goes on: every item once, and in order; and what becomes of
 * failures. */
#include "tests/containers.h"

#include <unistd.h>

#include "gpucrypt/engine_all.h"
#include "gpucrypt/relay.h"

#define N_ITEMS 300
#define LATE_S  0.02

/* Who has done which item. */
struct job {
	struct engine *engine;
	const struct engine_class *by[N_ITEMS];
	uint64_t next, last, fail_at;
	unsigned runs, torn;
};

/* Phase 1 ends before the items do. */
static int do_item(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct job *job = self;

	(void)worker, (void)slot;
	if (item == job->fail_at)
		return fail(GPUCRYPT_IO, "item %d", (int)item);
	job->torn += item != job->next++;
	job->by[item] = job->engine->class;
	if (job->engine->class == &engine_cpu)
		usleep(1000);
	return item == job->last ? PIPELINE_LAST : GPUCRYPT_OK;
}

static int run_items(void *self, const struct gpucrypt_plan *plan, struct items *items)
{
	const struct stage stage = { do_item, 1 };
	struct job *job = self;

	(void)plan;
	job->runs++;
	return pipeline_run_items(job, &stage, 1, 3, items);
}

static struct gpucrypt_plan plan_of(const char *engine, unsigned device)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");

	plan.engine = engine;
	if (device == 0)
		return plan;
	plan.parts[0].device = device;
	plan.n_parts = 1;
	plan.cpu_first = 1;
	return plan;
}

static int run(struct job *job, const struct gpucrypt_plan *plan, struct report *report)
{
	struct opening opening;
	struct suite suite;
	int status;

	fail_clear();
	*report = (struct report){ .engine = "" };
	assert_int_equal(suite_of_plan(&suite, plan, ENCRYPT), GPUCRYPT_OK);
	opening_late(LATE_S);
	opening_start(&opening, &suite, plan);
	opening_late(0);
	status = relay_run(&opening, &job->engine, report, run_items, job);
	assert_int_equal(job->torn, 0);
	return status;
}

static struct job make(void)
{
	return (struct job){ .last = N_ITEMS - 1, .fail_at = UINT64_MAX };
}

static void the_device_goes_on(void **state)
{
	const struct gpucrypt_plan plan = plan_of("all", 1);
	struct job job = make();
	struct report report;
	unsigned first = 0;

	(void)state;
	assert_int_equal(run(&job, &plan, &report), GPUCRYPT_OK);
	assert_int_equal(job.next, N_ITEMS);
	assert_int_equal(job.runs, 2);
	while (first < N_ITEMS && job.by[first] == &engine_cpu)
		first++;
	assert_in_range(first, 5, N_ITEMS - 1);
	for (unsigned i = first; i < N_ITEMS; i++)
		assert_ptr_equal(job.by[i], &engine_opencl);
	assert_ptr_equal(job.engine->class, &engine_opencl);
	assert_string_equal(report.class, "all");
	assert_non_null(strstr(report.engine, "OpenCL, "));
	assert_non_null(strstr(report.engine, "; until that is open CPU, "));
	engine_close(job.engine);
}

static void the_cpu_may_do_it_all(void **state)
{
	const struct gpucrypt_plan plan = plan_of("all", 1);
	struct job job = make();
	struct report report;

	(void)state;
	job.last = 2;
	assert_int_equal(run(&job, &plan, &report), GPUCRYPT_OK);
	assert_int_equal(job.next, 3);
	assert_int_equal(job.runs, 1);
	assert_ptr_equal(job.engine->class, &engine_cpu);
	assert_string_equal(report.class, "all");
	engine_close(job.engine);
}

/* A single engine is waited for. */
static void nobody_begins_for_one_engine(void **state)
{
	static const char *const engines[] = { "opencl", "cpu", NULL };

	(void)state;
	for (size_t i = 0; i < N_OF(engines); i++) {
		const struct gpucrypt_plan plan = plan_of(engines[i], 0);
		struct job job = make();
		struct report report;

		job.last = 3;
		assert_int_equal(run(&job, &plan, &report), GPUCRYPT_OK);
		assert_int_equal(job.runs, 1);
		assert_ptr_equal(job.by[0], engines[i] && !strcmp(engines[i], "opencl") ? &engine_opencl
		                                                                        : &engine_cpu);
		assert_null(strstr(report.engine, "until"));
		engine_close(job.engine);
	}
}

static void a_device_that_cannot_be_opened(void **state)
{
	struct gpucrypt_plan plan = plan_of("all", 9);
	struct job job = make();
	struct report report;

	(void)state;
	assert_int_equal(run(&job, &plan, &report), GPUCRYPT_DEVICE);
	assert_non_null(strstr(gpucrypt_error(), "device 8: there are only"));
	assert_int_equal(job.runs, 1);
	engine_close(job.engine);
	plan.or_cpu = true;
	job = make();
	assert_int_equal(run(&job, &plan, &report), GPUCRYPT_OK);
	assert_int_equal(job.next, N_ITEMS);
	assert_ptr_equal(job.engine->class, &engine_cpu);
	assert_string_equal(report.class, "cpu");
	assert_non_null(strstr(report.engine_note, "using the CPU"));
	engine_close(job.engine);
}

static void a_failure_in_either_part(void **state)
{
	static const uint64_t at[] = { 0, 2, N_ITEMS - 1 };
	const struct gpucrypt_plan plan = plan_of("all", 1);

	(void)state;
	for (size_t i = 0; i < N_OF(at); i++) {
		struct job job = make();
		struct report report;

		job.fail_at = at[i];
		assert_int_equal(run(&job, &plan, &report), GPUCRYPT_IO);
		assert_int_equal(job.next, at[i]);
		assert_int_equal(job.runs, at[i] > 2 ? 2 : 1);
		engine_close(job.engine);
		fail_clear();
	}
}

/* A source that is slow enough for both to have groups of it. */
struct slow {
	const uint8_t *bytes;
	size_t n_bytes, done;
};

static int give(void *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct slow *slow = self;

	*got = slow->n_bytes - slow->done < n_bytes ? slow->n_bytes - slow->done : n_bytes;
	memcpy(bytes, slow->bytes + slow->done, *got);
	slow->done += *got;
	usleep(500);
	return GPUCRYPT_OK;
}

/* Groups of 4 KiB: encrypted by both, and decrypted by both from a descriptor. */
static void containers(void **state)
{
	static const char *const names[] = { "ctr", "xts", "ecb" };
	const size_t n_bytes = 1000 * 4096 + 77;
	uint8_t *bytes = plaintext_make(n_bytes);

	(void)state;
	for (size_t m = 0; m < N_OF(names); m++) {
		struct gpucrypt_plan plan = plan_of("all", 1);
		struct slow slow = { bytes, n_bytes, 0 };
		struct source source = { .fd = -1, .name = "slow", .size_bytes = UINT64_MAX,
			.make = give, .maker = &slow };
		struct buffer container = buffer_make(), plain = buffer_make();
		struct report report;
		int fd;

		plan.mode = names[m];
		opening_late(LATE_S);
		assert_int_equal(container_encrypt(&source, &container.sink, &plan, &a_secret, NULL,
		                         &report),
		        GPUCRYPT_OK);
		assert_int_equal(report.plaintext_bytes, n_bytes);
		assert_int_equal(decrypt(container.bytes, container.n_bytes, &plain), GPUCRYPT_OK);
		assert_int_equal(plain.n_bytes, n_bytes);
		assert_memory_equal(plain.bytes, bytes, n_bytes);
		buffer_free(&plain);
		fd = memory_file(container.bytes, container.n_bytes);
		assert_int_equal(source_open(&source, fd, "x.gcr"), GPUCRYPT_OK);
		assert_int_equal(container_decrypt(&source, &plain.sink, &plan, &a_secret, NULL,
		                         &report),
		        GPUCRYPT_OK);
		opening_late(0);
		assert_string_equal(report.class, "all");
		assert_int_equal(plain.n_bytes, n_bytes);
		assert_memory_equal(plain.bytes, bytes, n_bytes);
		buffer_free(&plain);
		buffer_free(&container);
		close(fd);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_goes_on),
		cmocka_unit_test(the_cpu_may_do_it_all),
		cmocka_unit_test(nobody_begins_for_one_engine),
		cmocka_unit_test(a_device_that_cannot_be_opened),
		cmocka_unit_test(a_failure_in_either_part),
		cmocka_unit_test(containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
