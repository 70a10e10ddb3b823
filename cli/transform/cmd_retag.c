/* gcrypt retag: pages with new tags for an image that was written to, in place of the old ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "cli/args/command.h"
#include "cli/transform/detached.h"
#include "cli/files/exclusive.h"
#include "gpucrypt/container/retag.h"
#include "gpucrypt/status.h"
#include "cli/files/input.h"
#include "cli/terminal/message.h"
#include "cli/files/output.h"
#include "cli/terminal/progress.h"
#include "cli/secrets/secret.h"

/* The side file replaces itself; its owner and mode stay. */
static int choose_output(
        struct output *output, const char *name, const struct input *side, const struct key_files *keys)
{
	const struct output_terms terms = { .input = &side->stat,
		.keys = keys,
		.acl = fgetxattr(side->source.fd, ACCESS_LIST, NULL, 0) > 0,
		.force = true,
		.replaces_input = true,
		.ciphertext = true };
	int status = output_choose(output, name, &terms);

	if (status == GPUCRYPT_OK && output->kind != OUTPUT_NAMED)
		status = fail(GPUCRYPT_USAGE, "%s: not a file", name);
	/* Key slots that are changed meanwhile would be those of the old side file. */
	if (status == GPUCRYPT_OK && !lock_exclusively(side->source.fd, AT_FDCWD, name))
		status = fail(GPUCRYPT_IO, "%s: cannot be locked: %s", name, strerror(errno));
	return status;
}

static int write_side(
        struct detached_files *files, struct output *output, const struct options *options, const struct secret *secret)
{
	struct progress progress;
	struct report report;
	struct fd_sink sink;
	int status = fd_sink_open(&sink, output->fd, output->name);

	if (status != GPUCRYPT_OK)
		return status;
	fd_sink_allow_any_order(&sink);
	progress_begin(&progress, files->image.name, NULL, options);
	status = container_retag(
	        &files->joined, &sink.sink, &options->plan, &secret->secret, progress_callback(&progress), &report);
	progress_end(&progress);
	if (status == GPUCRYPT_OK && report.header_note[0] && !options->quiet)
		message_warning(output->name, "%s: both header copies were rewritten", report.header_note);
	return status;
}

static int retag(const struct options *options, const char *name)
{
	const struct key_files keys = key_files_of(options);
	struct detached_files files = DETACHED_NONE;
	struct output output = OUTPUT_NONE;
	struct secret secret = { 0 };
	struct input side;
	int status = input_open(&side, name);

	if (status == GPUCRYPT_OK)
		status = key_files_check_input(options, &keys, &side);
	if (status == GPUCRYPT_OK)
		status = detached_open_image(&files, options, &side);
	if (status == GPUCRYPT_OK)
		status = choose_output(&output, name, &side, &keys);
	if (status == GPUCRYPT_OK)
		status = output_create(&output);
	if (status == GPUCRYPT_OK)
		status = secret_read(&secret, options, &options->opening, KEY_FILE_BYTES, side.name, false);
	if (status == GPUCRYPT_OK)
		status = write_side(&files, &output, options, &secret);
	if (status == GPUCRYPT_OK)
		status = output_sync(&output);
	if (status == GPUCRYPT_OK)
		status = output_commit(&output);
	if (status != GPUCRYPT_OK)
		message_failure(message_names(files.image_name) ? NULL : side.name, status);
	secret_wipe(&secret);
	output_discard(&output);
	detached_close(&files);
	input_close(&side);
	return status;
}

/* A symbolic link stays one: what it points to is replaced. */
int cmd_retag(const struct options *options)
{
	const char *operand = options->parsed.operands[0];
	struct stat link;
	char *name = NULL;
	int status;

	if (lstat(operand, &link) == 0 && S_ISLNK(link.st_mode))
		name = realpath(operand, NULL);
	status = retag(options, name ? name : operand);
	free(name);
	return status;
}
