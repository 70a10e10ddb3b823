/* gcrypt clean: what killed runs left in folders. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/files/folder.h"
#include "command/message.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* A run that replaces a detached container renames the image first and the header second: this header may belong to
 * the image that already has its final name. */
static bool is_detached_header(const struct leftover *leftover)
{
	struct source source = source_of_fd(leftover->lock, leftover->name);
	struct examined_header examined;
	bool is = S_ISREG(leftover->stat.st_mode) && container_examine(&source, &examined) == GPUCRYPT_OK &&
	          examined.unauthenticated.layout == LAYOUT_DETACHED;

	fail_clear();
	return is;
}

static int clean_entry(const struct leftover *leftover, const char *folder, bool force)
{
	bool is_folder = S_ISDIR(leftover->stat.st_mode);
	const char *what = force ? "removed" : "left by a killed run: --force removes it";
	char line[PATH_MAX];

	if (leftover->part)
		what = "unfinished: run the same command with --resume or --part to continue";
	else if (leftover->lock < 0)
		what = "in use";
	else if (is_detached_header(leftover))
		what = "perhaps the detached header of an image here: see DETACHED IMAGES in gcrypt(1)";
	else if (force && (is_folder ? remove_tree(leftover->folder_fd, leftover->name)
	                             : unlinkat(leftover->folder_fd, leftover->name, 0)) != 0)
		return fail_errno(leftover->name, "cannot remove");
	snprintf(line, sizeof line, "%s/%s: %s: %s", folder, leftover->name, leftover->text, what);
	message_clean(line, true);
	puts(line);
	return GPUCRYPT_OK;
}

static int clean_folder(const char *folder, bool force)
{
	struct walk walk = { 0 };
	struct leftover leftover;
	int status = GPUCRYPT_OK, fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || !walk_enter(&walk, fd))
		return fail_errno(folder, "cannot read");
	while (status == GPUCRYPT_OK && leftover_next(&leftover, &walk)) {
		status = clean_entry(&leftover, folder, force);
		leftover_release(&leftover);
	}
	walk_close(&walk);
	return status;
}

int cmd_clean(const struct options *options)
{
	int first = GPUCRYPT_OK;

	for (unsigned i = 0; i < options->parsed.n_operands; i++) {
		const char *folder = options->parsed.operands[i];
		int status = clean_folder(folder, options->force);

		if (status != GPUCRYPT_OK)
			message_failure(folder, status);
		first = first != GPUCRYPT_OK ? first : status;
	}
	return first;
}
