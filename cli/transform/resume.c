#include "cli/transform/resume.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/container/resume.h"
#include "gpucrypt/status.h"
#include "cli/secrets/secret.h"

int resume_check_files(const struct input *input, const struct output *output)
{
	const char *what = output->terms.part ? "work by parts" : "--resume";

	if (!S_ISREG(input->stat.st_mode) || input->source.size_bytes == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", input->name, what);
	if (output->kind != OUTPUT_NAMED)
		return fail(GPUCRYPT_USAGE, "%s: %s needs a regular file", output->name, what);
	return GPUCRYPT_OK;
}

/* The part file; its name is the caller's to free. */
static int open_part(struct source *part, char **name, const struct output *output)
{
	if (asprintf(name, "%s.part", output->name) < 0) {
		*name = NULL;
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	return source_open(part, output->fd, *name);
}

int resume_plan(struct file_plan *plan, struct source *source, const struct output *output,
        const struct gpucrypt_secret *secret)
{
	struct authenticated_header header;
	struct source part;
	bool found = false;
	char *name;
	int status = open_part(&part, &name, output);

	if (status == GPUCRYPT_OK)
		status = container_resumable(&found, &header, source, &part, secret);
	if (status == GPUCRYPT_OK && found && plan->run.cipher == GPUCRYPT_CIPHER_AUTO)
		plan->run.cipher = header.header.cipher_id;
	free(name);
	return status;
}

int resume_crypt(struct source *source, const struct output *output, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	struct source part;
	char *name;
	int status = open_part(&part, &name, output);

	if (status == GPUCRYPT_OK)
		status = container_resume(source, &part, sink, plan, secret, progress, report);
	free(name);
	return status;
}
