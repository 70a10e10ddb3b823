/*
 * Encrypt or decrypt standard input to standard output with a passphrase, and say how far it is:
 * stream_file enc|dec|verify PASSPHRASE-FILE <IN >OUT
 */
#include <gpucrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From one thread of the library; self is what the caller chose, here the last percentage. */
static int report(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	unsigned *last = self;
	unsigned percent = total_bytes && total_bytes != UINT64_MAX
	                           ? (unsigned)(100 * ((double)done_bytes / (double)total_bytes))
	                           : 0;

	if (percent != *last)
		fprintf(stderr, "\r%u %%", percent);
	*last = percent;
	return 0;
}

/* The first line, without its end. */
static size_t read_line(const char *path, char *line, int n)
{
	FILE *file = fopen(path, "r");
	size_t length = 0;

	if (file && fgets(line, n, file))
		length = strcspn(line, "\n");
	if (file)
		fclose(file);
	return length;
}

static int run(const char *action, const struct gpucrypt_secret *secret)
{
	unsigned percent = 0;
	const struct gpucrypt_progress progress = { report, &percent };

	if (!strcmp(action, "enc"))
		return gpucrypt_encrypt(0, 1, NULL, secret, &progress);
	if (!strcmp(action, "dec"))
		return gpucrypt_decrypt(0, 1, NULL, secret, &progress);
	return gpucrypt_verify(0, NULL, secret, &progress);
}

int main(int argc, char **argv)
{
	char passphrase[256];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)passphrase };
	int status;

	if (argc != 3) {
		fputs("usage: stream_file enc|dec|verify PASSPHRASE-FILE <IN >OUT\n", stderr);
		return GPUCRYPT_USAGE;
	}
	secret.length = read_line(argv[2], passphrase, sizeof passphrase);
	if (secret.length == 0) {
		fprintf(stderr, "stream_file: %s: no passphrase\n", argv[2]);
		return GPUCRYPT_USAGE;
	}
	status = run(argv[1], &secret);
	fputc('\n', stderr);
	/* Discard the output of a failed decryption: its end is missing. */
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "stream_file: %s\n", gpucrypt_error());
	return status;
}
