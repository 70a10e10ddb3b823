/* The public functions: descriptors in, status out. */
#include "gpucrypt.h"

#include "container.h"
#include "status.h"

static int open_both(struct source *source, int in_fd, struct fd_sink *sink, int out_fd)
{
	int status = source_open(source, in_fd, "input");

	if (status == GPUCRYPT_OK && sink != NULL)
		status = fd_sink_open(sink, out_fd, "output");
	return status;
}

static int check(const struct gpucrypt_secret *secret)
{
	fail_clear();
	if (secret == NULL || (secret->bytes == NULL && secret->length > 0))
		return fail(GPUCRYPT_USAGE, "no secret given");
	return GPUCRYPT_OK;
}

static const struct gpucrypt_plan you_choose;

int gpucrypt_encrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct source source;
	struct fd_sink sink;
	int status = check(secret);

	if (status == GPUCRYPT_OK)
		status = open_both(&source, in_fd, &sink, out_fd);
	if (status == GPUCRYPT_OK)
		status = container_encrypt(&source, &sink.sink, plan != NULL ? plan : &you_choose,
		        secret, progress, NULL);
	return status;
}

int gpucrypt_decrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct source source;
	struct fd_sink sink;
	int status = check(secret);

	if (status == GPUCRYPT_OK)
		status = open_both(&source, in_fd, &sink, out_fd);
	if (status == GPUCRYPT_OK)
		status = container_decrypt(&source, &sink.sink, plan != NULL ? plan : &you_choose,
		        secret, progress, NULL);
	return status;
}

int gpucrypt_verify(int in_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct source source;
	int status = check(secret);

	if (status == GPUCRYPT_OK)
		status = open_both(&source, in_fd, NULL, -1);
	if (status == GPUCRYPT_OK)
		status = container_decrypt(
		        &source, NULL, plan != NULL ? plan : &you_choose, secret, progress, NULL);
	return status;
}
