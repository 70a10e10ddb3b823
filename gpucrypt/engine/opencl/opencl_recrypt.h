/* The OpenCL engine's part of recrypt.h. */
#ifndef OPENCL_RECRYPT_H
#define OPENCL_RECRYPT_H

#include "gpucrypt/engine/recrypt.h"

int opencl_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before);
int opencl_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption);

#endif
