#include "cli/files/key_files.h"

#include "gpucrypt/status.h"
#include "command/message.h"
#include "command/program.h"
#include "command/text.h"

/* A file that does not exist or cannot be examined is skipped: opening it reports the error. */
static void add_file(struct key_files *files, struct key_file file, int descriptor)
{
	if (files->n < MAX_KEY_FILES &&
	        (descriptor < 0 ? stat(file.name, &file.stat) : fstat(descriptor, &file.stat)) == 0)
		files->list[files->n++] = file;
}

static void add_named(struct key_files *files, const struct option_row *row, const char *name)
{
	add_file(files, (struct key_file){ .option = row->name, .secret = row->type->secret, .name = name }, -1);
}

static void add_source(struct key_files *files, const struct option_row *row, const char *text)
{
	const char *rest;
	enum secret_source source = secret_source_parse(text, &rest);
	int descriptor = source == SECRET_FROM_FD ? descriptor_parse(rest) : -1;

	if (source == SECRET_FROM_FILE)
		add_named(files, row, rest);
	if (descriptor >= 0)
		add_file(files,
		        (struct key_file){ .option = row->name, .secret = row->type->secret, .descriptor = true },
		        descriptor);
}

static void add_field(struct key_files *files, const struct option_row *row, const void *field)
{
	const struct text_list *list = field;
	const char *text = row->type->files == KEY_FILE_NONE ? NULL : *(const char *const *)field;

	if (!text)
		return;
	if (row->type->files == KEY_FILE_NAME)
		add_named(files, row, text);
	if (row->type->files == KEY_FILE_SOURCE)
		add_source(files, row, text);
	for (unsigned i = 0; row->type->files == KEY_FILE_LIST && i < list->n; i++)
		add_named(files, row, list->texts[i]);
}

struct key_files key_files_of(const struct options *options)
{
	struct key_files files = { .n = 0 };

	FOR_EACH_ROW(row)
	add_field(&files, row, (const char *)options + row->offset);
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

void key_files_add_log(struct key_files *files, int fd, const char *name)
{
	add_file(files, (struct key_file){ .option = "log", .name = name, .log = true }, fd);
}

int key_files_spare(const struct key_files *files, const struct stat *there, const char *name, const char *not_done)
{
	for (unsigned i = 0; i < files->n; i++)
		if (same_storage(&files->list[i].stat, there))
			return fail(GPUCRYPT_EXISTS, "%s: not %s: --%s %s it", name, not_done, files->list[i].option,
			        files->list[i].log ? "appends to" : "reads");
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
			return fail(GPUCRYPT_USAGE, "%s: --rm would remove the file that --%s reads", input->name,
			        file->option);
	}
	return GPUCRYPT_OK;
}
