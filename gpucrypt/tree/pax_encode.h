/* An entry as the bytes before its content: a header with extended records, and a header. */
#ifndef PAX_ENCODE_H
#define PAX_ENCODE_H

#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/tree/pax.h"

/* Two names, some numbers, and two headers. */
#define PAX_HEAD_BYTES (20 * PAX_BLOCK_BYTES)

/* The entry has been admitted, and is no device.  Returns the number of bytes, which are whole blocks. */
size_t pax_encode(uint8_t head[PAX_HEAD_BYTES], const struct gpucrypt_entry *entry);

/* Bytes of content behind the head. */
uint64_t pax_content_bytes(const struct gpucrypt_entry *entry);

#endif
