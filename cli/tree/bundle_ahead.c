/* Files of a tree are requested before they are read: while one is encrypted, storage brings the next ones. */
#include "cli/tree/bundle_state.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/terminal/memory.h"

/* Limits of reading ahead: number of files, in two batches, and bytes of each; the kernel itself reads ahead in a long
 * file. Deep folders are left to the reader, which needs a descriptor for each of them too. */
#define BATCH_NAMES  128
#define AHEAD_BYTES  ((off_t)256 << 10)
#define AHEAD_LEVELS 24

struct ahead {
	pthread_t thread;
	sem_t batches; /* that may be requested; one each time, or the threads would wake each other for every name */
	unsigned n_followed; /* names of the batch that the reader has come to */
	atomic_bool ended;
	struct walk walk;
};

/* A hint to the kernel only: the reader reports failures.  Entries of a skipped folder count for the reader alone,
 * which makes the distance longer. */
static void ask_for(struct ahead *ahead, struct place *place)
{
	if (place_open(place) != 0 || place->fd < 0)
		return;
	if (S_ISDIR(place->stat.st_mode) && ahead->walk.n_levels < AHEAD_LEVELS) {
		walk_enter(&ahead->walk, place->fd);
		return;
	}
	if (S_ISREG(place->stat.st_mode) && place->stat.st_size > 0)
		posix_fadvise(place->fd, 0, place->stat.st_size < AHEAD_BYTES ? place->stat.st_size : AHEAD_BYTES,
		        POSIX_FADV_WILLNEED);
	close(place->fd);
}

static void *work(void *self)
{
	struct ahead *ahead = self;
	struct place place = { .fd = -1 };

	for (unsigned n = 0; !ahead->ended && (place.name = walk_next(&ahead->walk, &place.folder_fd)); n++) {
		while (n % BATCH_NAMES == 0 && sem_wait(&ahead->batches) != 0 && errno == EINTR)
			;
		place.path = ahead->walk.path;
		ask_for(ahead, &place);
	}
	return NULL;
}

static void discard(struct ahead *ahead)
{
	sem_destroy(&ahead->batches);
	walk_close(&ahead->walk);
	free(ahead);
}

struct ahead *ahead_open(int fd, const struct walk_limits *limits, unsigned n_names)
{
	struct ahead *ahead = memory_or_exit(calloc(1, sizeof *ahead));
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ahead->walk.limits = limits;
	ahead->n_followed = n_names;
	sem_init(&ahead->batches, 0, n_names / BATCH_NAMES + 2);
	if (copy >= 0 && walk_enter(&ahead->walk, copy) && pthread_create(&ahead->thread, NULL, work, ahead) == 0)
		return ahead;
	discard(ahead);
	return NULL;
}

void ahead_follow(struct ahead *ahead)
{
	if (ahead && ++ahead->n_followed % BATCH_NAMES == 0)
		sem_post(&ahead->batches);
}

void ahead_close(struct ahead *ahead)
{
	if (!ahead)
		return;
	ahead->ended = true;
	sem_post(&ahead->batches);
	pthread_join(ahead->thread, NULL);
	discard(ahead);
}
