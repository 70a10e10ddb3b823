/* The public functions: descriptors in, status out. */
#include "gpucrypt/gpucrypt.h"

#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* container_decrypt and encrypt() alike. */
typedef int transform(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

static const struct gpucrypt_plan you_choose;

/* What no engine looks at.  A detached container is two files, which these functions do not write. */
static int check_plan(const struct gpucrypt_plan *plan)
{
	if (plan != NULL && plan->sector_log2 != 0)
		return fail(GPUCRYPT_USAGE, "the detached layout needs two outputs");
	if (plan != NULL && plan->n_parts > GPUCRYPT_MAX_PARTS)
		return fail(GPUCRYPT_USAGE, "%u parts: there are at most %d", plan->n_parts, GPUCRYPT_MAX_PARTS);
	return GPUCRYPT_OK;
}

static int check(const struct gpucrypt_secret *secret)
{
	int status = GPUCRYPT_OK;

	fail_clear();
	if (secret == NULL)
		return fail(GPUCRYPT_USAGE, "no secret given");
	for (; secret != NULL && status == GPUCRYPT_OK; secret = secret->next)
		status = secret->bytes == NULL && secret->length > 0 ? fail(GPUCRYPT_USAGE, "no secret given")
		                                                     : secret_form(secret);
	return status;
}

/* out_fd is used if the run writes; else it only authenticates. */
static int run(transform *container, int in_fd, bool writes, int out_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct source source;
	struct fd_sink sink;
	int status = check(secret);

	if (status == GPUCRYPT_OK)
		status = check_plan(plan);
	if (status == GPUCRYPT_OK)
		status = source_open(&source, in_fd, "input");
	if (status == GPUCRYPT_OK && writes)
		status = fd_sink_open(&sink, out_fd, "output");
	if (status != GPUCRYPT_OK)
		return status;
	locked_stack();
	status = container(
	        &source, writes ? &sink.sink : NULL, plan != NULL ? plan : &you_choose, secret, progress, NULL);
	locked_stack_wipe();
	return status;
}

static int encrypt(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	int status = GPUCRYPT_OK;

	for (const struct gpucrypt_secret *one = secret; one != NULL && status == GPUCRYPT_OK; one = one->next)
		status = recipient_check(one);
	return status == GPUCRYPT_OK ? container_encrypt(source, sink, plan, secret, progress, report) : status;
}

int gpucrypt_encrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	return run(encrypt, in_fd, true, out_fd, plan, secret, progress);
}

int gpucrypt_decrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	return run(container_decrypt, in_fd, true, out_fd, plan, secret, progress);
}

int gpucrypt_verify(int in_fd, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	return run(container_decrypt, in_fd, false, -1, plan, secret, progress);
}
