#include "handoff.h"

#include <string.h>

#include "status.h"

static int write_bytes(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct handoff *handoff = (struct handoff *)self;
	bool taken;

	(void)offset;
	pthread_mutex_lock(&handoff->mutex);
	handoff->bytes = bytes;
	handoff->n_bytes = n_bytes;
	pthread_cond_broadcast(&handoff->changed);
	while (handoff->n_bytes > 0 && !handoff->reader_gone)
		pthread_cond_wait(&handoff->changed, &handoff->mutex);
	taken = handoff->n_bytes == 0;
	handoff->n_bytes = 0;
	handoff->refused |= !taken;
	pthread_mutex_unlock(&handoff->mutex);
	return taken ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "what it decrypts to is not wanted");
}

/* The writer's buffer stays until it is taken to its end. */
static void take(struct handoff *handoff, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	size_t n = handoff->n_bytes < n_bytes - *got ? handoff->n_bytes : n_bytes - *got;
	const uint8_t *from = handoff->bytes;

	pthread_mutex_unlock(&handoff->mutex);
	memcpy(bytes + *got, from, n);
	pthread_mutex_lock(&handoff->mutex);
	*got += n;
	handoff->bytes += n;
	handoff->n_bytes -= n;
	if (handoff->n_bytes == 0)
		pthread_cond_broadcast(&handoff->changed);
}

static int read_bytes(void *maker, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct handoff *handoff = maker;
	bool complete;

	*got = 0;
	pthread_mutex_lock(&handoff->mutex);
	while (*got < n_bytes) {
		while (handoff->n_bytes == 0 && !handoff->writer_gone)
			pthread_cond_wait(&handoff->changed, &handoff->mutex);
		if (handoff->n_bytes == 0)
			break;
		take(handoff, bytes, n_bytes, got);
	}
	complete = *got == n_bytes || handoff->complete;
	pthread_mutex_unlock(&handoff->mutex);
	return complete ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "it is not decrypted to its end");
}

void handoff_open(struct handoff *handoff)
{
	*handoff = (struct handoff){ .sink.write = write_bytes };
	pthread_mutex_init(&handoff->mutex, NULL);
	pthread_cond_init(&handoff->changed, NULL);
}

void handoff_source(struct handoff *handoff, struct source *source, uint64_t size_bytes)
{
	*source = (struct source){ .fd = -1,
		.name = "memory",
		.size_bytes = size_bytes,
		.make = read_bytes,
		.maker = handoff };
}

void handoff_end_writing(struct handoff *handoff, bool complete)
{
	pthread_mutex_lock(&handoff->mutex);
	handoff->writer_gone = true;
	handoff->complete = complete;
	pthread_cond_broadcast(&handoff->changed);
	pthread_mutex_unlock(&handoff->mutex);
}

void handoff_end_reading(struct handoff *handoff)
{
	pthread_mutex_lock(&handoff->mutex);
	handoff->reader_gone = true;
	pthread_cond_broadcast(&handoff->changed);
	pthread_mutex_unlock(&handoff->mutex);
}

void handoff_close(struct handoff *handoff)
{
	pthread_cond_destroy(&handoff->changed);
	pthread_mutex_destroy(&handoff->mutex);
}
