#include "cli/files/key_files.h"

#include "gpucrypt/status.h"
#include "cli/terminal/message.h"
#include "cli/args/option_table.h"

_Static_assert(MAX_KEY_FILES >= 4 + 3 * MAX_RECIPIENTS,
        "two passphrases, two key files, a list of identities, and two of recipients");

static void add(struct key_files *files, const struct option_row *row, const void *field)
{
	bool more = row->type->key_file != NULL;

	for (unsigned i = 0; more && files->n < MAX_KEY_FILES; i++) {
		struct key_file *file = &files->list[files->n];

		*file = (struct key_file){ .option = row->name, .secret = row->type->secret };
		more = row->type->key_file(field, i, file);
		files->n += file->stat.st_mode != 0;
	}
}

struct key_files key_files_of(const struct options *options)
{
	struct key_files files = { .n = 0 };

	for (unsigned i = 0; i < n_option_rows; i++)
		add(&files, &option_table[i], (const char *)options + option_table[i].offset);
	return files;
}

void key_files_warn(const struct options *options)
{
	const struct key_files files = key_files_of(options);

	for (unsigned i = 0; i < files.n; i++) {
		const struct key_file *file = &files.list[i];

		if (file->secret && file->name && S_ISREG(file->stat.st_mode) &&
		        file->stat.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH))
			message_warning(file->name,
			        "other users can read or change this secret (mode %04o): chmod 600 "
			        "%s",
			        file->stat.st_mode & 07777, file->name);
	}
}

int key_files_spare(const struct key_files *files, const struct stat *there, const char *name, const char *not_done)
{
	for (unsigned i = 0; i < files->n; i++)
		if (same_storage(&files->list[i].stat, there))
			return fail(
			        GPUCRYPT_EXISTS, "%s: not %s: --%s reads it", name, not_done, files->list[i].option);
	return GPUCRYPT_OK;
}

int key_files_check_input(const struct options *options, const struct key_files *files, const struct input *input)
{
	for (unsigned i = 0; i < files->n; i++) {
		const struct key_file *file = &files->list[i];
		bool opened_twice = !(input->standard && file->descriptor);

		if (file->stat.st_dev != input->stat.st_dev || file->stat.st_ino != input->stat.st_ino)
			continue;
		/* A regular file that is opened twice is read from its start twice. */
		if (!S_ISREG(file->stat.st_mode) || !opened_twice)
			return fail(GPUCRYPT_USAGE, "%s: the input cannot be the secret as well", input->name);
		if (options->remove_source)
			return fail(GPUCRYPT_USAGE, "%s: --rm would remove what --%s reads", input->name, file->option);
	}
	return GPUCRYPT_OK;
}
