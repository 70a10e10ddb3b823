#ifndef CLI_FILES_OUTPUT_NAME_H
#define CLI_FILES_OUTPUT_NAME_H

#include "gpucrypt/crypto/cipher.h"
#include "cli/args/options.h"

#define CONTAINER_SUFFIX ".gcr"

/* The length of a name without .gcr, 0 if it does not end in that or is nothing else. */
size_t output_name_stem(const char *name);

/* Name the output for an operand: the argument of -o, "-" for "-", else the operand's name with .gcr added or removed.
 * The caller frees *name. */
int output_name(char **name, const char *operand, enum direction direction, const struct options *options);

/* Take slashes away from the end of a directory's name, in place. */
char *output_trim_name(char *name);

#endif
