/* Constant-time engines against the reference with tables, in every suite and at lengths around a work-item's blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cmocka_all.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/engine/opencl/program.h"
#define MAX_BYTES (2 * 1024 * 16 + 512)

struct buffers {
	uint8_t in[MAX_BYTES + 16], out[MAX_BYTES + 16], want[MAX_BYTES + 16], key[64];
};

/* A length around one or two groups of 256, 512 or 1024 blocks; or any. */
static size_t some_length(const struct mode *mode, int i)
{
	static const size_t blocks[] = { 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048 };
	size_t n = i < 15 ? 16 * blocks[i] : 16 + (size_t)rand() % (MAX_BYTES - 16);

	if (mode->number == MODE_ECB)
		return n / 16 * 16;
	/* One unit's tail has to be at least a block. */
	if (i < 15)
		n += (size_t)rand() % 16;
	return mode->has_tweaks && n % 512 < 16 ? n / 512 * 512 + 16 : n;
}

static void compare(struct engine *engine, struct engine *reference)
{
	static struct buffers b;
	const struct mode *mode = engine->suite.mode;

	for (int i = 0; i < 25; i++) {
		struct work work = { .in = b.in,
			.out = b.out,
			.key = b.key,
			.n_bytes = some_length(mode, i),
			.unit_log2 = mode->has_tweaks ? 9 : 0,
			.tweak_step = mode->has_tweaks ? 1 + 7 * (i % 2) : 0,
			.first_block = 32 * (uint64_t)(unsigned)rand() };
		random_bytes(b.in, sizeof(b.in));
		random_bytes(b.key, sizeof(b.key));
		random_bytes(work.iv, sizeof(work.iv));
		if (i % 2 == 0) /* a counter that wraps, and carries that go far */
			memset(work.iv, 0xff, 15);
		assert_ok(engine_crypt(engine, 0, &work));
		work.out = b.want;
		assert_ok(engine_crypt(reference, 0, &work));
		if (memcmp(b.out, b.want, work.n_bytes) != 0)
			print_error("%s: %s-%u-%s %d: %zu bytes differ from those of %s\n", engine->description,
			        engine->suite.cipher->name, 8 * engine->suite.key_bytes, mode->name,
			        engine->suite.direction, work.n_bytes, reference->description);
		assert_memory_equal(b.out, b.want, work.n_bytes);
		/* In place. */
		work.in = work.out = b.in;
		assert_ok(engine_crypt(engine, 0, &work));
		assert_memory_equal(b.in, b.want, work.n_bytes);
	}
}

/* A device builds a program for each suite: there, every core in both directions and every mode in
 * both directions, each once. */
static bool is_tried(const struct engine_class *class, const struct cipher *cipher, int m_d)
{
	static const struct {
		const struct cipher *cipher;
		int m_d;
	} tried[] = { { &cipher_aes, 2 * MODE_ECB }, { &cipher_aes, 2 * MODE_XTS + 1 },
		{ &cipher_camellia, 2 * MODE_CTR }, { &cipher_camellia, 2 * MODE_ECB + 1 },
		{ &cipher_sc2000, 2 * MODE_XTS }, { &cipher_sc2000, 2 * MODE_ECB + 1 } };
	bool found = class != &engine_opencl;

	for (size_t i = 0; i < N_OF(tried); i++)
		found |= tried[i].cipher == cipher && tried[i].m_d == m_d;
	return found;
}

TEST(test_engines)
{
	static const struct engine_class *const classes[] = { &engine_host, &engine_cpu, &engine_opencl };
	const struct gpucrypt_plan constant = { .threads = 1, .constant_time = true }, table = { .threads = 1 };
	unsigned n = 0;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (int m_d = 0; m_d < 2 * N_MODES; m_d++)
			for (int e = 0; e < 3; e++) {
				struct suite suite = { *c, &modes[m_d / 2], 16 + 8 * (n++ % 3),
					m_d % 2 == 0 ? ENCRYPT : DECRYPT };
				struct engine *engine, *reference = NULL;

				if (!is_tried(classes[e], *c, m_d))
					continue;
				if (engine_open_class(&engine, classes[e], &suite, &constant) ||
				        engine_open_class(&reference, &engine_host, &suite, &table))
					fail_msg("%s", gpucrypt_error());
				compare(engine, reference);
				engine_close(reference);
				engine_close(engine);
			}
}

TEST(test_plans)
{
	struct gpucrypt_plan plan = { .constant_time = true };
	struct program_shape shape;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		plan.kernel.table = TABLE_OPEN;
		assert_ok(program_shape_of_plan(&shape, *c, &plan));
		assert_true(form_is_sliced(shape.form));
		plan.kernel.table = TABLE_BITSLICED;
		assert_ok(program_shape_of_plan(&shape, *c, &plan));
		plan.kernel.table = (*c)->forms[0].id;
		assert_status(program_shape_of_plan(&shape, *c, &plan), GPUCRYPT_USAGE);
	}
}

void program_set_up(void)
{
	srand(20261122);
}
