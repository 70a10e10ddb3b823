/* libgcrypt as an engine, for comparisons.  The build includes this engine if libgcrypt is installed. */
#ifndef CLI_BENCH_ENGINE_LIBGCRYPT_H
#define CLI_BENCH_ENGINE_LIBGCRYPT_H

#include "gpucrypt/engine/engine.h"

/* An engine with one lane.  Errors: GPUCRYPT_DEVICE if libgcrypt does not have the cipher. */
extern const struct engine_class engine_libgcrypt;

/* The version, such as "1.10.1".  Returns NULL if gcrypt was built without libgcrypt. */
const char *libgcrypt_version(void);

bool libgcrypt_has(const struct suite *suite);

#endif
