/* The inventory of OpenCL devices as a cached file, for runs that do not open OpenCL. */
#ifndef PPF_RECORD_INVENTORY_H
#define PPF_RECORD_INVENTORY_H

#include "gpucrypt/device/device.h"
#include "ppf/record/cache.h"

/*
 * Read the inventory from the cache (NULL: there is none); id and platform of the devices are NULL.  Drivers that were
 * left out are left out in this process (loader_set_drivers()).  Returns false if the inventory is missing, stale (the
 * ICD files, their libraries, the variables of the ICD loader or the boot have changed) or damaged.  If the inventory
 * is damaged, an empty note gets the damage in one line.
 */
bool inventory_read(struct inventory *inventory, const json_t *cache, char note[CACHE_NOTE]);

/* Write the inventory and the drivers that are left out to the cache, if possible, for these surroundings (NULL: the
 * present surroundings). */
void inventory_keep(const struct inventory *inventory, const char *surroundings);

/* Probe the drivers, without opening OpenCL in this process if another process can be started (probe.h), and write the
 * inventory to the cache. */
void inventory_renew(struct inventory *inventory);

/* Write to the cache, if possible, which forms of ciphers a device with this driver computes right (gcrypt selftest),
 * for people; and that text: NULL if none is kept.  It lasts as long as the cache. */
void forms_keep(const struct device *device, const char *forms);
const char *forms_kept(const json_t *cache, const struct device *device);

#endif
