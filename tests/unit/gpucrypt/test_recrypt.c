/* From one suite to another in one go, on each engine: what two single steps of the reference give,
 * and nothing of the plaintext in what a device sends back. */
#include "tests/unit/values.h"
#include "tests/unit/containers.h"

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/tag.h"

#define CHUNK_LOG2 12
#define CHUNK      ((size_t)1 << CHUNK_LOG2)
#define MAX_BYTES  (5 * CHUNK)

static const struct pair {
	const char *from, *from_mode, *to, *to_mode;
	unsigned from_bits, to_bits;
} pairs[] = {
	{ "aes", "ctr", "camellia", "xts", 256, 128 },
	{ "camellia", "xts", "aes", "ctr", 192, 256 },
	{ "sc2000", "ecb", "aes", "xts", 128, 192 },
	{ "aes", "ctr", "aes", "ctr", 256, 256 },
	{ "aes", "xts", "sc2000", "ecb", 256, 256 },
};

static const struct way {
	const char *engine, *tags;
} ways[] = { { "cpu", NULL }, { "opencl", "host" }, { "opencl", "device" } };

/* Inspect the bytes that come from the device. */
static const uint8_t *secret; /* plaintext; NULL: not looked for */
static size_t secret_bytes, n_seen, n_looked_at;

WRAPPED(clEnqueueReadBuffer);

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
        size_t n_bytes, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int error = __real_clEnqueueReadBuffer(
	        queue, memory, secret != NULL ? CL_TRUE : blocking, offset, n_bytes, to, n, wait, event);

	if (secret != NULL)
		n_looked_at += n_bytes;
	for (size_t at = 0; secret != NULL && at + BLOCK_BYTES <= secret_bytes; at += BLOCK_BYTES)
		n_seen += memmem(to, n_bytes, secret + at, BLOCK_BYTES) != NULL;
	return error;
}

static bool no_queue;
WRAPPED(clRetainCommandQueue);

cl_int __wrap_clRetainCommandQueue(cl_command_queue queue)
{
	return no_queue ? CL_OUT_OF_HOST_MEMORY : __real_clRetainCommandQueue(queue);
}

static struct suite suite_of(const char *cipher, const char *mode, unsigned bits, enum direction direction)
{
	const struct gpucrypt_plan plan = {
		.cipher = value_of(&cipher_names, cipher), .mode = value_of(&mode_names, mode), .key_bits = bits
	};
	struct suite suite;

	assert_ok(suite_of_plan(&suite, &plan, direction));
	return suite;
}

/* Both engines; false: there is no such device. */
static bool open_both(struct engine *engines[2], const struct pair *pair, const struct way *way)
{
	const struct gpucrypt_plan plan = { .engine = value_of(&engine_names, way->engine),
		.tags = value_of(&tag_place_names, way->tags),
		.threads = 2 };
	struct suite from = suite_of(pair->from, pair->from_mode, pair->from_bits, DECRYPT),
	             to = suite_of(pair->to, pair->to_mode, pair->to_bits, ENCRYPT);

	fail_clear();
	if (engine_open(&engines[0], &from, &plan) != GPUCRYPT_OK)
		return false;
	assert_ok(engine_open_after(&engines[1], &to, &plan, &engines[0]));
	assert_ptr_equal(engines[1]->class, engines[0]->class);
	return true;
}

/* A buffer with two keys and the expected result. */
struct sample {
	uint8_t keys[2][64], r[2][16], iv[2][16];
	uint8_t plain[MAX_BYTES + 16], old[MAX_BYTES + 16], new[MAX_BYTES + 16];
	uint8_t old_tags[8][TAG_BYTES], new_tags[8][TAG_BYTES];
	size_t n_bytes, stored[2];
};

static struct work work_of(
        struct sample *s, unsigned half, const struct mode *mode, uint8_t *bytes, uint8_t (*tags)[16])
{
	struct work work = { .in = bytes,
		.out = bytes,
		.n_bytes = s->stored[half],
		.first_block = 3 * CHUNK / BLOCK_BYTES,
		.key = s->keys[half],
		.unit_log2 = mode->has_tweaks ? 12 : 0,
		.tweak_step = mode->has_tweaks,
		.tag_r = tags != NULL ? s->r[half] : NULL,
		.tags = tags,
		.chunk_log2 = CHUNK_LOG2 };

	memcpy(work.iv, s->iv[half], sizeof work.iv);
	return work;
}

/* One encryption by the reference implementation, and its tags. */
static void encrypt_one(struct sample *s, unsigned half, struct suite suite, uint8_t *bytes, uint8_t tags[][TAG_BYTES])
{
	const struct gpucrypt_plan plan = { .threads = 1 };
	struct engine *host;
	struct work work = work_of(s, half, suite.mode, bytes, NULL);

	suite.direction = ENCRYPT;
	assert_ok(engine_host.open(&host, &suite, &plan, NULL));
	memcpy(bytes, s->plain, sizeof s->plain);
	assert_ok(engine_crypt(host, 0, &work));
	engine_close(host);
	assert_ok(chunk_tags(tags, s->r[half], bytes, work.n_bytes, CHUNK_LOG2));
}

static void sample_make(struct sample *s, struct engine *const engines[2], size_t n_bytes, bool odd_filler)
{
	assert_ok(random_bytes((uint8_t *)s, sizeof *s));
	memset(s->plain + n_bytes, odd_filler ? 7 : 0, sizeof s->plain - n_bytes);
	s->n_bytes = n_bytes;
	for (unsigned i = 0; i < 2; i++)
		s->stored[i] = payload_bytes(n_bytes, engines[i]->suite.mode->whole_blocks);
	encrypt_one(s, 0, engines[0]->suite, s->old, s->old_tags);
	memset(s->plain + n_bytes, 0, sizeof s->plain - n_bytes);
	encrypt_one(s, 1, engines[1]->suite, s->new, s->new_tags);
}

static size_t tag_bytes(const struct sample *s)
{
	return (s->n_bytes + CHUNK - 1) / CHUNK * TAG_BYTES;
}

static void check_one(struct engine *const engines[2], unsigned lane, size_t n_bytes, bool odd_filler)
{
	static struct sample s;
	static uint8_t bytes[MAX_BYTES + 16], old_tags[8][TAG_BYTES], new_tags[8][TAG_BYTES];
	struct recryption both;

	sample_make(&s, engines, n_bytes, odd_filler);
	memset(old_tags, 0, sizeof old_tags);
	memset(new_tags, 0, sizeof new_tags);
	memcpy(bytes, s.old, sizeof bytes);
	both = (struct recryption){ .decrypt = work_of(
		                            &s, 0, engines[0]->suite.mode, bytes, engines[0]->tags ? old_tags : NULL),
		.encrypt = work_of(&s, 1, engines[1]->suite.mode, bytes, engines[1]->tags ? new_tags : NULL),
		.plain_bytes = n_bytes };
	secret = s.plain;
	secret_bytes = n_bytes;
	assert_ok(engine_recrypt(engines[1], lane, &both));
	secret = NULL;
	assert_memory_equal(bytes, s.new, s.stored[1]);
	if (engines[0]->tags)
		assert_memory_equal(old_tags, s.old_tags, tag_bytes(&s));
	if (engines[1]->tags)
		assert_memory_equal(new_tags, s.new_tags, tag_bytes(&s));
	for (size_t i = 0; i < s.stored[0] - n_bytes; i++)
		assert_int_equal(both.filler[i], odd_filler ? 7 : 0);
}

TEST(as_two_steps)
{
	static const size_t sizes[] = { 0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 100, MAX_BYTES };

	for (size_t i = 0; i < N_OF(ways) * N_OF(pairs); i++) {
		struct engine *engines[2];

		/* Tags on the host are the same for all suites. */
		if ((i % N_OF(ways) == 1 && i > N_OF(ways)) ||
		        !open_both(engines, &pairs[i / N_OF(ways)], &ways[i % N_OF(ways)]))
			continue;
		for (size_t k = 0; k < N_OF(sizes); k++)
			check_one(engines, (unsigned)k % engines[1]->lanes, sizes[k], k % 2 == 0);
		engine_close(engines[1]);
		engine_close(engines[0]);
	}
	assert_int_equal(n_seen, 0);
}

/* One step of an engine does send plaintext: it would have been seen. */
TEST(plaintext_would_be_seen)
{
	static struct sample s;
	static uint8_t bytes[MAX_BYTES + 16];
	struct engine *engines[2];
	struct work work;

	if (!open_both(engines, &pairs[0], &ways[1]))
		skip();
	assert_true(n_looked_at > 0);
	sample_make(&s, engines, CHUNK, false);
	memcpy(bytes, s.old, sizeof bytes);
	work = work_of(&s, 0, engines[0]->suite.mode, bytes, NULL);
	secret = s.plain;
	secret_bytes = CHUNK;
	assert_ok(engine_crypt(engines[0], 0, &work));
	secret = NULL;
	assert_int_equal(n_seen, CHUNK / BLOCK_BYTES);
	assert_memory_equal(bytes, s.plain, CHUNK);
	engine_close(engines[1]);
	engine_close(engines[0]);
}

TEST(not_with_all)
{
	const struct gpucrypt_plan plan = { .threads = 1 };
	struct suite suite = suite_of("aes", "ctr", 256, ENCRYPT);
	struct engine *engine, several = { .class = &engine_all, .lanes = 1 }, *all = &several;

	assert_status(engine_open_after(&engine, &suite, &plan, &all), GPUCRYPT_USAGE);
	assert_null(engine);
}

/* An engine that cannot be opened is none, and the other one stays. */
TEST(no_second_engine)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL };
	struct suite from = suite_of("aes", "ctr", 256, DECRYPT), to = suite_of("aes", "xts", 256, ENCRYPT);
	struct engine *first, *second;

	fail_clear();
	if (engine_open(&first, &from, &plan) != GPUCRYPT_OK)
		skip();
	no_queue = true;
	assert_status(engine_open_after(&second, &to, &plan, &first), GPUCRYPT_DEVICE);
	no_queue = false;
	assert_null(second);
	assert_ok(engine_open_after(&second, &to, &plan, &first));
	engine_close(second);
	engine_close(first);
}

/* A plan that lets the CPU be taken gets two of its engines, which say why; the table form is one of
 * the second suite's. */
static void cpu_takes_both(const char *from_cipher, const char *to_cipher, const char *table)
{
	struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL, .device = 1, .or_cpu = true, .threads = 2 };
	struct suite from = suite_of(from_cipher, "ctr", 256, DECRYPT), to = suite_of(to_cipher, "xts", 256, ENCRYPT);
	struct engine *engines[2];

	assert_ok(engine_open(&engines[0], &from, &plan));
	if (engines[0]->class != &engine_opencl) {
		engine_close(engines[0]);
		skip();
	}
	plan.kernel.table = value_of(&table_names, table);
	no_queue = true;
	assert_ok(engine_open_after(&engines[1], &to, &plan, &engines[0]));
	no_queue = false;
	assert_string_equal(gpucrypt_error(), "");
	for (unsigned i = 0; i < 2; i++) {
		assert_ptr_equal(engines[i]->class, &engine_cpu);
		assert_non_null(strstr(engines[i]->note, "no queue, kernel or memory: "));
		assert_non_null(strstr(engines[i]->note, "; using the CPU"));
	}
	check_one(engines, 1, 3 * CHUNK + 100, false);
	engine_close(engines[1]);
	engine_close(engines[0]);
}

TEST(cpu_for_both)
{
	cpu_takes_both("aes", "camellia", NULL);
	cpu_takes_both("aes", "sc2000", "6,5,5,5,5,6");
}
