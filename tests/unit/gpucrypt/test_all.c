/* Engines that work together: two OpenCL devices (PoCL, twice) and threads of the CPU make what one
 * engine makes; and engines made up here, which are left out, or fail.  Opening takes longest, so with
 * GCRYPT_TEST_ONE_IN a cipher takes a third of the modes and directions, and a small size of raw mode one mode. */
#include "tests/unit/containers.h"

#include <stdatomic.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/container/raw.h"

#define CHUNK 4096
#define GROUP (2 * CHUNK)

/* Both devices and the CPU. */
static struct gpucrypt_plan together(const char *cipher, const char *mode)
{
	struct gpucrypt_plan plan = plan_make(cipher, mode);

	plan.engine = GPUCRYPT_HYBRID;
	plan.group_log2 = 13;
	plan.parts[0].device = 1;
	plan.parts[1].device = 2;
	plan.parts[2].threads = 2;
	plan.n_parts = 3;
	return plan;
}

static struct engine *opened(const struct gpucrypt_plan *plan, enum direction direction)
{
	struct engine *engine = NULL;
	struct suite suite;

	assert_ok(suite_of_plan(&suite, plan, direction));
	if (engine_open(&engine, &suite, plan) != GPUCRYPT_OK)
		print_error("%s\n", gpucrypt_error());
	assert_non_null(engine);
	return engine;
}

/* Every lane gives the same bytes and tags, whatever engine it belongs to. */
static void each_lane(const char *cipher, const char *mode, enum direction direction)
{
	const struct gpucrypt_plan plan = together(cipher, mode);
	struct engine *engine = opened(&plan, direction);
	uint8_t *in = plaintext_make(GROUP), key[64], first[GROUP], out[GROUP];
	uint8_t first_tags[2][16], tags[2][16];
	bool xts = engine->suite.mode->has_tweaks;
	struct work work = { .in = in,
		.n_bytes = GROUP,
		.key = key,
		.unit_log2 = xts ? 12 : 0,
		.tweak_step = xts,
		.tag_r = key,
		.chunk_log2 = 12 };

	memset(key, 5, sizeof key);
	key[40] = 6;
	assert_ptr_equal(engine->class, &engine_all);
	assert_true(engine->tags);
	assert_int_equal(engine->lanes, 2 * OPENCL_CPU_LANES + 2);
	for (unsigned lane = 0; lane < engine->lanes; lane++) {
		work.out = lane == 0 ? first : out;
		work.tags = lane == 0 ? first_tags : tags;
		assert_ok(engine_crypt(engine, lane, &work));
		if (lane == 0)
			continue;
		assert_memory_equal(first, out, GROUP);
		assert_memory_equal(first_tags, tags, sizeof tags);
	}
	engine_close(engine);
}

/* Every cipher, and every mode in both directions. */
TEST(lanes_agree)
{
	for (unsigned c = 0; ciphers[c] != NULL; c++)
		for (unsigned m = 0; m < N_MODES; m++)
			for (unsigned d = 0; d < 2; d++)
				if (test_one_in() == 1 || (c + m + d) % 3 == 0)
					each_lane(ciphers[c]->name, modes[m].name, d == 0 ? ENCRYPT : DECRYPT);
}

static struct buffer raw_run(
        const struct gpucrypt_plan *plan, enum direction direction, const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t key[64] = { 1, [33] = 2 };
	struct raw_options options = { .key = key, .length = UINT64_MAX };
	struct buffer out = buffer_make();
	int fd = memory_file(bytes, n_bytes);
	struct source source;
	struct suite suite;

	assert_ok(suite_of_plan(&suite, plan, direction));
	options.key_length = suite.key_bytes * suite.mode->n_keys;
	options.have_iv = suite.mode->number == MODE_CTR;
	options.have_iv_start = suite.mode->number == MODE_XTS;
	assert_ok(source_open(&source, fd, "in"));
	if (raw_crypt(&source, &out.sink, &suite, plan, &options, NULL, NULL) != GPUCRYPT_OK)
		print_error("%s\n", gpucrypt_error());
	assert_string_equal(gpucrypt_error(), "");
	kept_close(fd);
	return out;
}

/* Raw mode: the very bytes of the CPU, and back; in CTR twice as many segments as parts. */
TEST(raw_mode_is_the_same)
{
	const uint8_t *bytes = plaintext_make((40u << 20) + 21);

	for (unsigned m = 0; m < N_MODES; m++) {
		const size_t large = ((modes[m].takes_iv ? 40u : 17u) << 20) + (modes[m].pads ? 0 : 21),
		             raw_sizes[] = { 0, 16, 4095, 4113, large };

		for (size_t i = modes[m].has_tweaks; i < N_OF(raw_sizes); i++) {
			const struct gpucrypt_plan all = together("aes", modes[m].name),
			                           cpu = plan_make("aes", modes[m].name);
			struct buffer a, b, back;

			if (test_one_in() > 1 && raw_sizes[i] != large && i % N_MODES != m)
				continue;
			a = raw_run(&all, ENCRYPT, bytes, raw_sizes[i]);
			b = raw_run(&cpu, ENCRYPT, bytes, raw_sizes[i]);
			back = raw_run(&all, DECRYPT, b.bytes, b.n_bytes);
			assert_int_equal(a.n_bytes, b.n_bytes);
			assert_int_equal(back.n_bytes, raw_sizes[i]);
			assert_memory_equal(a.bytes, b.bytes, a.n_bytes);
			assert_memory_equal(back.bytes, bytes, raw_sizes[i]);
			buffer_free(&a);
			buffer_free(&b);
			buffer_free(&back);
		}
	}
}

static void decrypt_by(const struct gpucrypt_plan *plan, struct buffer *container, const uint8_t *bytes, size_t n_bytes)
{
	struct buffer plain = buffer_make();
	int fd = memory_file(container->bytes, container->n_bytes);
	struct report report;
	struct source source;

	assert_ok(source_open(&source, fd, "x.gcr"));
	assert_ok(container_decrypt(&source, &plain.sink, plan, &a_secret, NULL, &report));
	assert_int_equal(report.class, plan->engine);
	assert_bytes(&plain, bytes, n_bytes);
	buffer_free(&plain);
	kept_close(fd);
}

/* The description has equal parts once, and one device page-locks for both. */
TEST(two_devices_share_memory)
{
	const struct gpucrypt_plan plan = together("aes", "ctr");
	struct engine *engine = opened(&plan, ENCRYPT);
	char threads[ENGINE_TEXT] = " + ";
	struct host_buffer buffer;

	cpu_describe(threads + 3, sizeof(threads) - 3, &engine->suite, &plan, 2);
	assert_non_null(strstr(engine->description, "2 × (OpenCL, "));
	assert_non_null(strstr(engine->description, threads));
	assert_string_equal(engine->note, "");
	assert_int_equal(engine->spare_slots, ALL_SPARE_SLOTS);
	assert_int_equal(engine->devices, 2);
	assert_ok(engine_allocate(engine, &buffer, 1 << 20));
	assert_non_null(buffer.handle);
	engine_release(engine, &buffer);
	engine_close(engine);
}

static atomic_uint pools;
WRAPPED(pool_open);

struct pool *__wrap_pool_open(unsigned n)
{
	pools += n > 0;
	return __real_pool_open(n);
}

/* A CPU that is not through with whole groups before devices are open. */
WRAPPED(engine_crypt);

int __wrap_engine_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	if (engine_on_cpu(engine) && work->n_bytes >= 4 << 20)
		usleep(100000);
	return __real_engine_crypt(engine, lane, work);
}

static unsigned n_threads(void)
{
	FILE *stream = fopen("/proc/self/status", "r");
	unsigned n = 0;
	char line[256];

	assert_non_null(stream);
	while (n == 0 && fgets(line, sizeof line, stream) != NULL)
		sscanf(line, "Threads: %u", &n);
	fclose(stream);
	return n;
}

/* Groups of which several threads read one; those are gone afterwards. */
TEST(helpers_come_and_go)
{
	const size_t n_bytes = ((size_t)20 << 20) + 5;
	const uint8_t *bytes = plaintext_make(n_bytes);
	struct gpucrypt_plan plan = together("aes", "ctr");
	unsigned before = 0;

	plan.group_log2 = 23;
	plan.chunk_log2 = 17;
	plan.n_parts = 2;
	plan.threads = 12;
	assert_true(read_threads(&plan, 2, (size_t)1 << 23).helpers > 0);
	assert_int_equal(read_threads(&plan, 2, (size_t)1 << 22).helpers, 0);
	assert_int_equal(read_threads(&plan, 1, (size_t)1 << 23).helpers, 0);
	for (int i = 0; i < 2; i++) {
		struct buffer container = encrypt_bytes(&plan, bytes, n_bytes), plain;

		decrypt_by(&plan, &container, bytes, n_bytes);
		assert_ok(verify(container.bytes, container.n_bytes));
		plain = raw_run(&plan, ENCRYPT, bytes, n_bytes);
		buffer_free(&plain);
		buffer_free(&container);
		if (i > 0) {
			assert_int_equal(n_threads(), before);
			assert_int_equal(pools, 3);
		}
		pools = 0;
		before = n_threads();
	}
}

/* Devices that cannot be opened are left out with a note, and a single remaining device is used alone. Without any
 * device the run fails, unless the CPU may replace it. */
TEST(missing_devices_are_left_out)
{
	struct gpucrypt_plan plan = together("aes", "ctr");
	struct engine *engine;
	struct suite suite;

	plan.parts[1].device = 9;
	engine = opened(&plan, ENCRYPT);
	assert_ptr_equal(engine->class, &engine_all);
	assert_non_null(strstr(engine->note, "device 8: not found (this machine has 2); left out"));
	assert_int_equal(engine->devices, 1);
	engine_close(engine);
	plan.parts[0].device = 8;
	engine = opened(&plan, ENCRYPT);
	assert_ptr_equal(engine->class, &engine_cpu);
	assert_non_null(strstr(engine->note, "device 7: not found (this machine has 2); left out; "));
	engine_close(engine);
	plan.n_parts = 2;
	assert_ok(suite_of_plan(&suite, &plan, ENCRYPT));
	assert_status(engine_open(&engine, &suite, &plan), GPUCRYPT_DEVICE);
	assert_null(engine);
	plan.or_cpu = true;
	engine = opened(&plan, ENCRYPT);
	assert_ptr_equal(engine->class, &engine_cpu);
	assert_non_null(strstr(engine->note, "using the CPU"));
	engine_close(engine);
	/* A configuration that no device supports fails the run. */
	plan = together("aes", "ctr");
	plan.parts[1].kernel.work_items = 1 << 20;
	assert_status(engine_open(&engine, &suite, &plan), GPUCRYPT_USAGE);
}

/* Without parts: these are CPU devices, which take part only where they are named. */
TEST(the_library_chooses)
{
	struct gpucrypt_plan plan = { .cipher = GPUCRYPT_CAMELLIA, .engine = GPUCRYPT_HYBRID };
	struct engine *engine = opened(&plan, ENCRYPT);
	bool by_instructions;
	struct suite suite;

	assert_ptr_equal(engine->class, &engine_cpu);
	engine_close(engine);
	plan.device = 2;
	engine = opened(&plan, ENCRYPT); /* a thread would hold the device up, unless it has instructions */
	by_instructions = instruction_form_choose(&cipher_camellia) != NULL;
	assert_ptr_equal(engine->class, by_instructions ? &engine_all : &engine_opencl);
	engine_close(engine);
	plan.threads = 3;
	engine = opened(&plan, ENCRYPT);
	assert_int_equal(engine->lanes, OPENCL_CPU_LANES + 3);
	engine_close(engine);
	plan.threads = 0;
	plan.cipher = GPUCRYPT_AES;
	engine = opened(&plan, ENCRYPT);
	assert_true(engine->lanes > OPENCL_CPU_LANES);
	engine_close(engine);
	plan.device = 7;
	assert_ok(suite_of_plan(&suite, &plan, ENCRYPT));
	assert_status(engine_open(&engine, &suite, &plan), GPUCRYPT_DEVICE);
}

/* An engine that fails after some groups. */
static unsigned left, closed;

static int fake_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	(void)engine, (void)lane, (void)work;
	assert_null(work->tag_r); /* it has no tags */
	return left-- > 0 ? GPUCRYPT_OK : fail(GPUCRYPT_DEVICE, "the fake broke");
}

static void fake_close(struct engine *engine)
{
	(void)engine;
	closed++;
}

TEST(a_part_that_fails_fails)
{
	static const struct engine_class fake_class = { .name = "fake", .crypt = fake_crypt, .close = fake_close };
	struct engine fakes[2] = { { .class = &fake_class, .lanes = 1 }, { .class = &fake_class, .lanes = 3 } };
	struct engine *parts[] = { &fakes[0], &fakes[1] }, *engine;
	uint8_t bytes[16] = { 0 }, r[16] = { 1 }, tags[1][16];
	const struct work work = {
		.in = bytes, .out = bytes, .n_bytes = 16, .tag_r = r, .tags = tags, .chunk_log2 = 12
	};
	struct host_buffer buffer;

	assert_ok(engine_join(&engine, parts, 2));
	assert_int_equal(engine->lanes, 4);
	assert_ok(engine_allocate(engine, &buffer, 100));
	assert_null(buffer.handle); /* neither locks memory */
	engine_release(engine, &buffer);
	left = 3;
	fail_clear();
	for (unsigned lane = 0; lane < 3; lane++)
		assert_ok(engine_crypt(engine, lane, &work));
	assert_fails(engine_crypt(engine, 3, &work), GPUCRYPT_DEVICE, "the fake broke");
	engine_close(engine);
	assert_int_equal(closed, 2);
}

void program_set_up(void)
{
	setenv("POCL_DEVICES", "pthread pthread", 1);
}
