/* A container's header in words or in JSON, for `info` and `key list`. */
#ifndef CLI_SECRETS_DESCRIBE_H
#define CLI_SECRETS_DESCRIBE_H

#include "gpucrypt/keys/header.h"
#include "gpucrypt/keys/recipients.h"
#include "cli/args/options.h"
#include "command/pattern.h"

/* Read both header copies of the container, and print what they say: the header and its key slots, or only those. With
 * a secret the header is authenticated, and which private key opens which slot is printed too. The name is overwritten
 * by what can be printed of it. */
int describe(char *name, const struct options *options, bool header);

/* "slot 2: rsa-oaep, 2048 bits, key id 0123456789abcdef, label \"Anna\"", or of a shared slot its member. */
#define SLOT_TEXT PATTERN_TEXT
void describe_recipient(char text[SLOT_TEXT], const struct recipient *recipient);

#endif
