/* The ring of stages: order, bound, end and failure, with as much disorder as threads can make. */
#include "tests/unit/cmocka_all.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "gpucrypt/pipeline/pipeline.h"

#define MAX_SLOTS 8

struct job {
	uint64_t n_items;           /* declared by the first stage; UINT64_MAX: never */
	uint64_t fail_at[4];        /* by stage; UINT64_MAX: never */
	uint64_t last_at;           /* and all after it: declared by the third stage */
	unsigned slow_stage;        /* yields now and then */
	uint64_t slot[MAX_SLOTS];   /* item in it, plain memory: the ring must order its use */
	unsigned stage[MAX_SLOTS];  /* that worked on it last */
	uint64_t next_in, next_out; /* single workers see every item in order */
	atomic_uint in_flight, most;
	atomic_bool wrong;
};

static void check(struct job *job, bool good)
{
	if (!good)
		job->wrong = true; /* cmocka's assertions only work in its own thread */
}

static void dawdle(uint64_t item)
{
	if (item % 3 == 0)
		usleep(50);
	else
		sched_yield();
}

static int finish(struct job *job, unsigned stage, uint64_t item)
{
	if (job->slow_stage == stage)
		dawdle(item);
	if (item == job->fail_at[stage])
		return fail(GPUCRYPT_IO, "stage %u fails at %d", stage, (int)item);
	return GPUCRYPT_OK;
}

static int first(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct job *job = self;
	unsigned n = ++job->in_flight, most = job->most;
	int status;

	while (n > most && !atomic_compare_exchange_weak(&job->most, &most, n))
		;
	check(job, worker == 0 && item == job->next_in++);
	job->slot[slot] = item;
	job->stage[slot] = 0;
	status = finish(job, 0, item);
	return status == GPUCRYPT_OK && item + 1 == job->n_items ? PIPELINE_LAST : status;
}

static int middle(struct job *job, unsigned stage, unsigned slot, uint64_t item)
{
	check(job, job->slot[slot] == item && job->stage[slot] == stage - 1);
	job->stage[slot] = stage;
	return finish(job, stage, item);
}

static int second(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	check(self, worker < 4);
	return middle(self, 1, slot, item);
}

static int third(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct job *job = self;
	int status = middle(job, 2, slot, item);

	check(job, worker < 3);
	return status == GPUCRYPT_OK && item >= job->last_at ? PIPELINE_LAST : status;
}

static int fourth(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	struct job *job = self;
	int status = middle(job, 3, slot, item);

	check(job, worker == 0 && item == job->next_out);
	if (status == GPUCRYPT_OK)
		job->next_out++;
	job->in_flight--;
	return status;
}

static struct job make(uint64_t n_items)
{
	return (struct job){ .n_items = n_items,
		.fail_at = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
		.last_at = UINT64_MAX,
		.slow_stage = 9 };
}

static const struct stage stages[] = { { "first", first, 1 }, { "second", second, 4 }, { "third", third, 3 },
	{ "fourth", fourth, 1 } };

static int run(struct job *job, unsigned n_slots)
{
	struct items all = { .first = 0 };

	return pipeline_run(job, stages, N_OF(stages), n_slots, &all);
}

TEST(all_items_in_order)
{
	for (unsigned n_slots = 1; n_slots <= MAX_SLOTS; n_slots++) {
		for (unsigned slow = 0; slow < 5; slow++) {
			struct job job = make(100);

			job.slow_stage = slow;
			assert_ok(run(&job, n_slots));
			assert_false(job.wrong);
			assert_int_equal(job.next_out, 100);
			assert_in_range(job.most, 1, n_slots);
		}
	}
}

TEST(one_item)
{
	struct job job = make(1);

	assert_ok(run(&job, 3));
	assert_int_equal(job.next_out, 1);
}

/* The failure of the lowest item counts, whichever item fails first in time, and all items before it are written. */
TEST(lowest_failure_counts)
{
	char text[64];

	for (unsigned round = 0; round < 100; round++) {
		struct job job = make(500);
		unsigned lowest = 20 + round % 7;

		job.slow_stage = round % 5;
		job.fail_at[3] = lowest;
		job.fail_at[round % 3] = lowest + 1 + round % 5;
		fail_clear();
		fail(GPUCRYPT_OTHER, "an older failure of the calling thread");
		assert_status(run(&job, 1 + round % MAX_SLOTS), GPUCRYPT_IO);
		snprintf(text, sizeof text, "stage 3 fails at %u", lowest);
		assert_string_equal(gpucrypt_error(), text);
		assert_int_equal(job.next_out, lowest);
		assert_false(job.wrong);
	}
}

/* A later stage may declare an item the last one: items that were started after it are discarded. */
TEST(last_from_a_later_stage)
{
	for (unsigned round = 0; round < 100; round++) {
		struct job job = make(UINT64_MAX);

		job.last_at = 30 + round;
		job.fail_at[round % 3] = job.last_at + 1 + round % 2;
		job.slow_stage = round % 5;
		assert_ok(run(&job, 1 + round % MAX_SLOTS));
		assert_int_equal(job.next_out, job.last_at + 1);
		assert_false(job.wrong);
	}
}

TEST(failure_at_the_last_item)
{
	for (unsigned stage = 0; stage < 4; stage++) {
		struct job job = make(10);

		job.fail_at[stage] = 9;
		assert_status(run(&job, 4), GPUCRYPT_IO);
		assert_int_equal(job.next_out, 9);
	}
}

/* The stage with the most working time is the bottleneck. */
static int sleep_a_while(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	(void)self, (void)worker, (void)slot, (void)item;
	usleep(2000);
	return GPUCRYPT_OK;
}

static int end_at_ten(void *self, unsigned worker, unsigned slot, uint64_t item)
{
	(void)self, (void)worker, (void)slot;
	return item == 9 ? PIPELINE_LAST : GPUCRYPT_OK;
}

TEST(the_busiest_is_named)
{
	const struct stage unequal[] = { { "quick", end_at_ten, 1 }, { "one", sleep_a_while, 1 },
		{ "five", sleep_a_while, 5 } };
	struct items items = { .first = 0 };

	assert_ok(pipeline_run(NULL, unequal, N_OF(unequal), 6, &items));
	assert_string_equal(items.busiest, "one");
	assert_true(items.busy > 0 && items.busy <= 1);
}
