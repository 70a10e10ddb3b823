/* The CPU begins, and who is opened meanwhile goes on: every item once, and in order; and what becomes of
 * failures. */
#include "tests/unit/containers.h"

#include <stdatomic.h>
#include <unistd.h>

#include "gpucrypt/engine/engine_all.h"
#include "gpucrypt/engine/recheck.h"
#include "gpucrypt/pipeline/relay.h"

#define N_ITEMS 50 /* of the one who goes on, or of the CPU, where it does all */
#define LATE_S  0.02

/* Who has done how many items. */
struct job {
	struct engine *engine;
	const struct engine_class *first; /* who begins */
	uint64_t next, last, n_first, n_second, fail_at, fail_at_second;
	unsigned runs, torn;
};

/* The first one goes on until it is stopped, or to the last item: a device takes long to open where its programs
 * have to be built. */
static int do_item(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct job *job = self;
	bool second = job->runs > 1;

	(void)worker, (void)slot;
	if (item == job->fail_at || (second && job->n_second == job->fail_at_second))
		return fail(GPUCRYPT_IO, "item %d", (int)item);
	job->torn += item != job->next++;
	if (!second) {
		job->first = job->engine->class;
		job->n_first++;
		usleep(1000);
	} else {
		job->n_second++;
	}
	return item == job->last || job->n_second == N_ITEMS ? PIPELINE_LAST : GPUCRYPT_OK;
}

static int run_items(void *self, const struct gpucrypt_plan *plan, struct items *items)
{
	const struct stage stage = { "do", do_item, 1 };
	struct job *job = self;

	(void)plan;
	job->runs++;
	return pipeline_run(job, &stage, 1, 3, items);
}

/* A device that is open late. */
static bool late;
int __wrap_engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan);
int __real_engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan);

int __wrap_engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	if (late)
		usleep((useconds_t)(1e6 * LATE_S));
	return __real_engine_open(engine, suite, plan);
}

static struct gpucrypt_plan plan_of(const char *engine, unsigned device)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");

	plan.engine = value_of(&engine_names, engine);
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
	late = true;
	opening_start(&opening, &suite, plan);
	late = false;
	status = relay_run(&opening, &job->engine, report, run_items, job);
	assert_int_equal(job->torn, 0);
	return status;
}

static struct job make(void)
{
	return (struct job){ .last = UINT64_MAX, .fail_at = UINT64_MAX, .fail_at_second = UINT64_MAX };
}

static void the_device_goes_on(void **state)
{
	const struct gpucrypt_plan plan = plan_of("all", 1);
	struct job job = make();
	struct report report;

	(void)state;
	assert_int_equal(run(&job, &plan, &report), GPUCRYPT_OK);
	assert_int_equal(job.runs, 2);
	assert_ptr_equal(job.first, &engine_cpu);
	assert_true(job.n_first >= 5);
	assert_int_equal(job.n_second, N_ITEMS);
	assert_int_equal(job.next, job.n_first + N_ITEMS);
	assert_ptr_equal(job.engine->class, &engine_opencl);
	assert_int_equal(report.class, GPUCRYPT_HYBRID);
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
	assert_int_equal(report.class, GPUCRYPT_HYBRID);
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
		assert_ptr_equal(job.first, engines[i] && !strcmp(engines[i], "opencl") ? &engine_opencl : &engine_cpu);
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
	assert_int_equal(job.n_second, N_ITEMS);
	assert_ptr_equal(job.engine->class, &engine_cpu);
	assert_int_equal(report.class, GPUCRYPT_CPU);
	assert_null(strstr(report.engine, "until"));
	assert_non_null(strstr(report.engine_note, "using the CPU"));
	engine_close(job.engine);
}

static void a_failure_in_either_part(void **state)
{
	static const uint64_t at[] = { 0, 2 };
	const struct gpucrypt_plan plan = plan_of("all", 1);

	(void)state;
	for (size_t i = 0; i < 2 * N_OF(at); i++) {
		bool second = i >= N_OF(at);
		struct job job = make();
		struct report report;

		*(second ? &job.fail_at_second : &job.fail_at) = at[i % N_OF(at)];
		assert_int_equal(run(&job, &plan, &report), GPUCRYPT_IO);
		assert_int_equal(job.runs, second ? 2 : 1);
		assert_int_equal(second ? job.n_second : job.n_first, at[i % N_OF(at)]);
		assert_int_equal(job.next, job.n_first + job.n_second);
		engine_close(job.engine);
		fail_clear();
	}
}

/* Groups by the engine that has computed them. */
static atomic_uint by_cpu, by_device;

WRAPPED(recheck_crypt);

int __wrap_recheck_crypt(const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item)
{
	(*(recheck->engine->class == &engine_cpu ? &by_cpu : &by_device))++;
	return __real_recheck_crypt(recheck, lane, work, item);
}

static void assert_both(void)
{
	assert_true(by_cpu > 0);
	assert_true(by_device > 0);
	by_cpu = by_device = 0;
}

#define N_GROUPS 400

/* Who waits for the device has patience in the end. */
static void dawdle(uint64_t done_bytes)
{
	usleep(by_device == 0 && done_bytes > N_GROUPS / 2 * 4096 ? 5000 : 200);
}

/* Output that takes its time. */
static int write_slowly(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	dawdle(offset);
	return buffer_write(self, bytes, n_bytes, offset);
}

/* A source that is slow enough for both to have groups of it. */
struct slow {
	const uint8_t *bytes;
	size_t n_bytes, done;
};

static int give(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct slow *slow = self->state;

	*got = slow->n_bytes - slow->done < n_bytes ? slow->n_bytes - slow->done : n_bytes;
	memcpy(bytes, slow->bytes + slow->done, *got);
	slow->done += *got;
	dawdle(slow->done);
	return GPUCRYPT_OK;
}

static const struct source_class slow_class = { .read = give, .in_order = true };

/* Groups of 4 KiB: encrypted by both, and decrypted by both from a descriptor. */
static void containers(void **state)
{
	static const char *const names[] = { "ctr", "xts", "ecb" };
	const size_t n_bytes = N_GROUPS * 4096 + 77;
	uint8_t *bytes = plaintext_make(n_bytes);

	(void)state;
	for (size_t m = 0; m < 2 * N_OF(names); m++) { /* so that the programs are built */
		struct gpucrypt_plan plan = plan_of("opencl", 0);
		struct engine *engine;
		struct suite suite;

		plan.mode = value_of(&mode_names, names[m / 2]);
		assert_int_equal(suite_of_plan(&suite, &plan, m % 2 ? DECRYPT : ENCRYPT), GPUCRYPT_OK);
		assert_int_equal(engine_open(&engine, &suite, &plan), GPUCRYPT_OK);
		engine_close(engine);
	}
	for (size_t m = 0; m < N_OF(names); m++) {
		struct gpucrypt_plan plan = plan_of("all", 1);
		struct slow slow = { bytes, n_bytes, 0 };
		struct source source = {
			.class = &slow_class, .name = "slow", .size_bytes = UINT64_MAX, .state = &slow
		};
		struct buffer container = buffer_make(), plain = buffer_make();
		struct report report;
		int fd;

		plan.mode = value_of(&mode_names, names[m]);
		late = true;
		assert_int_equal(
		        container_encrypt(&source, &container.sink, &plan, &a_secret, NULL, &report), GPUCRYPT_OK);
		assert_both();
		assert_int_equal(report.plaintext_bytes, n_bytes);
		assert_int_equal(decrypt(container.bytes, container.n_bytes, &plain), GPUCRYPT_OK);
		assert_int_equal(plain.n_bytes, n_bytes);
		assert_memory_equal(plain.bytes, bytes, n_bytes);
		buffer_free(&plain);
		by_cpu = by_device = 0;
		plain.sink.write = write_slowly;
		fd = memory_file(container.bytes, container.n_bytes);
		assert_int_equal(source_open(&source, fd, "x.gcr"), GPUCRYPT_OK);
		assert_int_equal(container_decrypt(&source, &plain.sink, &plan, &a_secret, NULL, &report), GPUCRYPT_OK);
		late = false;
		assert_both();
		assert_int_equal(report.class, GPUCRYPT_HYBRID);
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
