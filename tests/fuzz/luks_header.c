/* The bytes of LUKS2 headers: both copies, each with a text, and with the right checksum or another one. */
#include "tests/fuzz/input.h"

#include <openssl/sha.h>

#include "cli/luks/volume.h"
#include "gpucrypt/bytes.h"

#define COPY_BYTES   16384u
#define BINARY_BYTES 4096u
#define CHECKSUM_AT  448
#define TEXT_BYTES   (COPY_BYTES - BINARY_BYTES)

enum {
	COPY_SEALED = 1,  /* with the right checksum */
	COPY_POKED = 2,   /* one byte anywhere is another */
	COPY_SIZED = 4,   /* with another size than its own */
	COPY_FOREIGN = 8, /* without the magic */
};

static void make_copy(struct fuzz_input *input, uint8_t copy[COPY_BYTES], const char *magic)
{
	unsigned flags = take_byte(input);

	memset(copy, 0, COPY_BYTES);
	if ((flags & COPY_FOREIGN) == 0)
		memcpy(copy, magic, 6);
	store_be64(copy + 8, (flags & COPY_SIZED) != 0 ? (uint64_t)take_pair(input) << 8 : COPY_BYTES);
	copy[23] = (uint8_t)take_byte(input); /* sequence */
	memcpy(copy + 72, "sha256", 6);
	take(input, copy + BINARY_BYTES, take_pair(input) % TEXT_BYTES);
	if ((flags & COPY_POKED) != 0) {
		unsigned at = take_pair(input) % COPY_BYTES;

		copy[at] ^= (uint8_t)take_byte(input);
	}
	if ((flags & COPY_SEALED) == 0)
		return;
	memset(copy + CHECKSUM_AT, 0, 64);
	SHA256(copy, COPY_BYTES, copy + CHECKSUM_AT);
}

/* The text may not end in its room: as libcryptsetup gives it, it does. */
static void check_text(const uint8_t *copy)
{
	char text[TEXT_BYTES + 1] = { 0 };
	unsigned iterations;

	memcpy(text, copy + BINARY_BYTES, TEXT_BYTES);
	if (succeeded(luks_check_text(&iterations, text, "volume")))
		MUST(iterations <= LUKS_BUDGET);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t copies[2][COPY_BYTES];
	struct fuzz_input input = { bytes, n_bytes };
	struct source source;
	char name[32];
	bool found, equal_age;
	int fd;

	make_copy(&input, copies[0], "LUKS\xba\xbe");
	make_copy(&input, copies[1], "SKUL\xba\xbe");
	equal_age = memcmp(copies[0] + 16, copies[1] + 16, 8) == 0;
	fd = memory_file(copies[0], sizeof copies, name);
	MUST(source_open(&source, fd, name) == GPUCRYPT_OK);
	MUST(luks_found(&found, &source) == GPUCRYPT_OK);
	MUST(found == (memcmp(copies[0], "LUKS\xba\xbe", 6) == 0));
	if (succeeded(luks_check_copies(fd, "volume")))
		MUST(found && equal_age);
	check_text(copies[0]);
	if (succeeded(luks_set_cipher(fd, "camellia")) && found && equal_age &&
	        memcmp(copies[1], "SKUL\xba\xbe", 6) == 0 && memcmp(copies[0] + 72, "sha256", 7) == 0 &&
	        memcmp(copies[1] + 72, "sha256", 7) == 0)
		MUST(succeeded(luks_check_copies(fd, "volume")));
	close(fd);
	return 0;
}
