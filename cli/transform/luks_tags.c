#include "cli/transform/luks.h"

#include <openssl/crypto.h>

#include "cli/luks/payload.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

static int encrypt_payload(
        struct job *job, struct job_file *file, struct sink *volume, const struct gpucrypt_progress *progress)
{
	struct payload_sink payload;
	struct sink *joined, *image = payload_sink_open(&payload, volume, LUKS_HEADER_BYTES);
	int status = sink_admits(volume, LUKS_HEADER_BYTES + file->input.source.size_bytes);

	if (status == GPUCRYPT_OK)
		status = detached_join_sinks(&file->detached, image, file->plan.group_log2, &joined);
	return status == GPUCRYPT_OK ? container_encrypt(&file->input.source, joined, &file->plan.run,
	                                       &job->secret.secret, progress, &file->report)
	                             : status;
}

/* By the header that was written. */
static int unlock_written(struct file_keys *keys, const struct job_file *file, const struct gpucrypt_secret *secret)
{
	struct source written = source_of_fd(file->detached.side.fd, file->detached.side.name);
	struct authenticated_header header;

	return container_unlock(&written, &header, keys, secret);
}

int luks_tags_encrypt(
        struct job *job, struct job_file *file, struct sink *volume, const struct gpucrypt_progress *progress)
{
	struct file_keys keys = { 0 };
	int status = encrypt_payload(job, file, volume, progress);

	if (status == GPUCRYPT_OK)
		status = unlock_written(&keys, file, &job->secret.secret);
	if (status == GPUCRYPT_OK)
		status = luks_make_header(job, file, keys.volume);
	wipe(&keys, sizeof keys);
	return status == GPUCRYPT_OK ? luks_header_write(&file->volume, volume) : status;
}

int luks_tags_open(struct job_file *file, const char *name)
{
	int status = source_begin_at(&file->input.source, file->volume.payload);

	return status == GPUCRYPT_OK ? detached_open_header(&file->detached, name, &file->input) : status;
}

static bool are_of_volume(const struct header *header, const struct file_keys *keys, const struct luks_volume *volume)
{
	const struct suite *suite = &volume->suite;

	return header->layout == LAYOUT_DETACHED && header->mode_id == suite->mode->id &&
	       header->cipher_id == suite->cipher->id && header->key_bytes == suite->key_bytes &&
	       1u << header->sector_log2 == volume->sector_bytes && volume->iv_start == 0 &&
	       CRYPTO_memcmp(keys->volume, volume->key, 2 * (size_t)suite->key_bytes) == 0;
}

int luks_tags_unlock(struct job_file *file, const struct gpucrypt_secret *secret)
{
	struct input *tags = &file->detached.other;
	struct authenticated_header header;
	struct file_keys keys = { 0 };
	int status = container_unlock(&tags->source, &header, &keys, secret);

	if (status == GPUCRYPT_OK && !are_of_volume(&header.header, &keys, &file->volume))
		status = fail(GPUCRYPT_CORRUPT, "%s: has the tags of another volume", tags->name);
	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK)
		plan_of_header(&file->plan, &header, DECRYPT);
	return status;
}

int luks_tags_decrypt(struct job_file *file, struct sink *sink, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	return container_decrypt(job_source(file), sink, &file->plan.run, secret, progress, &file->report);
}
