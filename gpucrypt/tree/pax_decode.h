/* Headers and extended records as an entry.  All failures are GPUCRYPT_CORRUPT. */
#ifndef PAX_DECODE_H
#define PAX_DECODE_H

#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/tree/pax.h"

/* What extended records say; later than that a header adds what they do not say. */
struct pax_fields {
	char path[PAX_NAME_BYTES], link[PAX_NAME_BYTES]; /* "": not said */
	bool has_size, has_time, has_uid, has_gid;
	bool sparse;             /* form 1.0 of GNU: a map comes before the content */
	uint64_t stored_bytes;   /* of content, with its map */
	uint64_t expanded_bytes; /* length of a file with a map */
	struct gpucrypt_entry entry;
};

/* Zeroed fields at first; then the header's entry points into the fields. */
int pax_decode_records(struct pax_fields *fields, const uint8_t *bytes, size_t n_bytes);
int pax_decode_header(struct pax_fields *fields, const struct ustar *header);

/* The checksum and the magic number. */
int pax_check_header(const struct ustar *header);

/* A number in a header: octal digits, or with its first bit set 63 bits in binary. */
int pax_decode_number(uint64_t *number, const char *field, size_t n_bytes);

#endif
