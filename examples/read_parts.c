/*
 * Read a part of the plaintext of a container that split(1) has cut into files of one size, without joining them:
 * read_parts KEY OFFSET LENGTH PART… >OUT
 * KEY has 32 bytes, as `head -c 32 /dev/urandom >KEY` makes it; gcrypt reads this form too.
 */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct parts {
	char **names;
	int n;
	off_t part_bytes; /* of each but the last */
};

/* Several threads call it at the same time. Fewer bytes than asked for are no failure: the library asks again. */
static ssize_t read_parts(void *self, void *bytes, size_t n_bytes, uint64_t offset)
{
	const struct parts *parts = self;
	uint64_t part = offset / parts->part_bytes;
	ssize_t n;
	int fd, error;

	if (part >= (uint64_t)parts->n)
		return 0;
	fd = open(parts->names[part], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = pread(fd, bytes, n_bytes, offset % parts->part_bytes);
	error = errno;
	close(fd);
	errno = error;
	return n;
}

int main(int argc, char **argv)
{
	struct parts parts = { argv + 4, argc - 4, 0 };
	struct stat first, last;
	unsigned char key[32];
	FILE *stream = argc > 4 ? fopen(argv[1], "rb") : NULL;

	if (!stream || fread(key, 1, sizeof key, stream) != sizeof key || getc(stream) != EOF ||
	        stat(parts.names[0], &first) || stat(parts.names[parts.n - 1], &last)) {
		fputs("usage: read_parts KEY OFFSET LENGTH PART... >OUT\n", stderr);
		return GPUCRYPT_USAGE;
	}
	fclose(stream);
	parts.part_bytes = first.st_size;

	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	struct gpucrypt_source source = {
		.pread = read_parts, .self = &parts, .size = (uint64_t)first.st_size * (parts.n - 1) + last.st_size
	};
	struct gpucrypt_file *file;
	uint64_t offset = strtoull(argv[2], NULL, 10), length = strtoull(argv[3], NULL, 10);
	char *bytes = malloc(length + 1);
	int status = gpucrypt_open(&file, &source, NULL, &secret);

	if (status == GPUCRYPT_OK)
		status = bytes ? gpucrypt_pread(file, bytes, length, offset) : GPUCRYPT_OTHER;
	if (status == GPUCRYPT_OK)
		fwrite(bytes, 1, length, stdout);
	else
		fprintf(stderr, "read_parts: %s\n", gpucrypt_error());
	gpucrypt_close(file);
	free(bytes);
	explicit_bzero(key, sizeof key);
	return status;
}
