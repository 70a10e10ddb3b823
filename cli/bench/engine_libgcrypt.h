/* libgcrypt as an engine, for comparisons, where it was installed when this was built. */
#ifndef ENGINE_LIBGCRYPT_H
#define ENGINE_LIBGCRYPT_H

#include "gpucrypt/engine/engine.h"

/* One lane.  GPUCRYPT_DEVICE where it has no such cipher. */
extern const struct engine_class engine_libgcrypt;

/* "1.10.1"; NULL: built without it. */
const char *libgcrypt_version(void);

bool libgcrypt_has(const struct suite *suite);

#endif
