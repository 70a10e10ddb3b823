#include "gpucrypt/clock.h"
#include "gpucrypt/pipeline/pipeline.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

#define MAX_STAGES 8

struct line {
	pthread_mutex_t mutex;   /* of everything below that changes */
	pthread_cond_t *changed; /* by slot: who waits for an item waits for its slot */
	void *job;
	const struct stage *stages;
	unsigned n_stages, n_slots;
	struct items *items;       /* which of them */
	bool ended;                /* one was declared the last */
	uint64_t next[MAX_STAGES]; /* by stage: the item it takes next */
	double busy_s[MAX_STAGES]; /* by stage: of all its workers */
	uint64_t *turn;            /* by slot: times a stage has left it, all stages together */
	uint64_t last;             /* lowest item declared the last */
	uint64_t failed;           /* lowest item that failed, with its status and text */
	int status;
	char text[1024];
};

struct worker {
	struct line *line;
	unsigned stage, number;
	pthread_t thread;
};

static bool wanted(const struct line *line, uint64_t item)
{
	return item <= line->last && item < line->failed;
}

/* What everyone has to know. */
static void tell_all(struct line *line)
{
	for (unsigned slot = 0; slot < line->n_slots; slot++)
		pthread_cond_broadcast(&line->changed[slot]);
}

/* Whoever comes for a new item: there may have been enough of them. */
static void stop_if_enough(struct line *line)
{
	const struct items *items = line->items;
	uint64_t begun = line->next[0];

	if (items->enough == NULL || begun == items->first || begun > line->last || !atomic_load(items->enough))
		return;
	line->last = begun - 1;
	tell_all(line);
}

static unsigned slot_of(const struct line *line, uint64_t item)
{
	return (unsigned)((item - line->items->first) % line->n_slots);
}

/* The stage's next item, once its slot is there; false: there is nothing more to do. */
static bool take(struct line *line, unsigned stage, uint64_t *item)
{
	unsigned slot;
	uint64_t turn;
	bool go;

	pthread_mutex_lock(&line->mutex);
	if (stage == 0)
		stop_if_enough(line);
	*item = line->next[stage]++;
	slot = slot_of(line, *item);
	turn = (*item - line->items->first) / line->n_slots * line->n_stages + stage;
	while (wanted(line, *item) && line->turn[slot] != turn)
		pthread_cond_wait(&line->changed[slot], &line->mutex);
	go = wanted(line, *item);
	pthread_mutex_unlock(&line->mutex);
	return go;
}

/* The failure of the lowest item counts, whichever was first in time. */
static void keep_failure(struct line *line, uint64_t item, int status, const char *text)
{
	if (item >= line->failed)
		return;
	line->failed = item;
	line->status = status;
	snprintf(line->text, sizeof line->text, "%s", text);
}

static void leave(struct line *line, unsigned stage, uint64_t item, int status, double busy_s)
{
	unsigned slot = slot_of(line, item);

	pthread_mutex_lock(&line->mutex);
	line->busy_s[stage] += busy_s;
	if (status == PIPELINE_LAST) {
		line->last = item < line->last ? item : line->last;
		line->ended = true;
	} else if (status != GPUCRYPT_OK)
		keep_failure(line, item, status, gpucrypt_error());
	line->turn[slot]++;
	if (status == GPUCRYPT_OK)
		pthread_cond_broadcast(&line->changed[slot]);
	else
		tell_all(line);
	pthread_mutex_unlock(&line->mutex);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct line *line = worker->line;
	const struct stage *stage = &line->stages[worker->stage];
	uint64_t item;
	void *locked = locked_stack();

	while (take(line, worker->stage, &item)) {
		double begun = clock_seconds(CLOCK_MONOTONIC);
		int status = stage->run(line->job, worker->number, slot_of(line, item), item);

		leave(line, worker->stage, item, status, clock_seconds(CLOCK_MONOTONIC) - begun);
	}
	locked_stack_release(locked);
	return NULL;
}

/* All threads of all stages; returns how many could be started. */
static unsigned start(struct line *line, struct worker *workers)
{
	unsigned n = 0;

	for (unsigned s = 0; s < line->n_stages; s++) {
		for (unsigned w = 0; w < line->stages[s].workers; w++, n++) {
			workers[n] = (struct worker){ .line = line, .stage = s, .number = w };
			if (pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0) {
				pthread_mutex_lock(&line->mutex);
				keep_failure(line, 0, GPUCRYPT_OTHER, "a thread cannot be started");
				tell_all(line);
				pthread_mutex_unlock(&line->mutex);
				return n;
			}
		}
	}
	return n;
}

static void find_busiest(const struct line *line, double seconds)
{
	line->items->busy = 0;
	for (unsigned s = 0; s < line->n_stages; s++) {
		double busy = line->busy_s[s] / (line->stages[s].workers * seconds);

		if (busy > line->items->busy) {
			line->items->busiest = line->stages[s].name;
			line->items->busy = busy;
		}
	}
}

int stage_both(stage_run *first, stage_run *second, void *job, unsigned worker, unsigned slot, uint64_t item)
{
	int last = first(job, worker, slot, item), status;

	if (last != GPUCRYPT_OK && last != PIPELINE_LAST)
		return last;
	status = second(job, worker, slot, item);
	return status == GPUCRYPT_OK ? last : status;
}

int pipeline_run(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots)
{
	struct items all = { .first = 0 };

	return pipeline_run_items(job, stages, n_stages, n_slots, &all);
}

int pipeline_run_items(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots, struct items *items)
{
	struct line line = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.job = job,
		.stages = stages,
		.n_stages = n_stages,
		.n_slots = n_slots,
		.items = items,
		.last = UINT64_MAX,
		.failed = UINT64_MAX };
	struct worker *workers = NULL;
	unsigned n_workers = 0;
	int status = GPUCRYPT_OK;
	double begun;

	for (unsigned s = 0; s < n_stages; s++) {
		n_workers += stages[s].workers;
		line.next[s] = items->first;
	}
	line.turn = calloc(n_slots, sizeof *line.turn);
	line.changed = calloc(n_slots, sizeof *line.changed);
	workers = calloc(n_workers, sizeof *workers);
	if (line.turn == NULL || line.changed == NULL || workers == NULL) {
		status = fail(GPUCRYPT_OTHER, "out of memory");
		goto done;
	}
	for (unsigned slot = 0; slot < n_slots; slot++)
		pthread_cond_init(&line.changed[slot], NULL);
	begun = clock_seconds(CLOCK_MONOTONIC);
	n_workers = start(&line, workers);
	for (unsigned n = 0; n < n_workers; n++)
		pthread_join(workers[n].thread, NULL);
	find_busiest(&line, clock_seconds(CLOCK_MONOTONIC) - begun);
	for (unsigned slot = 0; slot < n_slots; slot++)
		pthread_cond_destroy(&line.changed[slot]);
	if (line.failed <= line.last && line.failed != UINT64_MAX) {
		fail_clear();
		status = fail((enum gpucrypt_status)line.status, "%s", line.text);
	}
	items->ended = line.ended;
	items->first = line.last + 1;
done:
	pthread_mutex_destroy(&line.mutex);
	free(workers);
	free(line.turn);
	free(line.changed);
	return status;
}
