/* Shared by the fuzz targets: an input that is read piece by piece, and assertions that release builds keep. */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpucrypt/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Assert a condition that must hold for every input. */
#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			__builtin_trap();                                               \
		}                                                                       \
	} while (0)

struct fuzz_input {
	const uint8_t *bytes;
	size_t n_bytes;
};

/* The next n_bytes, zeros after the end. */
static inline void take(struct fuzz_input *input, void *to, size_t n_bytes)
{
	size_t n = n_bytes < input->n_bytes ? n_bytes : input->n_bytes;

	memset(to, 0, n_bytes);
	if (n > 0)
		memcpy(to, input->bytes, n);
	input->bytes += n;
	input->n_bytes -= n;
}

static inline unsigned take_byte(struct fuzz_input *input)
{
	uint8_t byte;

	take(input, &byte, 1);
	return byte;
}

static inline unsigned take_pair(struct fuzz_input *input)
{
	unsigned low = take_byte(input);

	return low | take_byte(input) << 8;
}

/* The rest as a text; to be freed. */
static inline char *take_text(struct fuzz_input *input)
{
	size_t n = input->n_bytes;
	char *text = malloc(n + 1);

	MUST(text != NULL);
	take(input, text, n);
	text[n] = '\0';
	return text;
}

/* A file in memory with these bytes; its name is /dev/fd/N. */
static inline int memory_file(const uint8_t *bytes, size_t n_bytes, char name[32])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	MUST(fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes);
	snprintf(name, 32, "/dev/fd/%d", fd);
	return fd;
}

/* A failure says why, and nothing else does. */
static inline bool succeeded(int status)
{
	MUST((status == GPUCRYPT_OK) == (gpucrypt_error()[0] == '\0'));
	fail_clear();
	return status == GPUCRYPT_OK;
}

#endif
