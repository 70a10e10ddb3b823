#include "cli/files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/message.h"
#include "command/program.h"
#include "command/text.h"
#include "gpucrypt/status.h"

#ifndef BLKGETDISKSEQ /* Linux 5.15 */
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

/* O_EXCL without O_CREAT means nothing for other files. */
int open_exclusively(const char *name, int flags)
{
	struct stat there;

	return open(name, stat(name, &there) == 0 && S_ISBLK(there.st_mode) ? flags | O_EXCL : flags);
}

bool lock_file(int fd, int how, int folder_fd, const char *name)
{
	struct stat opened, named;

	if (flock(fd, how | LOCK_NB) != 0)
		return false;
	if (fstat(fd, &opened) == 0 && fstatat(folder_fd, name, &named, 0) == 0 && opened.st_dev == named.st_dev &&
	        opened.st_ino == named.st_ino)
		return true;
	errno = ESTALE;
	return false;
}

int fail_locked(const char *name)
{
	return fail(GPUCRYPT_IO, "%s: cannot be locked: %s", name,
	        errno == EWOULDBLOCK ? "it is being re-encrypted, or its key slots are being changed"
	                             : strerror(errno));
}

bool lock_bytes(int fd, short type, uint64_t from, uint64_t n_bytes)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)from, .l_len = (off_t)n_bytes };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* A device that others write to may be read: reading may be the only way to save its content. */
static int open_named(const char *name)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
	int fd = open_exclusively(name, flags);

	if (fd >= 0 || errno != EBUSY)
		return fd;
	fd = open(name, flags);
	if (fd >= 0)
		message_warning(name, "is mounted or in use: it may change while it is read");
	return fd;
}

bool same_storage(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode))
		return a->st_rdev == b->st_rdev;
	return S_ISREG(a->st_mode) && S_ISREG(b->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool same_version(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

static uint64_t medium_number(int fd)
{
	uint64_t number = 0;

	return ioctl(fd, BLKGETDISKSEQ, &number) == 0 ? number : 0;
}

bool input_changed(const struct input *input)
{
	const struct stat *then = &input->stat;
	struct stat now;

	if (!S_ISREG(then->st_mode) && !S_ISBLK(then->st_mode))
		return false;
	if (fstat(input->source.fd, &now) != 0)
		return true;
	/* The change time of a device is that of its node, not of its content. */
	return S_ISREG(then->st_mode)
	               ? !same_version(&now, then)
	               : !same_time(&now.st_mtim, &then->st_mtim) || medium_number(input->source.fd) != input->medium;
}

int input_open_any(struct input *input, const char *name)
{
	int fd;

	*input = (struct input){ .source.fd = -1, .name = name };
	input->standard = !strcmp(name, "-");
	if (input->standard)
		input->name = "standard input";
	fd = input->standard ? STDIN_FILENO : open_named(name);
	if (fd < 0)
		return fail_errno(name, "cannot open");
	input->source.fd = fd;
	if (fstat(fd, &input->stat) != 0)
		return fail_errno(input->name, "cannot read");
	if (S_ISBLK(input->stat.st_mode))
		input->medium = medium_number(fd);
	input->tree = S_ISDIR(input->stat.st_mode);
	if (!input->tree) {
		int status = source_open(&input->source, fd, input->name);

		input->source.skips_holes = true;
		return status;
	}
	input->source.name = input->name;
	input->source.size_bytes = UINT64_MAX;
	return GPUCRYPT_OK;
}

int input_open(struct input *input, const char *name)
{
	int status = input_open_any(input, name);

	if (status == GPUCRYPT_OK && input->tree)
		return fail(GPUCRYPT_USAGE, "%s: is a directory: gcrypt enc takes those", input->name);
	return status;
}

void input_close(struct input *input)
{
	if (input->source.fd >= 0 && !input->standard)
		close(input->source.fd);
	input->source.fd = -1;
}

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
