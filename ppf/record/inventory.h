/* The inventory of OpenCL devices as a cached file, for runs that do not open OpenCL. */
#ifndef PPF_RECORD_INVENTORY_H
#define PPF_RECORD_INVENTORY_H

#include "gpucrypt/engine/opencl/engine_opencl.h"
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

/* Probe the drivers, without opening OpenCL in this process if another process can be started (probe_drivers()), and
 * write the inventory to the cache. */
void inventory_renew(struct inventory *inventory);

/* Write to the cache, if possible, which forms of ciphers a device with this driver computes right (gcrypt selftest),
 * for people; and that text: NULL if none is kept.  It lasts as long as the cache. */
void forms_keep(const struct device *device, const char *forms);
const char *forms_kept(const json_t *cache, const struct device *device);

/* The list of device programs that were built on this machine before.  Drivers cache the programs that they build, so a
 * run with a listed program starts without a build.  A driver cannot be asked for the contents of its cache. */

#define MAX_BUILT 256 /* older programs are dropped from the list */

struct built {
	uint64_t keys[MAX_BUILT]; /* oldest first */
	unsigned n;
};

/* Read the list from the cache (NULL: there is none); what is damaged in the list matches no program. */
void built_read(struct built *built, const json_t *cache);

bool built_before(const struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel);

/* Add a program that was just built to the list, in memory and in the cache. */
void built_keep(struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel);

#endif
