/*
 * Encrypt, decrypt or verify standard input with a passphrase, in constant memory:
 * stream_file enc|dec|verify PASSPHRASE-FILE <IN >OUT
 */
#include <gpucrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct gpucrypt_source in = { .fd = 0 };
	struct gpucrypt_sink out = { .fd = 1 };

	if (!strcmp(action, "enc"))
		return gpucrypt_encrypt(&in, &out, NULL, secret, NULL);
	if (!strcmp(action, "dec"))
		return gpucrypt_decrypt(&in, &out, NULL, secret, NULL);
	return gpucrypt_verify(&in, NULL, secret, NULL);
}

int main(int argc, char **argv)
{
	char passphrase[256];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)passphrase };
	int status;

	if (argc != 3 || (strcmp(argv[1], "enc") && strcmp(argv[1], "dec") && strcmp(argv[1], "verify"))) {
		fputs("usage: stream_file enc|dec|verify PASSPHRASE-FILE <IN >OUT\n", stderr);
		return GPUCRYPT_USAGE;
	}
	secret.length = read_line(argv[2], passphrase, sizeof passphrase);
	if (secret.length == 0) {
		fprintf(stderr, "stream_file: %s: no passphrase\n", argv[2]);
		return GPUCRYPT_USAGE;
	}
	status = run(argv[1], &secret);
	/* Discard the output of a failed decryption: its end is missing. */
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "stream_file: %s\n", gpucrypt_error());
	return status;
}
