/* Work by one core of this processor, on the calling thread. */
#ifndef GPUCRYPT_ENGINE_CORE_CRYPT_H
#define GPUCRYPT_ENGINE_CORE_CRYPT_H

#include "gpucrypt/engine/engine.h"

struct host_core;

/*
 * Encrypt or decrypt a buffer, with its tags if work->tag_r is set.  Each piece is read once, encrypted and tagged
 * while the first-level cache has it, and written once.  tables: indexed by direction; NULL if the core uses no tables.
 */
int core_crypt(const struct suite *suite, const struct host_core *core, const uint32_t *const *tables,
        const struct work *work);

#endif
