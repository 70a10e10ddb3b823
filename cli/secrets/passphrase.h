/* Ask for a passphrase on the controlling terminal, whatever standard input is. */
#ifndef PASSPHRASE_H
#define PASSPHRASE_H

#include <stddef.h>
#include <stdint.h>

/* Maximum length of a line from the terminal, with its end. */
#define MAX_LINE_BYTES 4096

/* Number of times that a passphrase is asked for until it opens. */
#define PASSPHRASE_TRIES 3

/* ASK_TWICE: for a new passphrase, where a typing error would lock the file for ever.  ASK_AGAIN: the previous
 * passphrase opened nothing. */
enum passphrase_question { ASK_ONCE, ASK_TWICE, ASK_AGAIN };

/* file: the name in the prompt.  The caller wipes bytes.  GPUCRYPT_USAGE when there is no terminal, nothing is typed,
 * or the two passphrases of ASK_TWICE differ. */
int passphrase_ask(uint8_t bytes[MAX_LINE_BYTES], size_t *length, const char *file, enum passphrase_question question);

/* The property of a passphrase for which another terminal or editor would give other bytes, such as "has a carriage
 * return"; NULL: none.  A terminator follows the bytes. */
const char *passphrase_oddity(const uint8_t *bytes, size_t n_bytes);

#endif
