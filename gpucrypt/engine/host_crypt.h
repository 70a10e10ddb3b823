/* The reference implementation for whole buffers.  Results of devices are compared with its results. */
#ifndef HOST_CRYPT_H
#define HOST_CRYPT_H

#include "gpucrypt/engine/engine.h"

/* Encrypt or decrypt a buffer on the calling thread, in one table form. */
int host_crypt(const struct suite *suite, const struct table_form *form, const struct work *work);

#endif
