/* The cache folder, $XDG_CACHE_HOME/gcrypt/ or ~/.cache/gcrypt/: what is in it saves time, and is
 * never needed.  A folder that other users can change is not used: what it holds would decide what
 * runs. */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_CACHED_BYTES (1u << 20) /* larger files are none of ours */

/* The path of a file in it; GPUCRYPT_IO where there is no home. */
int cache_path(char *path, size_t n, const char *file);

/* The text of a regular file, to be freed; NULL with fail() set. */
char *file_text(const char *path);

/* Write a text in the place of a file: it is there whole, or as it was. */
int file_replace(const char *path, const char *text);

/* The same, but what is there and no regular file (/dev/null, a FIFO) is written into. */
int file_write(const char *path, const char *text);

/* There is a cache folder, but other users can change it. */
bool cache_refused(void);

/* The text of a file of the cache, to be freed; NULL if there is none, or with fail() set if it
 * cannot be read or the folder is refused. */
char *cache_text(const char *file);

/* Replace a file of the cache folder, which is made for the user alone; temporaries that killed
 * runs left are removed.  GPUCRYPT_EXISTS: the folder is refused. */
int cache_keep(const char *file, const char *text);

#endif
