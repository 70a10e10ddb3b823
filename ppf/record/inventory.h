/* The inventory of OpenCL devices as a cached file, for runs that do not open OpenCL. */
#ifndef PPF_INVENTORY_H
#define PPF_INVENTORY_H

#include "gpucrypt/device/device.h"

/*
 * Read it; id and platform of the devices are NULL.  false: there is none, or it is stale (the ICD
 * files, what steers the ICD loader, or the machine's boot changed), or it is damaged and note says
 * so in one line.
 */
bool inventory_read(struct inventory *inventory, char *note, size_t note_bytes);

/* A text that differs when the devices may; to be freed; NULL: out of memory.  Take it before OpenCL is
 * asked: Khronos' ICD loader cuts up the text of OCL_ICD_FILENAMES in the environment. */
char *inventory_surroundings(void);

/* Keep it where that is possible, for these surroundings (NULL: those of now). */
void inventory_keep(const struct inventory *inventory, const char *surroundings);

#endif
