/*
 * The hybrid engine: GPUs and threads of the CPU pull groups from the same input. Each part is a separate engine that
 * has passed its self-test before it takes part.
 */
#include "gpucrypt/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"

_Static_assert(GPUCRYPT_MAX_PARTS == MAX_DEVICES + 1, "every device, and the CPU");

struct lane {
	struct engine *part; /* one of the parts */
	unsigned number;     /* index of the lane in the part */
};

struct engine_of_all {
	struct engine engine;
	struct engine *parts[GPUCRYPT_MAX_PARTS]; /* owned */
	unsigned n_parts;
	/* the part that page-locks buffers (NVIDIA's driver does so for all devices, whatever the context:
	 * docs/performance.md); NULL: no part needs that */
	struct engine *locks;
	struct lane lanes[];
};

/* Working. */

static int all_crypt(struct engine *engine, unsigned lane_number, const struct work *work)
{
	const struct lane *lane = &((struct engine_of_all *)engine)->lanes[lane_number];
	struct work untagged = *work;
	size_t offset = work_offset(work);
	int status = GPUCRYPT_OK;

	if (work->tag_r == NULL || lane->part->tags)
		return engine_crypt(lane->part, lane->number, work);
	untagged.tag_r = NULL;
	if (engine->suite.direction == DECRYPT)
		status = chunk_tags(work->tags, work->tag_r, work->in, work->n_bytes, work->chunk_log2);
	status = status ?: engine_crypt(lane->part, lane->number, &untagged);
	if (status == GPUCRYPT_OK && engine->suite.direction == ENCRYPT)
		status =
		        chunk_tags(work->tags, work->tag_r, work_result(work, offset), work->n_bytes, work->chunk_log2);
	return status;
}

static int all_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	struct engine *locks = ((struct engine_of_all *)engine)->locks;

	return locks == NULL ? GPUCRYPT_OK : locks->class->lock(locks, buffer, n_bytes);
}

static void all_unlock(struct engine *engine, struct host_buffer *buffer)
{
	struct engine *locks = ((struct engine_of_all *)engine)->locks;

	locks->class->unlock(locks, buffer);
}

static void close_parts(struct engine *const *parts, unsigned n_parts)
{
	for (unsigned i = 0; i < n_parts; i++)
		engine_close(parts[i]);
}

static void all_close(struct engine *engine)
{
	struct engine_of_all *all = (struct engine_of_all *)engine;

	close_parts(all->parts, all->n_parts);
	free(all);
}

/* Joining. */

void all_describe(char text[ENGINE_TEXT], const char *const *parts, unsigned n_parts)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0, equal; i < n_parts && used < ENGINE_TEXT; i += equal) {
		for (equal = 1; i + equal < n_parts && strcmp(parts[i], parts[i + equal]) == 0;)
			equal++;
		if (equal > 1)
			used += (size_t)snprintf(
			        text + used, ENGINE_TEXT - used, "%s%u × (%s)", i > 0 ? " + " : "", equal, parts[i]);
		else
			used += (size_t)snprintf(text + used, ENGINE_TEXT - used, "%s%s", i > 0 ? " + " : "", parts[i]);
	}
}

/* The first lane of each part, then the second of each, and so on: with fewer groups than lanes, all parts get
 * some. */
static void assign_lanes(struct engine_of_all *all)
{
	unsigned n = 0, round = 0;

	for (unsigned before = UINT32_MAX; n != before; round++) {
		before = n;
		for (unsigned i = 0; i < all->n_parts; i++)
			if (round < all->parts[i]->lanes)
				all->lanes[n++] = (struct lane){ all->parts[i], round };
	}
	all->engine.lanes = n;
}

int engine_join(struct engine **engine, struct engine *const *parts, unsigned n_parts)
{
	const char *descriptions[GPUCRYPT_MAX_PARTS];
	struct engine_of_all *all;
	unsigned lanes = 0;

	for (unsigned i = 0; i < n_parts; i++)
		lanes += parts[i]->lanes;
	all = calloc(1, sizeof(*all) + lanes * sizeof(all->lanes[0]));
	if (all == NULL) {
		close_parts(parts, n_parts);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	all->engine.class = &engine_all;
	all->engine.suite = parts[0]->suite;
	all->engine.tags = true;
	all->n_parts = n_parts;
	for (unsigned i = 0; i < n_parts; i++) {
		all->parts[i] = parts[i];
		all->engine.devices += parts[i]->devices;
		all->engine.results += parts[i]->results;
		all->engine.no_ecc |= parts[i]->no_ecc;
		descriptions[i] = parts[i]->description;
		if (all->locks == NULL && parts[i]->class->lock != NULL)
			all->locks = parts[i];
		if (parts[i]->class == &engine_cpu)
			all->engine.spare_slots = ALL_SPARE_SLOTS;
	}
	assign_lanes(all);
	all_describe(all->engine.description, descriptions, n_parts);
	*engine = &all->engine;
	return GPUCRYPT_OK;
}

/* Choice of the parts. */

/* The ring of slots is used in order, so a thread of the CPU must not hold a group for longer than
 * devices need for all slots: without a prediction only ciphers with processor instructions are that fast. */
unsigned all_threads(const struct suite *suite, const struct gpucrypt_plan *plan, unsigned n_devices)
{
	enum cpu_code code = cpu_code(suite, plan->constant_time);
	unsigned threads = plan_threads(plan);

	if (plan->threads != 0 || n_devices == 0)
		return threads;
	if (code != CODE_INSTRUCTIONS && !(suite->cipher->has_instructions && code == CODE_LIBCRYPTO))
		return 0;
	return threads < 4 ? 1 : threads / 4;
}

/* The OpenCL device of a CPU is the CPU itself: it takes part only if the plan names it. */
static void add_default_parts(struct gpucrypt_plan *plan, const struct suite *suite, const struct inventory *inventory)
{
	unsigned threads;

	for (unsigned i = 0; i < inventory->n_devices; i++) {
		const struct device *device = &inventory->devices[i];
		bool wanted = plan->device == 0 ? !device->cpu : plan->device == i + 1;

		if (wanted && device->unusable[0] == '\0')
			plan->parts[plan->n_parts++] =
			        (struct gpucrypt_part){ .device = i + 1, .kernel = plan->kernel };
	}
	threads = all_threads(suite, plan, plan->n_parts);
	if (threads > 0)
		plan->parts[plan->n_parts++] = (struct gpucrypt_part){ .threads = threads };
}

/* Opening. */

/* The failure text is thread-local: copy the text for the thread that calls opening_finish(). */
static void *open_engine(void *argument)
{
	struct opening *opening = argument;

	opening->status = opening->class != NULL ? engine_open_tested(&opening->engine, opening->class, opening->suite,
	                                                   opening->plan, NULL)
	                                         : engine_open(&opening->engine, opening->suite, opening->plan);
	snprintf(opening->text, sizeof opening->text, "%s", gpucrypt_error());
	return NULL;
}

void opening_start(struct opening *opening, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct engine_class *class)
{
	*opening = (struct opening){ .suite = suite, .plan = plan, .class = class };
	/* The CPU engine is open at once. */
	opening->apart =
	        plan->engine != GPUCRYPT_CPU && pthread_create(&opening->thread, NULL, open_engine, opening) == 0;
}

int opening_finish(struct opening *opening, struct engine **engine)
{
	if (opening->apart)
		pthread_join(opening->thread, NULL);
	else
		open_engine(opening);
	*engine = opening->engine;
	return opening->status == GPUCRYPT_OK ? GPUCRYPT_OK
	                                      : fail((enum gpucrypt_status)opening->status, "%s", opening->text);
}

struct gpucrypt_plan plan_of_part(const struct gpucrypt_plan *plan, const struct gpucrypt_part *part)
{
	struct gpucrypt_plan one = *plan;

	one.n_parts = 0;
	one.engine = part->device != 0 ? GPUCRYPT_OPENCL : GPUCRYPT_CPU;
	one.device = part->device;
	one.threads = part->threads;
	one.kernel = part->kernel;
	return one;
}

/* A part that cannot be opened, or gives wrong answers, is left out, and the note says why; options that no engine can
 * follow are failures. */
static int collect_opened(struct engine *parts[GPUCRYPT_MAX_PARTS], unsigned *n_parts, char note[NOTE_BYTES],
        const struct opening *openings, unsigned n)
{
	int status = GPUCRYPT_OK;

	note[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		const struct opening *o = &openings[i];
		size_t used = strlen(note);

		if (o->engine != NULL)
			parts[(*n_parts)++] = o->engine;
		else if (o->status != GPUCRYPT_DEVICE || o->plan->strict_device)
			status = fail((enum gpucrypt_status)o->status, "%s", o->text);
		if (o->engine == NULL)
			snprintf(note + used, NOTE_BYTES - used, "%s%.200s; left out", used > 0 ? "; " : "", o->text);
		else if (o->engine->note[0] != '\0')
			snprintf(note + used, NOTE_BYTES - used, "%s%.300s", used > 0 ? "; " : "", o->engine->note);
	}
	if (status == GPUCRYPT_OK && *n_parts == 0)
		status = fail(GPUCRYPT_DEVICE, "%s", openings[0].text);
	return status;
}

/* A single engine needs no hybrid engine around it. */
static int join_opened(struct engine **engine, const struct opening *openings, unsigned n)
{
	struct engine *parts[GPUCRYPT_MAX_PARTS];
	unsigned n_parts = 0;
	char note[NOTE_BYTES];
	int status = collect_opened(parts, &n_parts, note, openings, n);

	if (status != GPUCRYPT_OK) {
		close_parts(parts, n_parts);
		return status;
	}
	*engine = parts[0];
	if (n_parts > 1)
		status = engine_join(engine, parts, n_parts);
	if (status == GPUCRYPT_OK)
		memcpy((*engine)->note, note, sizeof(note));
	else
		*engine = NULL;
	return status;
}

/* The plan's parts; if the plan names none, all parts of this machine. */
static int find_parts(struct gpucrypt_plan *plan, const struct suite *suite, const struct inventory *inventory)
{
	if (plan->n_parts > GPUCRYPT_MAX_PARTS)
		return fail(GPUCRYPT_USAGE, "%u engines: at most %u are allowed", plan->n_parts, GPUCRYPT_MAX_PARTS);
	if (plan->n_parts > 0)
		return GPUCRYPT_OK;
	if (plan->device != 0 && inventory_choose(inventory, plan->device) == NULL)
		return GPUCRYPT_DEVICE;
	add_default_parts(plan, suite, inventory);
	return GPUCRYPT_OK;
}

static int all_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	struct gpucrypt_plan whole = *plan, plans[GPUCRYPT_MAX_PARTS];
	struct opening openings[GPUCRYPT_MAX_PARTS] = { 0 };
	struct inventory inventory;
	int status;

	if (before != NULL)
		return fail(GPUCRYPT_USAGE, "the %s engine cannot decrypt and encrypt in one pass", engine_all.name);
	inventory_take(&inventory);
	status = find_parts(&whole, suite, &inventory);
	if (status != GPUCRYPT_OK)
		return status;
	/* Creating contexts and building programs is slow, so all devices are opened in parallel. */
	for (unsigned i = 0; i < whole.n_parts; i++) {
		plans[i] = plan_of_part(&whole, &whole.parts[i]);
		opening_start(&openings[i], suite, &plans[i], plans[i].device != 0 ? &engine_opencl : &engine_cpu);
	}
	for (unsigned i = 0; i < whole.n_parts; i++)
		opening_finish(&openings[i], &openings[i].engine);
	fail_clear();
	return join_opened(engine, openings, whole.n_parts);
}

const struct engine_class engine_all = { .name = "all",
	.id = GPUCRYPT_HYBRID,
	.open = all_open,
	.crypt = all_crypt,
	.close = all_close,
	.lock = all_lock,
	.unlock = all_unlock };
