/*
 * Encrypt a buffer in memory and get it back: cc encrypt_buffer.c $(pkg-config --cflags --libs
 * libgpucrypt).  The library reads and writes descriptors; memfd_create(2) makes one of memory.
 */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static void stop_if(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "encrypt_buffer: %s: %s\n", what, gpucrypt_error());
	exit(failed);
}

static int memory(void)
{
	int fd = memfd_create("buffer", MFD_CLOEXEC);

	stop_if(fd < 0, "no memory");
	return fd;
}

/* Both start reading and writing where a descriptor stands. */
static void rewind_fd(int fd)
{
	stop_if(lseek(fd, 0, SEEK_SET) != 0, "lseek");
}

int main(void)
{
	static const char text[] = "Attack at dawn";
	struct gpucrypt_options *options = gpucrypt_options_create();
	unsigned char key[32];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	char back[sizeof text];
	int plain = memory(), container = memory(), decrypted = memory();

	stop_if(!options || gpucrypt_options_set_cipher(options, GPUCRYPT_CAMELLIA) ||
	                gpucrypt_options_set(options, "engine", "cpu"),
	        "options");
	stop_if(getrandom(key, sizeof key, 0) != sizeof key, "no randomness");
	stop_if(write(plain, text, sizeof text) != sizeof text, "write");
	rewind_fd(plain);
	stop_if(gpucrypt_encrypt(plain, container, options, &secret, NULL), "encrypting");
	rewind_fd(container);
	stop_if(gpucrypt_decrypt(container, decrypted, NULL, &secret, NULL), "decrypting");
	rewind_fd(decrypted);
	stop_if(read(decrypted, back, sizeof back) != sizeof back || memcmp(text, back, sizeof text), "not the same");
	printf("%zu bytes, a container of %lld bytes, and back: %s\n", sizeof text,
	        (long long)lseek(container, 0, SEEK_END), back);

	/* Decrypting the changed container must fail. */
	rewind_fd(container);
	stop_if(pwrite(container, "X", 1, 20000) != 1, "pwrite");
	if (gpucrypt_verify(container, NULL, &secret, NULL) != GPUCRYPT_CORRUPT)
		stop_if(EXIT_FAILURE, "a changed byte was taken");
	printf("with a byte changed: %s\n", gpucrypt_error());
	gpucrypt_options_free(options);
	explicit_bzero(key, sizeof key);
	return EXIT_SUCCESS;
}
