/* The inventory of OpenCL devices as a cached file, for runs that do not open OpenCL. */
#ifndef PPF_INVENTORY_H
#define PPF_INVENTORY_H

#include "gpucrypt/device.h"

/*
 * Read it; id and platform of the devices are NULL.  false: there is none, or it is stale (the ICD
 * files, what steers the ICD loader, or the machine's boot changed), or it is damaged and note says
 * so in one line.
 */
bool inventory_read(struct inventory *inventory, char *note, size_t note_bytes);

/* Keep it where that is possible. */
void inventory_keep(const struct inventory *inventory);

#endif
