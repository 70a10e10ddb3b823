/* Ask for a passphrase on the controlling terminal, whatever standard input is. */
#ifndef PASSPHRASE_H
#define PASSPHRASE_H

#include <stddef.h>
#include <stdint.h>

/* Maximum length of a line from the terminal, with its end. */
#define MAX_LINE_BYTES 4096

/* How often a passphrase that does not open may be typed. */
#define PASSPHRASE_TRIES 3

/* ASK_TWICE: a typing error would lock the file for good.  ASK_AGAIN: the one before does not open. */
enum passphrase_question { ASK_ONCE, ASK_TWICE, ASK_AGAIN };

/* file: what the passphrase is for.  The caller wipes bytes.  GPUCRYPT_USAGE when there is no terminal, nothing is
 * typed or the two differ. */
int passphrase_ask(uint8_t bytes[MAX_LINE_BYTES], size_t *length, const char *file, enum passphrase_question question);

/* What makes the passphrase one that another terminal or editor would give other bytes for: "has a carriage return";
 * NULL: nothing.  A terminator follows the bytes. */
const char *passphrase_oddity(const uint8_t *bytes, size_t n_bytes);

#endif
