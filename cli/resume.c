#include "resume.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container.h"
#include "gpucrypt/status.h"
#include "secret.h"

int resume_check(const struct options *options)
{
	if (options->detached)
		return fail(GPUCRYPT_USAGE, "--resume: not with --detached");
	if (options->plan.sparse)
		return fail(GPUCRYPT_USAGE, "--resume: not with --sparse");
	if (options->recipients.n > 0 && !secret_given(options))
		return fail(GPUCRYPT_USAGE, "--resume: with --recipient alone what was begun could "
		                            "not be opened: add a --key-file or --passphrase");
	return GPUCRYPT_OK;
}

int resume_check_files(const struct input *input, const struct output *output)
{
	if (!S_ISREG(input->stat.st_mode) || input->source.size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: --resume needs a regular file", input->name);
	if (output->kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: --resume needs a regular file", output->name);
	return GPUCRYPT_OK;
}

void resume_plan(struct file_plan *plan, const struct output *output)
{
	uint8_t start[2 * HEADER_COPY_BYTES];
	struct header_state state;
	struct source part;
	const char *cipher = plan->run.cipher;

	if ((cipher && strcmp(cipher, "auto") != 0) ||
	        pread(output->fd, start, sizeof start, 0) != (ssize_t)sizeof start)
		return;
	source_open_memory(&part, start, sizeof start, sizeof start);
	if (container_examine(&part, &state) == GPUCRYPT_OK)
		plan->run.cipher = cipher_by_id(state.header.cipher_id)->name;
	fail_clear(); /* with the key there is more to be said */
}

int resume_crypt(struct source *source, const struct output *output, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct source part;
	char *name;
	int status;

	if (asprintf(&name, "%s.part", output->name) < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = source_open(&part, output->fd, name);
	if (status == GPUCRYPT_OK)
		status = container_resume(source, &part, sink, plan, secret, progress, report);
	free(name);
	return status;
}
