/*
 * Encrypt a file with a bar that shows how far it is; the first Ctrl-C stops it and leaves no output:
 * progress_bar KEY IN OUT
 * KEY has 32 bytes, as `head -c 32 /dev/urandom >KEY` makes it; gcrypt reads this form too.
 */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 50

static atomic_int interrupted; /* by a signal handler, for a thread of the library */

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* From a thread of the library, after each group; self is what the caller chose, here the columns shown. */
static int show_bar(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	static const char bar[] = "##################################################";
	int *shown = self, columns = total_bytes ? (int)((double)done_bytes / (double)total_bytes * COLUMNS) : COLUMNS;

	if (columns != *shown)
		fprintf(stderr, "\r[%-*.*s]", COLUMNS, columns, bar);
	*shown = columns;
	return interrupted;
}

static int encrypt(int in_fd, int out_fd, const unsigned char key[32])
{
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = 32 };
	struct gpucrypt_source in = { .fd = in_fd };
	struct gpucrypt_sink out = { .fd = out_fd };
	int shown = -1, status;
	struct gpucrypt_progress progress = { show_bar, &shown };

	status = gpucrypt_encrypt(&in, &out, NULL, &secret, &progress);
	fputc('\n', stderr);
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "progress_bar: %s\n", gpucrypt_error());
	return status;
}

int main(int argc, char **argv)
{
	unsigned char key[32];
	FILE *stream = argc == 4 ? fopen(argv[1], "rb") : NULL;
	bool has_key = stream && fread(key, 1, sizeof key, stream) == sizeof key && getc(stream) == EOF;
	int in_fd = has_key ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	int out_fd = in_fd >= 0 ? open(argv[3], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1, status;

	if (out_fd < 0) {
		fputs("usage: progress_bar KEY IN OUT, where KEY has 32 bytes and OUT does not exist\n", stderr);
		return GPUCRYPT_USAGE;
	}
	fclose(stream);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = interrupt, .sa_flags = SA_RESTART }, NULL);
	status = encrypt(in_fd, out_fd, key);
	if (status == GPUCRYPT_OK && fsync(out_fd) != 0)
		status = GPUCRYPT_IO;
	if (status != GPUCRYPT_OK)
		unlink(argv[3]);
	close(in_fd);
	close(out_fd);
	explicit_bzero(key, sizeof key);
	return status;
}
