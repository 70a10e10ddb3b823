/* Ask for a passphrase on the controlling terminal, whatever standard input is. */
#ifndef PASSPHRASE_H
#define PASSPHRASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length of a line from the terminal, with its end. */
#define MAX_LINE_BYTES 4096

/* file: what the passphrase is for.  twice: a typing error would lock the file for good.  The
 * caller wipes bytes.  GPUCRYPT_USAGE when there is no terminal, nothing is typed or the two
 * differ. */
int passphrase_ask(uint8_t bytes[MAX_LINE_BYTES], size_t *length, const char *file, bool twice);

/* What makes the passphrase one that another terminal or editor would give other bytes for: "has a carriage return";
 * NULL: nothing.  A terminator follows the bytes. */
const char *passphrase_oddity(const uint8_t *bytes, size_t n_bytes);

#endif
