#include "gpucrypt/pipeline/handoff.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"

static int write_handoff(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct handoff *handoff = (struct handoff *)self;
	int status = GPUCRYPT_OK;

	(void)offset; /* writes are in order */
	if (n_bytes == 0)
		return GPUCRYPT_OK;
	pthread_mutex_lock(&handoff->mutex);
	handoff->bytes = bytes;
	handoff->n_bytes = n_bytes;
	handoff->started = false;
	pthread_cond_broadcast(&handoff->changed);
	while (handoff->bytes != NULL && !handoff->reader_closed)
		pthread_cond_wait(&handoff->changed, &handoff->mutex);
	handoff->bytes = NULL;
	if (handoff->reader_closed && handoff->status != GPUCRYPT_OK)
		status = fail((enum gpucrypt_status)handoff->status, "%s", handoff->text);
	pthread_mutex_unlock(&handoff->mutex);
	return status;
}

enum handoff_end handoff_next(struct handoff *handoff, const uint8_t **bytes, size_t *n_bytes)
{
	enum handoff_end end;

	pthread_mutex_lock(&handoff->mutex);
	if (handoff->bytes != NULL && handoff->started) {
		handoff->bytes = NULL;
		pthread_cond_broadcast(&handoff->changed);
	}
	while (handoff->bytes == NULL && handoff->end == HANDOFF_FLOWS)
		pthread_cond_wait(&handoff->changed, &handoff->mutex);
	end = handoff->bytes != NULL ? HANDOFF_FLOWS : handoff->end;
	handoff->started = handoff->bytes != NULL;
	*bytes = handoff->bytes;
	*n_bytes = handoff->bytes != NULL ? handoff->n_bytes : 0;
	pthread_mutex_unlock(&handoff->mutex);
	return end;
}

static int read_handoff(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	struct handoff *handoff = self->state;
	enum handoff_end end = HANDOFF_FLOWS;

	*got = 0;
	while (*got < n_bytes) {
		size_t n = n_bytes - *got;

		if (handoff->left_bytes == 0)
			end = handoff_next(handoff, &handoff->left, &handoff->left_bytes);
		if (end != HANDOFF_FLOWS)
			break;
		if (n > handoff->left_bytes)
			n = handoff->left_bytes;
		memcpy(bytes + *got, handoff->left, n);
		*got += n;
		handoff->left += n;
		handoff->left_bytes -= n;
	}
	return end == HANDOFF_BROKEN ? fail(GPUCRYPT_OTHER, "decryption stopped before the end") : GPUCRYPT_OK;
}

void handoff_open(struct handoff *handoff)
{
	*handoff = (struct handoff){ .sink.write = write_handoff };
	pthread_mutex_init(&handoff->mutex, NULL);
	pthread_cond_init(&handoff->changed, NULL);
}

void handoff_source(struct handoff *handoff, struct source *source, uint64_t size_bytes)
{
	static const struct source_class class = { .read = read_handoff, .in_order = true };

	*source = (struct source){
		.class = &class, .fd = -1, .name = "memory", .size_bytes = size_bytes, .state = handoff
	};
}

void handoff_end_reading(struct handoff *handoff, int status)
{
	pthread_mutex_lock(&handoff->mutex);
	handoff->status = status;
	snprintf(handoff->text, sizeof(handoff->text), "%s", gpucrypt_error());
	handoff->reader_closed = true;
	pthread_cond_broadcast(&handoff->changed);
	pthread_mutex_unlock(&handoff->mutex);
}

bool handoff_wait(struct handoff *handoff)
{
	bool complete;

	pthread_mutex_lock(&handoff->mutex);
	while (handoff->end == HANDOFF_FLOWS)
		pthread_cond_wait(&handoff->changed, &handoff->mutex);
	complete = handoff->end == HANDOFF_COMPLETE;
	pthread_mutex_unlock(&handoff->mutex);
	return complete;
}

void handoff_end_writing(struct handoff *handoff, bool complete)
{
	pthread_mutex_lock(&handoff->mutex);
	handoff->end = complete ? HANDOFF_COMPLETE : HANDOFF_BROKEN;
	pthread_cond_broadcast(&handoff->changed);
	pthread_mutex_unlock(&handoff->mutex);
}

void handoff_close(struct handoff *handoff)
{
	pthread_cond_destroy(&handoff->changed);
	pthread_mutex_destroy(&handoff->mutex);
}
