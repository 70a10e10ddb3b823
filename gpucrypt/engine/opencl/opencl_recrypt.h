/* The OpenCL engine's part of recrypt.h. */
#ifndef GPUCRYPT_ENGINE_OPENCL_OPENCL_RECRYPT_H
#define GPUCRYPT_ENGINE_OPENCL_OPENCL_RECRYPT_H

#include "gpucrypt/engine/recrypt.h"

int opencl_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before);
int opencl_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption);

#endif
