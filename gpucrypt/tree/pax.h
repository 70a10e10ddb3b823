/* The pax interchange format (POSIX.1-2017, pax, "pax Interchange Format") as far as gcrypt(5) has it: entries of
 * directory trees. */
#ifndef PAX_H
#define PAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAX_BLOCK_BYTES 512u
#define PAX_NAME_BYTES  4096 /* a path or the target of a link, with its terminator */

/* Longest path of an entry: an archive has a slash behind it if it is a directory. */
#define PAX_PATH_LENGTH (PAX_NAME_BYTES - 2)

/* Block before an entry, and before its extended records. */
struct ustar {
	char name[100];
	char mode[8], uid[8], gid[8], size[12], mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[8];
	char user[32], group[32], major[8], minor[8];
	char prefix[155];
	char zeros[12];
};
_Static_assert(sizeof(struct ustar) == PAX_BLOCK_BYTES, "a header is a block");

#define USTAR_MAGIC "ustar\00000"

enum ustar_type {
	USTAR_FILE = '0',
	USTAR_HARD_LINK = '1',
	USTAR_SYMBOLIC_LINK = '2',
	USTAR_CHARACTER_DEVICE = '3',
	USTAR_BLOCK_DEVICE = '4',
	USTAR_DIRECTORY = '5',
	USTAR_FIFO = '6',
	USTAR_RECORDS = 'x'
};

/* The sum of the header's bytes, with spaces in place of the checksum. */
static inline unsigned ustar_checksum(const struct ustar *header)
{
	const uint8_t *bytes = (const uint8_t *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof *header; i++) {
		bool in_checksum = i >= offsetof(struct ustar, checksum) && i < offsetof(struct ustar, type);

		sum += in_checksum ? (unsigned)' ' : bytes[i];
	}
	return sum;
}

/* Zeros behind the last byte of content, up to the next block. */
static inline unsigned pax_padding(uint64_t n_bytes)
{
	return (unsigned)(-n_bytes % PAX_BLOCK_BYTES);
}

#endif
