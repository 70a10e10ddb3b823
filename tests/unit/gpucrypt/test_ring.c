/* Slots: how many, that they are wiped, and that another engine gets them. */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/pipeline/ring.h"
#include "gpucrypt/status.h"

#define SLOT_BYTES ((size_t)6 << 20)

/* An engine that says what it was asked to lock. */
static unsigned n_locked, n_unlocked;

static int fake_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	(void)engine;
	for (size_t i = 0; i < n_bytes; i++)
		assert_int_equal(buffer->bytes[i], 0); /* nothing that another engine has left */
	buffer->handle = buffer;
	n_locked++;
	return GPUCRYPT_OK;
}

static void fake_unlock(struct engine *engine, struct host_buffer *buffer)
{
	(void)engine, (void)buffer;
	n_unlocked++;
}

static const struct engine_class locks = { .name = "fake", .lock = fake_lock, .unlock = fake_unlock };

static void fill(struct ring *ring)
{
	uint8_t *bytes;

	for (unsigned i = 0; i < ring->n_slots; i++) {
		assert_int_equal(ring_take(ring, i, &bytes), GPUCRYPT_OK);
		memset(bytes, 0x5a, SLOT_BYTES);
		ring_use(ring, i, SLOT_BYTES);
	}
}

/* From so many workers to so many: the slots that there are go on, wiped, and are locked once. */
static void hand_over(unsigned workers, unsigned next)
{
	struct engine engine = { .class = &locks };
	struct ring ring;
	unsigned before;
	uint8_t *bytes;

	n_locked = n_unlocked = 0;
	assert_int_equal(ring_open(&ring, NULL, workers, SLOT_BYTES, UINT64_MAX, 0), GPUCRYPT_OK);
	before = ring.n_slots;
	fill(&ring);
	assert_int_equal(ring_hand_over(&ring, &engine, next, UINT64_MAX, 0), GPUCRYPT_OK);
	assert_int_equal(ring.n_slots, ring_slots(next, SLOT_BYTES, UINT64_MAX, 0));
	for (unsigned i = 0; i < ring.n_slots && i < before; i++)
		assert_non_null(ring.slots[i].bytes);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < ring.n_slots && i < before; i++)
			assert_int_equal(ring_take(&ring, i, &bytes), GPUCRYPT_OK);
	assert_int_equal(n_locked, ring.n_slots < before ? ring.n_slots : before);
	ring_close(&ring);
	assert_int_equal(n_unlocked, n_locked);
}

TEST(another_engine)
{
	hand_over(6, 6);
	hand_over(9, 2);
	hand_over(1, 12);
}

TEST(memory_has_its_limit)
{
	struct engine engine = { .class = &locks };
	struct ring ring;

	assert_int_equal(ring_open(&ring, NULL, 1, SLOT_BYTES, UINT64_MAX, 5 * SLOT_BYTES), GPUCRYPT_OK);
	assert_int_equal(ring_hand_over(&ring, &engine, 30, UINT64_MAX, 5 * SLOT_BYTES), GPUCRYPT_OK);
	assert_int_equal(ring.n_slots, 5);
	assert_int_equal(ring_hand_over(&ring, &engine, 30, 3, 0), GPUCRYPT_OK);
	assert_int_equal(ring.n_slots, 3); /* no more items */
	ring_close(&ring);
	fail_clear();
	assert_int_equal(ring_open(&ring, NULL, 1, SLOT_BYTES, UINT64_MAX, SLOT_BYTES), GPUCRYPT_USAGE);
	fail_clear();
}
