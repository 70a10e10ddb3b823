/*
 * Records as text, as files, built in, and in the cache.  A text holds one record, or a device record together with
 * the records of the host and of the storage that it was measured with (ppf measure, and the built-in ones).
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "gpucrypt/device/device.h"
#include "ppf/record/device_record.h"
#include "ppf/record/host_record.h"
#include "ppf/record/storage_record.h"

/* The records of a text; NULL: not wanted.  Not owned. */
struct records {
	struct device_record *device;
	struct host_record *host;
	struct storage_record *storage;
};

/* GPUCRYPT_CORRUPT with one line, which begins with name, for a text that lacks a wanted record, or that holds a
 * negative or missing number, a wrong type or a curve that is not ascending. */
int records_parse(const struct records *records, const char *text, const char *name);
int records_read(const struct records *records, const char *path);
char *records_text(const struct records *records);                  /* freed by the caller; NULL with fail() set */
int records_write(const struct records *records, const char *path); /* a file: atomically */

static inline int device_record_parse(struct device_record *record, const char *text, const char *name)
{
	return records_parse(&(struct records){ .device = record }, text, name);
}

/* The text of ppf/devices/NAME.json (gtx580, gtx280, h200, cpu); NULL: there is none. */
const char *records_builtin(const char *name);

/*
 * The cache ($XDG_CACHE_HOME/gcrypt/ or ~/.cache/gcrypt/) has a record for each device and driver, for each host by
 * its name, and for each file system.  Reading: false if there is none, or if it is skipped because it is damaged or
 * stale; then note says why in one line, else note is "".  Keeping: GPUCRYPT_IO or GPUCRYPT_EXISTS where the cache
 * cannot be written, which no caller needs to fail for.
 */
#define RECORD_NOTE 288

/* A CPU's record without figures of vectors, and without trials instead, is stale. */
bool device_record_cached(struct device_record *record, const char *name, const char *driver, char note[RECORD_NOTE]);
int device_record_keep(const struct device_record *record);

/* A record measured with another libcrypto is stale. */
bool host_record_cached(struct host_record *record, char note[RECORD_NOTE]);
int host_record_keep(const struct host_record *record);

/* Of the file system of a folder. */
bool storage_record_cached(struct storage_record *record, const char *folder, char note[RECORD_NOTE]);
int storage_record_keep(const struct storage_record *record, const char *folder);

/* Host and storage out of a device's record of an earlier release, which held them too; note: it is stale. */
bool records_cached_with_device(
        const struct records *records, const char *name, const char *driver, char note[RECORD_NOTE]);

/*
 * The record for a device: of the cache, and then *fresh is true; else the built-in one that fits best by name,
 * vendor, and kind of device.  note is as above.
 */
int device_record_find(struct device_record *record, const struct device *device, bool *fresh, char note[RECORD_NOTE]);

#endif
