/* Continuing a container that an earlier run started (gcrypt(5), "Start records"). */
#include "gpucrypt/container/writer.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/engine/opening.h"
#include "gpucrypt/container/start_record.h"
#include "gpucrypt/status.h"

/* Is there a header to be read?  Not if the file is empty or too short for one, or if a power
 * failure left zeros.  What begins otherwise than a container is nobody's part file. */
static int look(const struct source *part, bool *there)
{
	uint8_t start[HEADER_MAGIC_BYTES] = { 0 };
	struct source source = *part;
	int status = GPUCRYPT_OK;

	*there = part->size_bytes >= sizeof start;
	if (*there)
		status = source_read_at(&source, start, sizeof start, 0);
	*there = *there && status == GPUCRYPT_OK && !all_zero(start, sizeof start);
	if (*there && memcmp(start, header_magic, sizeof start) != 0)
		status = fail(
		        GPUCRYPT_EXISTS, "%s: not overwritten: it is not the beginning of a container", part->name);
	*there = *there && part->size_bytes >= PAGES_START;
	return status;
}

/* The same options as before, or what is there is of no use. */
static int check_header(const struct writer *writer, const struct header *started)
{
	const struct header *wanted = &writer->header;

	if (started->layout == wanted->layout && started->content == wanted->content &&
	        started->cipher_id == wanted->cipher_id && started->key_bytes == wanted->key_bytes &&
	        started->mode_id == wanted->mode_id && started->chunk_log2 == wanted->chunk_log2 &&
	        started->group_log2 == wanted->group_log2)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: started with %s-%u-%s, chunks of 2^%u and groups of 2^%u bytes: give the same "
	        "options, or remove it",
	        writer->part->name, cipher_by_id(started->cipher_id)->name, 8u * started->key_bytes,
	        mode_by_id(started->mode_id)->name, started->chunk_log2, started->group_log2);
}

/* Of the container when it is complete. */
static uint64_t whole_bytes(const struct writer *writer)
{
	const struct header *header = &writer->header;
	uint64_t total = header->plaintext_bytes, last = total == 0 ? 0 : (total - 1) >> header->group_log2,
	         left = total - (last << header->group_log2);

	return group_offset(header, last) + PAGE_BYTES + payload_bytes(left, writer->suite.mode->whole_blocks);
}

/* What no run wrote behind the end goes: it would follow the last group. */
static int cut_behind_end(struct writer *writer)
{
	struct source *part = writer->part;
	uint64_t whole = whole_bytes(writer);

	if (part->size_bytes <= whole)
		return GPUCRYPT_OK;
	if (ftruncate(part->fd, (off_t)whole) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot be cut: %s", part->name, strerror(errno));
	part->size_bytes = whole;
	return GPUCRYPT_OK;
}

static bool has_slot(const struct header *header, const struct gpucrypt_secret *recipient)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (key_slot_fits(&header->slots[i], recipient))
			return true;
	return false;
}

int writer_check_recipients(
        const struct source *file, const struct header *started, const struct gpucrypt_secret *recipients)
{
	unsigned n = 0;
	bool same = true;

	for (; recipients != NULL; recipients = recipients->next, n++)
		same = same && has_slot(started, recipients);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		n -= started->slots[i].type >= SLOT_X25519;
	return same && n == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: started for other recipients: give the same ones", file->name);
}

static void note_restart(struct report *report, const char *why)
{
	snprintf(report->header_note, sizeof report->header_note,
	        "the part file is not continued: %s: encrypting from the start", why);
}

/* *found: this secret started the part file from this source.  A part file that the secret opens but did not
 * start is encrypted again under a new file key, because somebody else may know the old one; report says why. */
static int find_start(bool *found, struct authenticated_header *header, struct file_keys *keys, struct source *source,
        struct source *part, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret,
        struct report *report)
{
	enum start_found record;
	struct start_binding start;
	bool there;
	int status = look(part, &there);

	*found = false;
	if (status != GPUCRYPT_OK || !there)
		return status;
	status = source_read_at(part, copies, 2 * HEADER_COPY_BYTES, 0);
	if (status != GPUCRYPT_OK)
		return status;
	status = header_unlock(header, keys, copies, secret);
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		note_restart(report, "its header is damaged");
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return failed_in(part, status);
	start = (struct start_binding){ header->bytes, &header->header.slots[header->slot], secret, source,
		START_UNCHANGED };
	status = start_record_check(&record, copies + HEADER_COPY_BYTES, &start);
	if (status == GPUCRYPT_OK && record == START_CHANGED)
		status = start_record_changed(source, part->name);
	else if (status == GPUCRYPT_OK && record != START_OWN)
		note_restart(report, "it has no start record of this passphrase or key file");
	*found = status == GPUCRYPT_OK && record == START_OWN;
	return status;
}

int container_resumable(bool *found, struct authenticated_header *header, struct source *source, struct source *part,
        const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct file_keys keys;
	struct report unused = { 0 };
	int status = find_start(found, header, &keys, source, part, copies, secret, &unused);

	wipe(&keys, sizeof keys);
	return status;
}

/* Continue the part file if it is found. */
static int take_up(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret,
        struct report *report, bool *found)
{
	struct source *part = writer->part;
	struct authenticated_header header;
	int status = find_start(found, &header, &writer->keys, writer->source, part, copies, secret, report);

	if (status != GPUCRYPT_OK || !*found)
		return status;
	status = check_header(writer, &header.header);
	if (status == GPUCRYPT_OK)
		status = writer_check_recipients(part, &header.header, secret->next);
	if (status == GPUCRYPT_OK && header.header.plaintext_bytes != writer->source->size_bytes)
		status = start_record_changed(writer->source, part->name);
	writer->header = header.header;
	return status == GPUCRYPT_OK ? cut_behind_end(writer) : status;
}

/* A header with a new file key: what the part file held is of no use.  The start record stands in the place of
 * copy B. */
static int begin(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	const struct start_binding start = { copies, &writer->header.slots[0], secret, writer->source,
		START_UNCHANGED };
	int status = writer_make_header(writer, copies, secret);

	if (status == GPUCRYPT_OK && ftruncate(writer->part->fd, 0) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot be emptied: %s", writer->part->name, strerror(errno));
	writer->part->size_bytes = 0;
	if (status == GPUCRYPT_OK)
		status = start_record_make(copies + HEADER_COPY_BYTES, &start);
	if (status == GPUCRYPT_OK)
		status = writer->sink->write(writer->sink, copies, 2 * HEADER_COPY_BYTES, 0);
	/* Without it, whatever else a power failure leaves is of no use. */
	if (status == GPUCRYPT_OK && fsync(writer->part->fd) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot sync: %s", writer->part->name, strerror(errno));
	return status;
}

/* The second copy of the header takes the record's place, if the source still is what it was. */
static int complete(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	int status = start_record_unchanged(copies + HEADER_COPY_BYTES, writer->source, writer->part->name);

	return status == GPUCRYPT_OK ? writer->sink->write(writer->sink, copies, HEADER_COPY_BYTES, HEADER_COPY_BYTES)
	                             : status;
}

static bool tags_good(const struct writer *writer, struct group *group)
{
	unsigned n = group_chunks(group, writer->header.chunk_log2);

	return group_tags(group, false, writer->header.chunk_log2) == GPUCRYPT_OK &&
	       CRYPTO_memcmp(group->tags, group->page.tags, n * TAG_BYTES) == 0;
}

int writer_keep(const struct writer *writer, struct group *group, uint64_t number)
{
	const struct header *header = &writer->header;
	uint64_t total = header->plaintext_bytes, start = number << header->group_log2,
	         whole = UINT64_C(1) << header->group_log2, n;
	int status;

	group->kept = false;
	if (start > 0 && start >= total)
		return GPUCRYPT_OK;
	n = total - start < whole ? total - start : whole;
	group->last = total - start <= whole;
	group->stored = payload_bytes(n, writer->suite.mode->whole_blocks);
	if (writer->part->size_bytes < group_offset(header, number) + PAGE_BYTES + group->stored)
		return GPUCRYPT_OK;
	status = source_read_at(writer->part, group->bytes, PAGE_BYTES + group->stored, group_offset(header, number));
	if (status == GPUCRYPT_OK)
		status = group_keys_derive(&group->keys, &writer->keys, number, group->bytes + PAGE_SALT);
	if (status == GPUCRYPT_OK)
		status = page_open(
		        &group->page, group->bytes, &group->keys, number, header->group_log2, header->chunk_log2);
	group->kept = status == GPUCRYPT_OK && group->page.n_bytes == n &&
	              group->page.flags == (group->last ? PAGE_FINAL : 0) && tags_good(writer, group);
	fail_clear(); /* what cannot be read, or is damaged, is written anew */
	return GPUCRYPT_OK;
}

int container_resume(struct source *source, struct source *part, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct writer writer = writer_of(source, sink, progress);
	uint8_t copies[2 * HEADER_COPY_BYTES];
	struct opening opening;
	bool found;
	int status, opened;

	*report = (struct report){ 0 };
	writer.part = part;
	status = writer_describe(&writer, *plan);
	if (status != GPUCRYPT_OK)
		goto done;
	opening_start(&opening, &writer.suite, plan);
	status = take_up(&writer, copies, secret, report, &found);
	if (status == GPUCRYPT_OK && !found)
		status = begin(&writer, copies, secret);
	opened = opening_finish(&opening, &writer.engine);
	if (status == GPUCRYPT_OK)
		status = opened;
	if (status == GPUCRYPT_OK) {
		report_engine(report, writer.engine);
		status = writer_run(&writer, plan, report);
	}
	if (status == GPUCRYPT_OK)
		status = complete(&writer, copies);
	report->plaintext_bytes = writer.header.plaintext_bytes;
done:
	writer_close(&writer);
	return status;
}
