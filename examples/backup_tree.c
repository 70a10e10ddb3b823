/* Encrypt a directory as `gcrypt enc DIRECTORY` does, by libarchive: backup_tree KEY DIRECTORY >OUT
 * Extended attributes are left out, and a second name of a file becomes a second file. */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEFT_OUT (ARCHIVE_READDISK_NO_XATTR | ARCHIVE_READDISK_NO_FFLAGS | ARCHIVE_READDISK_NO_SPARSE)

static struct archive *disk, *pax;
static struct archive_entry *entry;
static int64_t content_bytes; /* of the current entry, not read yet */
static FILE *stream;          /* pax writes its next bytes to this stream, */
static char *bytes;           /* whose buffer this is */
static size_t n_bytes, n_taken;
static const char *failure;

static int add_content(void)
{
	const void *block;
	size_t n;
	la_int64_t offset;

	if (archive_read_data_block(disk, &block, &n, &offset) != ARCHIVE_OK) { /* ARCHIVE_EOF comes too early here */
		archive_set_error(disk, EIO, "%s: cannot be read, or is shorter now", archive_entry_pathname(entry));
		return ARCHIVE_FATAL;
	}
	content_bytes -= (int64_t)n;
	return archive_write_data(pax, block, n) == (la_ssize_t)n ? ARCHIVE_OK : ARCHIVE_FATAL;
}

static int add_entry(void)
{
	const char *path = archive_entry_pathname(entry);

	if (archive_read_disk_can_descend(disk) && archive_read_disk_descend(disk) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	if (strncmp(path, "./", 2) == 0) /* names are relative to the first entry, which is "." */
		archive_entry_copy_pathname(entry, strdupa(path + 2));
	if (archive_entry_filetype(entry) == AE_IFSOCK) /* archives have no sockets */
		return ARCHIVE_OK;
	content_bytes = archive_entry_filetype(entry) == AE_IFREG ? archive_entry_size(entry) : 0;
	return archive_write_header(pax, entry); /* ARCHIVE_WARN: the name is not UTF-8, and is stored as bytes */
}

/* The library reads bytes of the archive, which this callback makes. */
static ssize_t read_archive(void *self, void *to, size_t most)
{
	int *ended = self, result = ARCHIVE_OK;

	while (n_taken == n_bytes && !*ended && result >= ARCHIVE_WARN) {
		rewind(stream);
		if (content_bytes > 0)
			result = add_content();
		else if ((result = archive_read_next_header2(disk, archive_entry_clear(entry))) == ARCHIVE_OK)
			result = add_entry();
		else
			result = (*ended = result == ARCHIVE_EOF) ? archive_write_close(pax) : ARCHIVE_FATAL;
		if (fflush(stream) != 0) /* sets n_bytes */
			result = ARCHIVE_FATAL;
		n_taken = 0;
	}
	if (result < ARCHIVE_WARN) {
		failure = archive_error_string(archive_errno(disk) ? disk : pax);
		return errno = EIO, -1;
	}
	most = most < n_bytes - n_taken ? most : n_bytes - n_taken;
	memcpy(to, bytes + n_taken, most);
	n_taken += most;
	return (ssize_t)most;
}

static int open_archives(void)
{
	stream = open_memstream(&bytes, &n_bytes);
	disk = archive_read_disk_new();
	pax = archive_write_new();
	entry = archive_entry_new();
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL && /* encoding of names in pax archives */
	       stream != NULL && disk != NULL && pax != NULL && entry != NULL &&
	       archive_read_disk_set_behavior(disk, LEFT_OUT) == ARCHIVE_OK &&
	       archive_read_disk_set_symlink_physical(disk) == ARCHIVE_OK &&
	       archive_read_disk_open(disk, ".") == ARCHIVE_OK && archive_write_set_format_pax(pax) == ARCHIVE_OK &&
	       archive_write_set_bytes_per_block(pax, 0) == ARCHIVE_OK &&
	       archive_write_open_FILE(pax, stream) == ARCHIVE_OK;
}

int main(int argc, char **argv)
{
	unsigned char key[32];
	int ended = 0, status = GPUCRYPT_OTHER, fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	struct gpucrypt_source in = { .read = read_archive, .self = &ended };
	struct gpucrypt_sink out = { .fd = 1 };
	struct gpucrypt_options *options;

	if (fd < 0 || read(fd, key, sizeof key) != sizeof key || read(fd, &(char){ 0 }, 1) != 0 ||
	        chdir(argv[2]) != 0) {
		fputs("usage: backup_tree KEY DIRECTORY >OUT, where KEY has 32 bytes\n", stderr);
		return GPUCRYPT_USAGE;
	}
	options = gpucrypt_options_create();
	if (!open_archives())
		failure = "libarchive cannot be used";
	else if ((status = gpucrypt_options_set(options, "content", "tree")) == GPUCRYPT_OK)
		status = gpucrypt_encrypt(&in, &out, options, &secret, NULL);
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "backup_tree: %s\n", failure != NULL ? failure : gpucrypt_error());
	gpucrypt_options_free(options);
	return status;
}
