#include "gpucrypt/clock.h"
#include "gpucrypt/pipeline/pipeline.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/status.h"

#define MAX_STAGES  8
#define LIMIT_NAME  "--bwlimit"
#define LIMIT_SHARE 0.9 /* used share of the rate limit from which on the limit is the bottleneck */

struct line {
	pthread_mutex_t mutex;   /* protects all variable members below */
	pthread_cond_t *changed; /* by slot: signalled to the workers that wait for its item */
	void *job;
	struct stage stages[MAX_STAGES];
	unsigned n_stages, n_slots, n_workers;
	struct items *items;       /* which of them */
	uint64_t next[MAX_STAGES]; /* by stage: the item it starts next */
	double busy_s[MAX_STAGES]; /* by stage: total busy time of its workers */
	double told_s[MAX_STAGES]; /* the same, when pipeline_busiest() was called last */
	double start_s, limit_s;   /* the time and rate_used_s() at the start of the run */
	uint64_t *turn;            /* by slot: how often a stage has left it, all stages together */
	uint64_t last;             /* lowest item declared the last */
	uint64_t failed;           /* lowest item that failed, with its status and text */
	int status;
	char text[1024];
};

static _Thread_local struct line *own_line; /* of this thread */

struct worker {
	struct line *line;
	unsigned stage, number;
	pthread_t thread;
};

static bool is_wanted(const struct line *line, uint64_t item)
{
	return item <= line->last && item < line->failed;
}

static void wake_all(struct line *line)
{
	for (unsigned slot = 0; slot < line->n_slots; slot++)
		pthread_cond_broadcast(&line->changed[slot]);
}

static unsigned slot_of(const struct line *line, uint64_t item)
{
	return (unsigned)((item - line->items->first) % line->n_slots);
}

/* The stage's next item, once its slot is free for it; false: there is no more work. */
static bool start_item(struct line *line, unsigned stage, uint64_t *item)
{
	unsigned slot;
	uint64_t turn;
	bool wanted;

	pthread_mutex_lock(&line->mutex);
	*item = line->next[stage]++;
	slot = slot_of(line, *item);
	turn = (*item - line->items->first) / line->n_slots * line->n_stages + stage;
	while (is_wanted(line, *item) && line->turn[slot] != turn)
		pthread_cond_wait(&line->changed[slot], &line->mutex);
	wanted = is_wanted(line, *item);
	pthread_mutex_unlock(&line->mutex);
	return wanted;
}

/* If several items fail, report the failure of the lowest item, not the first failure in time. */
static void record_failure(struct line *line, uint64_t item, int status, const char *text)
{
	if (item >= line->failed)
		return;
	line->failed = item;
	line->status = status;
	snprintf(line->text, sizeof line->text, "%s", text);
}

static void finish_item(struct line *line, unsigned stage, uint64_t item, int status, double busy_s)
{
	unsigned slot = slot_of(line, item);

	pthread_mutex_lock(&line->mutex);
	line->busy_s[stage] += busy_s;
	if (status == PIPELINE_LAST)
		line->last = item < line->last ? item : line->last;
	else if (status != GPUCRYPT_OK)
		record_failure(line, item, status, gpucrypt_error());
	line->turn[slot]++;
	if (status == GPUCRYPT_OK)
		pthread_cond_broadcast(&line->changed[slot]);
	else
		wake_all(line);
	pthread_mutex_unlock(&line->mutex);
}

static void run_item(struct line *line, unsigned stage, unsigned worker, uint64_t item)
{
	double start_s = clock_seconds(CLOCK_MONOTONIC);
	int status = line->stages[stage].run(line->job, worker, slot_of(line, item), item);

	finish_item(line, stage, item, status, clock_seconds(CLOCK_MONOTONIC) - start_s);
}

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	struct line *line = worker->line;
	uint64_t item;
	void *locked = locked_stack();

	own_line = line;
	while (start_item(line, worker->stage, &item))
		run_item(line, worker->stage, worker->number, item);
	locked_stack_release(locked);
	return NULL;
}

/* Start the threads of all stages; returns the number of started threads. */
static unsigned start_workers(struct line *line, struct worker *workers)
{
	unsigned n = 0;

	for (unsigned s = 0; s < line->n_stages; s++) {
		for (unsigned w = 0; w < line->stages[s].workers; w++, n++) {
			workers[n] = (struct worker){ .line = line, .stage = s, .number = w };
			if (pthread_create(&workers[n].thread, NULL, run_worker, &workers[n]) != 0) {
				pthread_mutex_lock(&line->mutex);
				record_failure(line, 0, GPUCRYPT_OTHER, "a thread cannot be started");
				wake_all(line);
				pthread_mutex_unlock(&line->mutex);
				return n;
			}
		}
	}
	return n;
}

/* One item after the other through all stages, in the calling thread. */
static void run_alone(struct line *line)
{
	for (uint64_t item = line->items->first; is_wanted(line, item); item++)
		for (unsigned s = 0; s < line->n_stages && is_wanted(line, item); s++)
			run_item(line, s, 0, item);
}

/* The used share of the rate limit since the start. */
static double limit_share(const struct line *line)
{
	return (rate_used_s() - line->limit_s) / (clock_seconds(CLOCK_MONOTONIC) - line->start_s);
}

/* *most_s: the time for which one worker of that stage was busy since the times before_s. */
static const char *find_busiest(const struct line *line, const double before_s[MAX_STAGES], double *most_s)
{
	const char *name = NULL;

	*most_s = 0;
	for (unsigned s = 0; s < line->n_stages; s++) {
		double busy_s = (line->busy_s[s] - before_s[s]) / line->stages[s].workers;

		if (busy_s > *most_s) {
			*most_s = busy_s;
			name = line->stages[s].name;
		}
	}
	return name;
}

static void note_busiest(const struct line *line)
{
	static const double start_s[MAX_STAGES];
	double most_s, limit = limit_share(line);
	struct items *items = line->items;

	items->busiest = find_busiest(line, start_s, &most_s);
	items->busy = most_s / (clock_seconds(CLOCK_MONOTONIC) - line->start_s);
	if (limit > LIMIT_SHARE) {
		items->busiest = LIMIT_NAME;
		items->busy = limit < 1 ? limit : 1;
	}
}

const char *pipeline_busiest(void)
{
	struct line *line = own_line;
	const char *name;
	double most_s;

	if (line == NULL)
		return NULL;
	pthread_mutex_lock(&line->mutex);
	name = find_busiest(line, line->told_s, &most_s);
	memcpy(line->told_s, line->busy_s, sizeof line->told_s);
	pthread_mutex_unlock(&line->mutex);
	return limit_share(line) > LIMIT_SHARE ? LIMIT_NAME : name;
}

static void add_stage(struct line *line, const struct stage *stage)
{
	struct stage *added = &line->stages[line->n_stages];
	unsigned n = stage->workers < line->n_slots ? stage->workers : line->n_slots;

	if (stage->run == NULL)
		return;
	*added = *stage;
	added->workers = n > 0 ? n : 1;
	line->n_workers += added->workers;
	line->next[line->n_stages++] = line->items->first;
}

static void run_line(struct line *line, struct worker *workers)
{
	unsigned n_started = 0;

	line->start_s = clock_seconds(CLOCK_MONOTONIC);
	line->limit_s = rate_used_s();
	for (unsigned slot = 0; slot < line->n_slots; slot++)
		pthread_cond_init(&line->changed[slot], NULL);
	if (line->items->alone)
		run_alone(line);
	else
		n_started = start_workers(line, workers);
	for (unsigned n = 0; n < n_started; n++)
		pthread_join(workers[n].thread, NULL);
	note_busiest(line);
	for (unsigned slot = 0; slot < line->n_slots; slot++)
		pthread_cond_destroy(&line->changed[slot]);
}

int pipeline_run(void *job, const struct stage *stages, unsigned n_stages, unsigned n_slots, struct items *items)
{
	struct line line = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.job = job,
		.n_slots = n_slots,
		.items = items,
		.last = UINT64_MAX,
		.failed = UINT64_MAX };
	struct worker *workers;
	int status = GPUCRYPT_OK;

	for (unsigned s = 0; s < n_stages; s++)
		add_stage(&line, &stages[s]);
	line.turn = calloc(n_slots, sizeof *line.turn);
	line.changed = calloc(n_slots, sizeof *line.changed);
	workers = calloc(line.n_workers, sizeof *workers);
	if (line.turn != NULL && line.changed != NULL && workers != NULL)
		run_line(&line, workers);
	else
		status = fail(GPUCRYPT_OTHER, "out of memory");
	if (line.failed <= line.last && line.failed != UINT64_MAX) {
		fail_clear();
		status = fail((enum gpucrypt_status)line.status, "%s", line.text);
	}
	pthread_mutex_destroy(&line.mutex);
	free(workers);
	free(line.turn);
	free(line.changed);
	return status;
}

/* Reports. */

int report_progress(const struct gpucrypt_progress *progress, uint64_t done_bytes, uint64_t total_bytes)
{
	return progress == NULL || progress->report(progress->self, done_bytes, total_bytes) == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_CANCELLED, "cancelled by the caller");
}

void report_engine(struct report *report, const struct engine *engine)
{
	if (report == NULL || engine == NULL)
		return;
	snprintf(report->engine, sizeof report->engine, "%s", engine->description);
	report->class = engine->class->id;
	snprintf(report->engine_note, sizeof report->engine_note, "%s", engine->note);
}

void report_items(struct report *report, const struct items *items)
{
	if (report == NULL)
		return;
	report->busiest = items->busiest;
	report->busy = items->busy;
}

void report_digest(struct report *report, const uint8_t digest[32])
{
	if (report == NULL)
		return;
	memcpy(report->digest, digest, sizeof report->digest);
	report->has_digest = true;
}
