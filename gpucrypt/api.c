/* The public functions: descriptors in, status out. */
#include "gpucrypt/gpucrypt.h"

#include <stdlib.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/random_access.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* Options. */

struct gpucrypt_options *gpucrypt_options_create(void)
{
	return calloc(1, sizeof(struct gpucrypt_options));
}

void gpucrypt_options_free(struct gpucrypt_options *options)
{
	free(options);
}

static int set_number(struct gpucrypt_options *options, const char *name, uint64_t value)
{
	fail_clear();
	return plan_set_number(&options->plan, name, value);
}

int gpucrypt_options_set(struct gpucrypt_options *options, const char *name, const char *value)
{
	fail_clear();
	return plan_set(&options->plan, name, value);
}

/* Each setter with one value, by the name of its option. */
#define SETTER(function, type, name, number)                                              \
	int gpucrypt_options_set_##function(struct gpucrypt_options *options, type value) \
	{                                                                                 \
		return set_number(options, name, number);                                 \
	}
SETTER(cipher, enum gpucrypt_cipher, "cipher", value)
SETTER(mode, enum gpucrypt_mode, "mode", value)
SETTER(key_bits, unsigned, "bits", value)
SETTER(engine, enum gpucrypt_engine, "engine", value)
SETTER(device, unsigned, "device", value)
SETTER(threads, unsigned, "threads", value)
SETTER(constant_time, int, "constant-time", value != 0)
SETTER(sparse, int, "sparse", value != 0)
SETTER(recheck, unsigned, "recheck", value)
SETTER(memory, uint64_t, "memory", value)

int gpucrypt_options_set_sizes(struct gpucrypt_options *options, unsigned chunk_log2, unsigned group_log2)
{
	struct gpucrypt_options changed = *options;
	int status = set_number(&changed, "chunk-log2", chunk_log2);

	if (status == GPUCRYPT_OK)
		status = set_number(&changed, "group-log2", group_log2);
	if (status == GPUCRYPT_OK)
		*options = changed;
	return status;
}

/* Containers. */

/* container_decrypt and encrypt() alike. */
typedef int transform(struct source *source, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

static int check_secrets(const struct gpucrypt_secret *secret)
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

/* out_fd is used if writes is set; else the container is only authenticated. */
static int transform_container(transform *container, int in_fd, bool writes, int out_fd,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	static const struct gpucrypt_options defaults;
	struct source source;
	struct fd_sink sink;
	void *locked;
	int status = check_secrets(secret);

	if (status == GPUCRYPT_OK)
		status = source_open(&source, in_fd, "input");
	if (status == GPUCRYPT_OK && writes)
		status = fd_sink_open(&sink, out_fd, "output");
	if (status != GPUCRYPT_OK)
		return status;
	locked = locked_stack();
	status = container(&source, writes ? &sink.sink : NULL, options != NULL ? &options->plan : &defaults.plan,
	        secret, progress, NULL);
	locked_stack_release(locked);
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

int gpucrypt_encrypt(int in_fd, int out_fd, const struct gpucrypt_options *options,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	return transform_container(encrypt, in_fd, true, out_fd, options, secret, progress);
}

int gpucrypt_decrypt(int in_fd, int out_fd, const struct gpucrypt_options *options,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	return transform_container(container_decrypt, in_fd, true, out_fd, options, secret, progress);
}

int gpucrypt_verify(int in_fd, const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	return transform_container(container_decrypt, in_fd, false, -1, options, secret, progress);
}

/* Any part. */

struct gpucrypt_file {
	struct source source, image;
	struct detached_source joined;
	struct random_access *access;
};

static int open_source(struct gpucrypt_file *file, int fd, int image_fd, struct source **source)
{
	int status;

	file->source = source_of_fd(fd, "input");
	*source = &file->source;
	status = source_rewind(&file->source);
	if (status != GPUCRYPT_OK || image_fd < 0)
		return status;
	file->image = source_of_fd(image_fd, "image");
	*source = &file->joined.source;
	status = source_rewind(&file->image);
	return status == GPUCRYPT_OK ? detached_source_open(&file->joined, &file->source, &file->image) : status;
}

int gpucrypt_open(struct gpucrypt_file **file, int fd, int image_fd, const struct gpucrypt_options *options,
        const struct gpucrypt_secret *secret)
{
	static const struct gpucrypt_options defaults;
	struct gpucrypt_file *opened;
	struct source *source;
	void *locked;
	int status = check_secrets(secret);

	*file = NULL;
	if (status != GPUCRYPT_OK)
		return status;
	opened = calloc(1, sizeof *opened);
	if (opened == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = open_source(opened, fd, image_fd, &source);
	locked = locked_stack();
	if (status == GPUCRYPT_OK)
		status = random_access_open(
		        &opened->access, source, options != NULL ? &options->plan : &defaults.plan, secret);
	locked_stack_release(locked);
	if (status == GPUCRYPT_OK)
		*file = opened;
	else
		free(opened);
	return status;
}

uint64_t gpucrypt_size(const struct gpucrypt_file *file)
{
	return random_access_size(file->access);
}

int gpucrypt_pread(struct gpucrypt_file *file, void *bytes, size_t n_bytes, uint64_t offset)
{
	fail_clear();
	return random_access_read(file->access, bytes, n_bytes, offset);
}

void gpucrypt_close(struct gpucrypt_file *file)
{
	if (file == NULL)
		return;
	random_access_close(file->access);
	free(file);
}
