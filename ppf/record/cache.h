/*
 * The cache of this machine: $XDG_CACHE_HOME/gcrypt/machine-HOST.json or ~/.cache/gcrypt/machine-HOST.json, one JSON
 * object with a member for the list of devices, for the built programs, and for each record.  The cache saves time, and
 * a run works without it.  A folder that other users can change is not used, because the cache influences the choice of
 * the engine.
 */
#ifndef PPF_RECORD_CACHE_H
#define PPF_RECORD_CACHE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define MAX_CACHED_BYTES (1u << 20) /* gcrypt writes no larger files */
#define CACHE_NOTE       288
#define RECORD_DIGITS    JSON_REAL_PRECISION(9) /* of all figures in files */

/* The path of the file.  Errors: GPUCRYPT_IO if XDG_CACHE_HOME and HOME are not set. */
int cache_path(char *path, size_t n);

/* Replace characters that are not in all file names: "NVIDIA H200" → "NVIDIA_H200". */
void cache_clean_name(char *name);

/* Read the text of a file of up to 1 MiB.  The caller frees the text.  Returns NULL, with fail() set, on error. */
char *file_text(const char *path);

/* Replace a file atomically: on error the file keeps its old contents.  An existing file that is not regular
 * (/dev/null, a FIFO) is opened and written. */
int file_write(const char *path, const char *text);

/* Whether the cache folder exists but other users can change the folder. */
bool cache_refused(void);

/* Move an error message into a note, unless the note has a text already. */
void cache_note(char note[CACHE_NOTE]);

/* Read the cache.  The caller releases the object.  Returns NULL if there is no cache, or if the cache is damaged or
 * its folder is refused, which cache_note() notes. */
json_t *cache_read(char note[CACHE_NOTE]);

/*
 * Replace one member.  This function releases the value.  A missing folder is created with access for the user only; a
 * damaged cache is replaced by a new one.  Processes take turns.  Errors: GPUCRYPT_EXISTS if the folder is refused.
 */
int cache_set(const char *key, json_t *value);

#endif
