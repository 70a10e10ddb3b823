/* An engine that errs on demand, in place of those that engine_open() opens. */
#ifndef TESTS_UNIT_ERRING_H
#define TESTS_UNIT_ERRING_H

#include <stdatomic.h>

#include "gpucrypt/engine/engine.h"
#include "tests/unit/containers.h"

/* The CPU engine under another name, which errs on demand. */
struct erring {
	struct engine engine;
	struct engine *cpu;
	atomic_uint n_calls;
};

static struct {
	bool errs, in_tag;
	unsigned from, to; /* calls, counted from 0 */
	size_t byte;       /* of the work, or of its tags */
	bool no_tags;      /* the engine computes none */
	bool right[2];     /* by direction: an engine of this one does not err */
} fault;

static int erring_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	struct erring *erring = (struct erring *)engine;
	unsigned call = erring->n_calls++;
	int status = engine_crypt(erring->cpu, lane, work);

	if (!fault.errs || call < fault.from || call > fault.to || fault.right[engine->suite.direction])
		return status;
	if (fault.in_tag)
		work->tags[fault.byte / 16][fault.byte % 16] ^= 4;
	else
		work->out[fault.byte] ^= 4;
	return status;
}

static void erring_close(struct engine *engine)
{
	engine_close(((struct erring *)engine)->cpu);
	free(engine);
}

/* In place of engine_open(), by the linker; and around the opening of an engine after another. */
WRAPPED(engine_open);
WRAPPED(engine_open_after);

static int erring_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	(void)before;
	return __wrap_engine_open(engine, suite, plan);
}

static const struct engine_class erring_class = {
	.name = "erring", .open = erring_open, .crypt = erring_crypt, .close = erring_close
};

int __wrap_engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct erring *erring = calloc(1, sizeof *erring);
	int status = __real_engine_open(&erring->cpu, suite, plan);

	if (status != GPUCRYPT_OK) {
		free(erring);
		return status;
	}
	erring->engine = *erring->cpu;
	erring->engine.class = &erring_class;
	erring->engine.tags = !fault.no_tags;
	strcpy(erring->engine.description, "Erring");
	*engine = &erring->engine;
	return GPUCRYPT_OK;
}

/* It gives its known answers first. */
int __wrap_engine_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine **before)
{
	bool errs = fault.errs;
	int status;

	fault.errs = false;
	status = __real_engine_open_after(engine, suite, plan, before);
	fault.errs = errs;
	if (status == GPUCRYPT_OK)
		((struct erring *)*engine)->n_calls = 0;
	return status;
}

/* No fault in these calls. */
static void sound(void)
{
	fault.errs = false;
}

static void err(unsigned from, unsigned to, size_t byte, bool in_tag)
{
	fault.errs = true;
	fault.in_tag = in_tag;
	fault.from = from;
	fault.to = to;
	fault.byte = byte;
}

#endif
