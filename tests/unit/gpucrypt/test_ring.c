/* Slots: how many, that they are page-locked once, and that they are wiped. */
#include "tests/unit/cmocka_all.h"

#include <stdatomic.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/pipeline/pipeline.h"

#define SLOT_BYTES ((size_t)6 << 20)

/* An engine that counts page-locked buffers. */
static unsigned n_locked;
static atomic_uint n_unlocked;

static int fake_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	(void)engine, (void)n_bytes;
	buffer->handle = buffer;
	n_locked++;
	return GPUCRYPT_OK;
}

/* Several threads release slots. */
static void fake_unlock(struct engine *engine, struct host_buffer *buffer)
{
	(void)engine;
	if (all_zero(buffer->bytes, SLOT_BYTES))
		n_unlocked++;
}

static const struct engine_class locks = { .name = "fake", .lock = fake_lock, .unlock = fake_unlock };

/* Slots are locked when they are first taken, and wiped before they are released. */
TEST(slots_are_locked_and_wiped)
{
	struct engine engine = { .class = &locks };
	struct ring ring;
	struct host_buffer *buffer;

	assert_ok(ring_open(&ring, &engine, 6, SLOT_BYTES, UINT64_MAX, 0));
	assert_int_equal(ring.n_slots, ring_slots(6, 0, SLOT_BYTES, UINT64_MAX, 0));
	for (unsigned i = 0; i < 2 * ring.n_slots; i++) {
		assert_ok(ring_take(&ring, i % ring.n_slots, &buffer));
		memset(buffer->bytes, 0x5a, SLOT_BYTES);
		ring_use(&ring, i % ring.n_slots, SLOT_BYTES);
	}
	assert_int_equal(n_locked, ring.n_slots);
	ring_close(&ring);
	assert_int_equal(n_unlocked, n_locked);
}

TEST(memory_has_its_limit)
{
	struct ring ring;

	assert_ok(ring_open(&ring, NULL, 30, SLOT_BYTES, UINT64_MAX, 5 * SLOT_BYTES));
	assert_int_equal(ring.n_slots, 5);
	ring_close(&ring);
	assert_ok(ring_open(&ring, NULL, 30, SLOT_BYTES, 3, 0));
	assert_int_equal(ring.n_slots, 3); /* no more items */
	ring_close(&ring);
	assert_status(ring_open(&ring, NULL, 1, SLOT_BYTES, UINT64_MAX, SLOT_BYTES), GPUCRYPT_USAGE);
}
