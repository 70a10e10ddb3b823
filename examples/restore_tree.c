/* Extract what backup_tree or `gcrypt enc DIRECTORY` has encrypted into the working directory, which is empty:
 * restore_tree KEY <IN
 * Modes are those that the umask permits; owners, access control lists, attributes and devices are left out. */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rejects names and links that lead out of the working directory, and keeps existing files. */
#define FLAGS                                                                                    \
	(ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_NO_OVERWRITE | ARCHIVE_EXTRACT_SECURE_SYMLINKS | \
	        ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS)

static char failure[512];

static int extract_entries(struct archive *pax, struct archive *disk, int fd)
{
	struct archive_entry *entry;
	const char *path;
	struct stat there;
	int result = archive_read_open_fd(pax, fd, 1 << 16);

	while (result == ARCHIVE_OK) {
		result = archive_read_next_header(pax, &entry);
		if (result != ARCHIVE_OK)
			break;
		path = archive_entry_pathname(entry);
		if (archive_entry_filetype(entry) != AE_IFDIR && lstat(path, &there) == 0) {
			archive_set_error(pax, EEXIST, "%s exists already", path);
			return ARCHIVE_FATAL;
		}
		if (archive_entry_filetype(entry) != AE_IFCHR && archive_entry_filetype(entry) != AE_IFBLK)
			result = archive_read_extract2(pax, entry, disk);
	}
	return result == ARCHIVE_EOF ? archive_write_close(disk) : ARCHIVE_FATAL; /* sets the times of directories */
}

/* Extracts what the library writes to a pipe, and reads the pipe to its end in any case, so that the library
 * authenticates the rest too. */
static void *extract(void *self)
{
	const int *fd = self;
	char rest[4096];
	struct archive *pax = archive_read_new(), *disk = archive_write_disk_new();

	if (pax == NULL || disk == NULL || archive_read_support_format_tar(pax) != ARCHIVE_OK ||
	        archive_write_disk_set_options(disk, FLAGS) != ARCHIVE_OK ||
	        extract_entries(pax, disk, *fd) != ARCHIVE_OK)
		snprintf(failure, sizeof failure, "extraction: %s",
		        pax == NULL || disk == NULL ? "out of memory"
		                                    : archive_error_string(archive_errno(pax) ? pax : disk));
	while (read(*fd, rest, sizeof rest) > 0)
		;
	archive_read_free(pax);
	archive_write_free(disk);
	return NULL;
}

/* Decrypts while a thread extracts. */
static int decrypt(const struct gpucrypt_secret *secret)
{
	struct gpucrypt_source in = { .fd = 0 };
	int ends[2], status;
	pthread_t thread;

	if (pipe(ends) != 0 || pthread_create(&thread, NULL, extract, &ends[0]) != 0) {
		snprintf(failure, sizeof failure, "cannot make a pipe or a thread");
		return GPUCRYPT_OTHER;
	}
	status = gpucrypt_decrypt(&in, &(struct gpucrypt_sink){ .fd = ends[1] }, NULL, secret, NULL);
	close(ends[1]);
	pthread_join(thread, NULL);
	if (status != GPUCRYPT_OK) /* the archive is not complete */
		snprintf(failure, sizeof failure, "%s", gpucrypt_error());
	return status == GPUCRYPT_OK && failure[0] != '\0' ? GPUCRYPT_OTHER : status;
}

int main(int argc, char **argv)
{
	unsigned char key[32];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1, status;

	if (fd < 0 || read(fd, key, sizeof key) != sizeof key || read(fd, &(char){ 0 }, 1) != 0) {
		fputs("usage: restore_tree KEY <IN, where KEY has 32 bytes\n", stderr);
		return GPUCRYPT_USAGE;
	}
	setlocale(LC_CTYPE, "C.UTF-8"); /* encoding of names in pax archives */
	status = decrypt(&secret);
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "restore_tree: %s\n", failure);
	return status;
}
