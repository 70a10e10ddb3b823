/*
 * Encrypt a buffer in memory and get it back:
 * cc encrypt_buffer.c $(pkg-config --cflags --libs libgpucrypt)
 */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void stop_if(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "encrypt_buffer: %s: %s\n", what, gpucrypt_error());
	exit(failed);
}

int main(void)
{
	static const char text[] = "Attack at dawn";
	struct gpucrypt_options *options = gpucrypt_options_create();
	unsigned char key[32];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	uint64_t size;
	char back[sizeof text];

	stop_if(!options || gpucrypt_options_set_cipher(options, GPUCRYPT_CAMELLIA) ||
	                gpucrypt_options_set(options, "engine", "cpu"),
	        "options");
	stop_if(getrandom(key, sizeof key, 0) != sizeof key, "no randomness");
	stop_if(gpucrypt_container_size(&size, options, sizeof text), "size");

	struct gpucrypt_source plain = { .bytes = text, .size = sizeof text };
	struct gpucrypt_sink container = { .bytes = malloc(size), .size = size };

	stop_if(!container.bytes, "no memory");
	stop_if(gpucrypt_encrypt(&plain, &container, options, &secret, NULL), "encrypting");

	struct gpucrypt_source again = { .bytes = container.bytes, .size = container.written };
	struct gpucrypt_sink decrypted = { .bytes = back, .size = sizeof back };

	stop_if(gpucrypt_decrypt(&again, &decrypted, NULL, &secret, NULL), "decrypting");
	stop_if(decrypted.written != sizeof text || memcmp(text, back, sizeof text), "not the same");
	printf("%zu bytes, a container of %zu bytes, and back: %s\n", sizeof text, container.written, back);

	/* Decrypting the changed container must fail. */
	((unsigned char *)container.bytes)[20000] ^= 1;
	if (gpucrypt_verify(&again, NULL, &secret, NULL) != GPUCRYPT_CORRUPT)
		stop_if(EXIT_FAILURE, "a changed byte was accepted");
	printf("with a byte changed: %s\n", gpucrypt_error());
	gpucrypt_options_free(options);
	free(container.bytes);
	explicit_bzero(key, sizeof key);
	return EXIT_SUCCESS;
}
