/* Rekeying group by group on the engine. */
#ifndef CONTAINER_RECRYPT_H
#define CONTAINER_RECRYPT_H

#include "gpucrypt/container/rekey.h"

/* container_rekey() of a container that takes no detour. */
int container_recrypt(const struct rekey *rekey, struct report *report);

#endif
