/* Random access, and the state of the process. */
#include <stdlib.h>

#include "gpucrypt/api/internal.h"
#include "gpucrypt/container/random_access.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/crypto/tagger.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"

struct gpucrypt_file {
	struct api_input input;
	struct random_access *access;
};

int gpucrypt_open(struct gpucrypt_file **file, const struct gpucrypt_source *source,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret)
{
	struct gpucrypt_file *opened;
	void *locked;
	int status;

	if (file == NULL)
		return argument_check("file", NULL);
	*file = NULL;
	status = call_check(secret, source, file, NULL);
	if (status != GPUCRYPT_OK)
		return status;
	opened = calloc(1, sizeof *opened);
	if (opened == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = api_input_open(&opened->input, source, true);
	locked = locked_stack();
	if (status == GPUCRYPT_OK)
		status = random_access_open(&opened->access, opened->input.source, options_plan(options), secret);
	locked_stack_release(locked);
	if (status == GPUCRYPT_OK)
		*file = opened;
	else
		free(opened);
	return status;
}

uint64_t gpucrypt_size(const struct gpucrypt_file *file)
{
	return file != NULL ? random_access_size(file->access) : 0;
}

int gpucrypt_pread(struct gpucrypt_file *file, void *bytes, size_t n_bytes, uint64_t offset)
{
	int status = argument_check("file", file);

	if (status == GPUCRYPT_OK && n_bytes > 0)
		status = argument_check("bytes", bytes);
	return status ?: random_access_read(file->access, bytes, n_bytes, offset);
}

void gpucrypt_close(struct gpucrypt_file *file)
{
	if (file == NULL)
		return;
	random_access_close(file->access);
	free(file);
}

void gpucrypt_release(void)
{
	if (!devices_failed())
		device_contexts_release();
	tagger_release();
}
