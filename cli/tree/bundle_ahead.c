#include "cli/tree/bundle_ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/tree/bundle_entry.h"
#include "gpucrypt/status.h"
#include "cli/files/walk.h"

/* Limits of reading ahead: number of files, and bytes of each; the kernel itself reads ahead in a long file. Deep
 * folders are left to the reader, which needs a descriptor for each of them too. */
#define AHEAD_NAMES  256
#define AHEAD_BYTES  ((off_t)256 << 10)
#define AHEAD_LEVELS 24

struct ahead {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned long long followed; /* names that the reader has come to */
	bool waits, ended;
	struct walk walk;
};

/* Wait until the reader is near the n-th name; false: it has ended. */
static bool wait_for(struct ahead *ahead, unsigned long long n)
{
	bool goes_on;

	pthread_mutex_lock(&ahead->mutex);
	while (!ahead->ended && n > ahead->followed + AHEAD_NAMES) {
		ahead->waits = true;
		pthread_cond_wait(&ahead->changed, &ahead->mutex);
	}
	ahead->waits = false;
	goes_on = !ahead->ended;
	pthread_mutex_unlock(&ahead->mutex);
	return goes_on;
}

/* A hint to the kernel only: the reader reports failures.  Entries of a skipped folder count for the reader alone,
 * which makes the distance longer. */
static bool ask_for(struct ahead *ahead, struct place *place)
{
	if (place_open(place) != 0 || place->fd < 0)
		return true;
	if (S_ISDIR(place->stat.st_mode) && ahead->walk.n_levels < AHEAD_LEVELS)
		return walk_enter(&ahead->walk, place->fd) != GPUCRYPT_OTHER;
	if (S_ISREG(place->stat.st_mode) && place->stat.st_size > 0)
		posix_fadvise(place->fd, 0, place->stat.st_size < AHEAD_BYTES ? place->stat.st_size : AHEAD_BYTES,
		        POSIX_FADV_WILLNEED);
	close(place->fd);
	return true;
}

static void *work(void *self)
{
	struct ahead *ahead = self;
	struct place place;

	for (unsigned long long n = 1; wait_for(ahead, n); n++) {
		place = (struct place){ .fd = -1 };
		if (walk_next(&ahead->walk, &place.folder_fd, &place.name) != GPUCRYPT_OK || !place.name)
			break;
		place.path = ahead->walk.path;
		if (!ask_for(ahead, &place))
			break;
	}
	return NULL;
}

static void discard(struct ahead *ahead)
{
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->mutex);
	walk_close(&ahead->walk);
	free(ahead);
}

struct ahead *ahead_open(int fd)
{
	struct ahead *ahead = calloc(1, sizeof *ahead);
	int copy;

	if (!ahead)
		return NULL;
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (copy >= 0 && walk_enter(&ahead->walk, copy) == GPUCRYPT_OK &&
	        pthread_create(&ahead->thread, NULL, work, ahead) == 0)
		return ahead;
	discard(ahead);
	return NULL;
}

void ahead_follow(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->followed++;
	/* Half of the distance at a time, or the two would wake each other for every name. */
	if (ahead->waits && ahead->followed % (AHEAD_NAMES / 2) == 0)
		pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
}

void ahead_close(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->mutex);
	ahead->ended = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	pthread_join(ahead->thread, NULL);
	discard(ahead);
}
