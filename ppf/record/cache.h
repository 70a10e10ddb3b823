/* The cache folder, $XDG_CACHE_HOME/gcrypt/ or ~/.cache/gcrypt/.  Its files save time, and a run works without them.  A
 * folder that other users can change is not used, because its files influence the choice of the engine. */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_CACHED_BYTES (1u << 20) /* gcrypt writes no larger files */

/* The path of a file in the cache folder.  Errors: GPUCRYPT_IO if XDG_CACHE_HOME and HOME are not set. */
int cache_path(char *path, size_t n, const char *file);

/* Read the text of a regular file.  The caller frees the text.  Returns NULL, with fail() set, on error. */
char *file_text(const char *path);

/* Replace the contents of a file atomically: on error the file keeps its old contents. */
int file_replace(const char *path, const char *text);

/* As file_replace(), but an existing file that is not regular (/dev/null, a FIFO) is opened and written. */
int file_write(const char *path, const char *text);

/* Whether the cache folder exists but other users can change the folder. */
bool cache_refused(void);

/* Read a cache file.  The caller frees the text.  Returns NULL if the file does not exist, and NULL with fail() set if
 * the file cannot be read or the folder is refused. */
char *cache_text(const char *file);

/* Replace a cache file.  A missing folder is created with access for the user only, and temporary files of killed runs
 * are removed.  Errors: GPUCRYPT_EXISTS if the folder is refused. */
int cache_keep(const char *file, const char *text);

#endif
