/*
 * The speeds of this machine's CPU and of its files, which are independent of the devices; all records as text, as
 * files, built in, and in the cache.  A text holds one record, or a device record together with the host and storage
 * records of the same measurement (ppf measure, and the built-in records).
 */
#ifndef PPF_RECORD_RECORDS_H
#define PPF_RECORD_RECORDS_H

#include "gpucrypt/device/device.h"
#include "ppf/record/cache.h"
#include "ppf/record/device_record.h"

/* Figures that were not measured are 0. */
struct host_record {
	char libcrypto[32];    /* version of libcrypto during the measurement */
	char forms[96];        /* instruction forms used during the measurement, or "none" */
	unsigned cpu_threads;  /* number of threads in the figures for all threads */
	struct cpu_speeds cpu; /* every measured_suite() as the CPU engine does it by itself, in each other instruction
	                          form of this processor, as without instruction forms (libcrypto or bitsliced), and
	                          bitsliced where the engine's choice is not constant-time */
	struct pace tag, copy; /* Poly1305; memory to memory */
	double run_s;          /* time of a run that makes an empty container with the CPU engine */
	double other_work;     /* share of the CPU that other programs used during the measurement */
	double host_spread;    /* the fastest round over the median round, less 1 */
};

/* Whether other programs slowed the measurement down, so that the figures are too low. */
bool host_record_is_disturbed(const struct host_record *record);

/* Set libcrypto and forms to the versions that this process uses. */
void host_record_set_code(struct host_record *record);

/* The speeds of files on one file system, in bytes per second.  Figures that were not measured are 0. */
struct storage_record {
	unsigned cpu_threads; /* number of threads in read.all_threads */
	struct pace read;     /* includes the page cache */
	double write;         /* includes the page cache; one thread, because Linux locks the file for each write */
	double sync;          /* fsync of data that was just written */
};

/* The records to read from a text; NULL: not wanted.  The struct does not own the records. */
struct records {
	struct device_record *device;
	struct host_record *host;
	struct storage_record *storage;
};

/* Read records from a text, or with text NULL from the file `name`.  Errors: GPUCRYPT_CORRUPT, with a message that
 * starts with name, if the text lacks a wanted record, or has a negative or missing number, a wrong type or a curve
 * that is not ascending; GPUCRYPT_IO. */
int records_parse(const struct records *records, const char *text, const char *name);
int records_json(json_t *root, const struct records *records); /* adds format and members */
char *members_text(json_t *root);                              /* as a record's file has them; as below: */
char *records_text(const struct records *records);             /* freed by the caller; NULL with fail() set */

static inline int device_record_parse(struct device_record *record, const char *text, const char *name)
{
	return records_parse(&(struct records){ .device = record }, text, name);
}

/* The built-in texts of ppf/devices/; a NULL name ends the table. */
struct builtin_record {
	const char *name, *text;
};

extern const struct builtin_record builtin_records[];

/* The text of ppf/devices/NAME.json (gtx580, gtx280, h100, h200, cpu).  Returns NULL if there is no such record. */
const char *records_builtin(const char *name);

/*
 * Records in the cache of this machine (cache.h; NULL: there is none).  Readers return false if the record is missing,
 * damaged or stale; an empty note gets the reason for skipping a damaged or stale record, in one line.
 */

/* A CPU's record with neither costs of vectors nor trials is stale. */
bool device_record_cached(
        struct device_record *record, const json_t *cache, const char *name, const char *driver, char note[CACHE_NOTE]);

/* A record measured with another libcrypto or other instruction forms is stale. */
bool host_record_cached(struct host_record *record, const json_t *cache, char note[CACHE_NOTE]);

/* The storage record of the file system that holds the folder. */
bool storage_record_cached(
        struct storage_record *record, const json_t *cache, const char *folder, char note[CACHE_NOTE]);

/* Write the records that are not NULL; folder is that of the storage record.  Errors: GPUCRYPT_IO or GPUCRYPT_EXISTS if
 * the cache cannot be written; callers may ignore these errors. */
int records_keep(const struct records *records, const char *folder);

/*
 * Find the record for a device: the cached record, with *fresh set to true, or else the built-in record that fits best
 * by name, vendor and kind of device.
 */
int device_record_find(struct device_record *record, const struct device *device, const json_t *cache, bool *fresh,
        char note[CACHE_NOTE]);

/* derive.c: a device record from published micro-benchmarks, by the rules of rules.json. */

/*
 * Derive a record from a table of figures, from results of clpeak (JSON or XML), or from both (NULL: there is none); a
 * figure of the table takes precedence.  *text, which the caller frees, is the record's text (records_parse()), with a
 * member "origins" that says of each figure where it was given or by which rule it was derived.  Errors: GPUCRYPT_IO;
 * GPUCRYPT_CORRUPT: a file is damaged or has an unknown figure, or a required figure is missing.
 */
int record_derive(char **text, const char *table, const char *clpeak);

extern const struct builtin_record derivation_rules[]; /* one text */

#endif
