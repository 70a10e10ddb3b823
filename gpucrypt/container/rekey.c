#include "gpucrypt/container/rekey.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/container/recrypt.h"
#include "gpucrypt/pipeline/handoff.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

struct decryption {
	const struct rekey *rekey;
	struct handoff handoff;
	pthread_t thread;
	int status;
	char text[1024]; /* failure message from the thread */
};

static void *decrypt_old(void *argument)
{
	struct decryption *decryption = argument;
	const struct rekey *rekey = decryption->rekey;
	void *locked = locked_stack();

	decryption->status =
	        container_decrypt(rekey->source, &decryption->handoff.sink, rekey->decrypt, rekey->secret, NULL, NULL);
	snprintf(decryption->text, sizeof decryption->text, "%s", gpucrypt_error());
	handoff_end_writing(&decryption->handoff, decryption->status == GPUCRYPT_OK);
	locked_stack_release(locked);
	return NULL;
}

/* If encryption fails, decryption fails with the same text. */
static int joint_status(const struct decryption *decryption, int encrypted)
{
	if (decryption->status == GPUCRYPT_OK)
		return encrypted;
	fail_clear();
	return fail((enum gpucrypt_status)decryption->status, "%s", decryption->text);
}

/* Decrypt and encrypt by two pipelines, with the plaintext in memory. */
static int rekey_through_memory(const struct rekey *rekey, const struct header *header, struct report *report)
{
	struct decryption decryption = { .rekey = rekey };
	struct source plain;
	int status;

	handoff_open(&decryption.handoff);
	handoff_source(&decryption.handoff, &plain, header->plaintext_bytes);
	plain.content = header->content;
	if (pthread_create(&decryption.thread, NULL, decrypt_old, &decryption) != 0) {
		status = fail(GPUCRYPT_OTHER, "a thread cannot be started");
		goto done;
	}
	status = container_encrypt(&plain, rekey->sink, rekey->encrypt, rekey->secrets, rekey->progress, report);
	handoff_end_reading(&decryption.handoff, status);
	pthread_join(decryption.thread, NULL);
	status = joint_status(&decryption, status);
done:
	handoff_close(&decryption.handoff);
	return status;
}

const char *rekey_detour(unsigned chunk_log2, unsigned group_log2, const struct gpucrypt_plan *encrypt)
{
	struct gpucrypt_plan plan = *encrypt;

	if (container_sizes(&plan) == GPUCRYPT_OK && (plan.chunk_log2 != chunk_log2 || plan.group_log2 != group_log2))
		return "groups of other sizes (--chunk-log2, --group-log2)";
	if (plan.sparse)
		return "a search for holes (--sparse)";
	if (plan.engine == GPUCRYPT_HYBRID)
		return "several engines (--engine all)";
	return NULL;
}

_Static_assert(LENGTH_UNKNOWN == UINT64_MAX, "as size_bytes of a source");

int container_rekey(const struct rekey *rekey, struct authenticated_header *old, struct report *report)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct file_keys keys = { 0 };
	struct source start;
	size_t got;
	int status = source_peek(rekey->source, copies, sizeof copies, &got);

	if (status != GPUCRYPT_OK)
		return status;
	/* The new header gets length and content of the old one. */
	source_open_memory(&start, copies, sizeof copies, got);
	start.name = rekey->source->name;
	start.unlocked = rekey->source->unlocked;
	status = container_unlock(&start, old, &keys, rekey->secret);
	wipe(&keys, sizeof keys);
	if (status != GPUCRYPT_OK)
		return status;
	if (rekey_detour(old->header.chunk_log2, old->header.group_log2, rekey->encrypt) != NULL)
		return rekey_through_memory(rekey, &old->header, report);
	return container_recrypt(rekey, report);
}
