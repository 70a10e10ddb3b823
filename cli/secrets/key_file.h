#ifndef KEY_FILE_H
#define KEY_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Read a key of n_bytes (at most 64): as they are, or as twice as many hexadecimal digits and a
 * newline.  Anything else is GPUCRYPT_USAGE, also bytes that are all printable: that is a
 * passphrase, which needs scrypt. */
int key_file_read(uint8_t *key, size_t n_bytes, const char *name);

#endif
