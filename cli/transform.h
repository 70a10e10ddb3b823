/* One file after another is encrypted, decrypted or verified. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "gpucrypt/cipher.h"
#include "options.h"

struct transform {
	enum direction direction;
	bool verifies; /* writes nothing */
};

/* Do it to every operand.  Failures that concern one file are printed and the next one follows; the
 * first one's status is returned. */
int transform_files(const struct transform *transform, const struct options *options);

#endif
