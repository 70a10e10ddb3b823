/* Going on with a container that an earlier run began (gcrypt(5), "Part files").  Until it is
 * complete, the place of header copy B tells which source it was begun from. */
#include "writer.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "opening.h"
#include "status.h"

/* Offsets in the record, which is as long as a header copy. */
#define DEVICE   8
#define INODE    16
#define SIZE     24
#define SECONDS  32
#define NANO     40
#define IDENTITY 48 /* its end; zero from here to the MAC */

#define LABEL "gcrypt/1 resume"

static const uint8_t magic[8] = { 0x89, 'G', 'C', 'S', '\r', '\n', 0x1a, '\n' };

/* Which file the source is, and its state. */
static int identify(uint8_t record[HEADER_COPY_BYTES], const struct source *source)
{
	struct stat there;

	memset(record, 0, HEADER_COPY_BYTES);
	if (fstat(source->fd, &there) != 0)
		return fail(
		        GPUCRYPT_IO, "%s: cannot be examined: %s", source->name, strerror(errno));
	memcpy(record, magic, sizeof magic);
	store_le64(record + DEVICE, there.st_dev);
	store_le64(record + INODE, there.st_ino);
	store_le64(record + SIZE, (uint64_t)there.st_size);
	store_le64(record + SECONDS, (uint64_t)there.st_mtim.tv_sec);
	store_le64(record + NANO, (uint64_t)there.st_mtim.tv_nsec);
	return GPUCRYPT_OK;
}

/* The label keeps it apart from a header's MAC, which is made with the same key. */
static int seal(uint8_t record[HEADER_COPY_BYTES], const struct file_keys *keys)
{
	struct running_hmac mac = { NULL };
	int status = running_hmac_start(&mac, keys->header);

	if (status == GPUCRYPT_OK)
		status = running_hmac_add(&mac, (const uint8_t *)LABEL, strlen(LABEL));
	if (status == GPUCRYPT_OK)
		status = running_hmac_add(&mac, record, HEADER_MAC);
	if (status == GPUCRYPT_OK)
		status = running_hmac_finish(&mac, record + HEADER_MAC);
	running_hmac_free(&mac);
	return status;
}

static int changed(const struct source *source, const struct source *part)
{
	return fail(GPUCRYPT_IO, "%s: changed since %s was begun: remove that to begin again",
	        source->name, part->name);
}

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
		status = fail(GPUCRYPT_EXISTS,
		        "%s: not overwritten: it is not the beginning of a container", part->name);
	*there = *there && part->size_bytes >= PAGES_START;
	return status;
}

/* The same options as before, or what is there is of no use. */
static int check_header(const struct writer *writer, const struct header *begun)
{
	const struct header *wanted = &writer->header;

	if (begun->layout == wanted->layout && begun->content == wanted->content &&
	        begun->cipher_id == wanted->cipher_id && begun->key_bytes == wanted->key_bytes &&
	        begun->mode_id == wanted->mode_id && begun->chunk_log2 == wanted->chunk_log2 &&
	        begun->group_log2 == wanted->group_log2)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: begun with %s-%u-%s, chunks of 2^%u and groups of 2^%u bytes: give the same "
	        "options, or remove it",
	        writer->part->name, cipher_by_id(begun->cipher_id)->name, 8u * begun->key_bytes,
	        mode_by_id(begun->mode_id)->name, begun->chunk_log2, begun->group_log2);
}

/* Of the container when it is complete. */
static uint64_t whole_bytes(const struct writer *writer)
{
	const struct header *header = &writer->header;
	uint64_t total = header->plaintext_bytes,
	         last = total == 0 ? 0 : (total - 1) >> header->group_log2,
	         left = total - (last << header->group_log2);

	return group_offset(header, last) + PAGE_BYTES +
	       payload_bytes(left, writer->suite.mode->whole_blocks);
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

int writer_check_recipients(const struct source *file, const struct header *begun,
        const struct gpucrypt_secret *recipients)
{
	unsigned n = 0;
	bool same = true;

	for (; recipients != NULL; recipients = recipients->next, n++)
		same = same && has_slot(begun, recipients);
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		n -= begun->slots[i].type >= SLOT_X25519;
	return same && n == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE,
	                         "%s: begun for other recipients: give the same ones", file->name);
}

/* Take up what was begun: *found if it is there, of this source, and not complete. */
static int take_up(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret, bool *found)
{
	struct source *part = writer->part;
	uint8_t record[HEADER_COPY_BYTES], *there = copies + HEADER_COPY_BYTES;
	struct header_state state;
	bool begun;
	int status = look(part, &begun);

	*found = false;
	if (status != GPUCRYPT_OK || !begun)
		return status;
	status = source_read_at(part, copies, 2 * HEADER_COPY_BYTES, 0);
	if (status != GPUCRYPT_OK)
		return status;
	status = header_unlock(&state, &writer->keys, copies, secret);
	if (status == GPUCRYPT_CORRUPT) { /* its file key is lost, and all that it encrypted */
		fail_clear();
		return GPUCRYPT_OK;
	}
	status = status == GPUCRYPT_OK ? check_header(writer, &state.header)
	                               : failed_in(part, status);
	if (status == GPUCRYPT_OK)
		status = writer_check_recipients(part, &state.header, secret->next);
	memcpy(record, there, sizeof record);
	if (status == GPUCRYPT_OK)
		status = seal(record, &writer->keys);
	/* Without it: complete but for its name, or never told.  It is begun again. */
	if (status != GPUCRYPT_OK || memcmp(there, magic, sizeof magic) != 0 ||
	        CRYPTO_memcmp(record, there, sizeof record) != 0)
		return status;
	status = identify(record, writer->source);
	if (status == GPUCRYPT_OK &&
	        (memcmp(record, there, IDENTITY) != 0 ||
	                state.header.plaintext_bytes != writer->source->size_bytes))
		status = changed(writer->source, part);
	writer->header = state.header;
	if (status == GPUCRYPT_OK)
		status = cut_behind_end(writer);
	*found = status == GPUCRYPT_OK;
	return status;
}

/* A header with a new file key: whatever was there is worth nothing. */
static int begin(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES],
        const struct gpucrypt_secret *secret)
{
	uint8_t *record = copies + HEADER_COPY_BYTES;
	int status = writer_make_header(writer, copies, secret);

	if (status == GPUCRYPT_OK && ftruncate(writer->part->fd, 0) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot be emptied: %s", writer->part->name,
		        strerror(errno));
	writer->part->size_bytes = 0;
	if (status == GPUCRYPT_OK)
		status = identify(record, writer->source);
	if (status == GPUCRYPT_OK)
		status = seal(record, &writer->keys);
	if (status == GPUCRYPT_OK)
		status = writer->sink->write(writer->sink, copies, 2 * HEADER_COPY_BYTES, 0);
	/* Without it, whatever else a power failure leaves is of no use. */
	if (status == GPUCRYPT_OK && fsync(writer->part->fd) != 0)
		status = fail(
		        GPUCRYPT_IO, "%s: cannot sync: %s", writer->part->name, strerror(errno));
	return status;
}

/* The second copy of the header takes the record's place, if the source still is what it was. */
static int complete(struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	uint8_t record[HEADER_COPY_BYTES];
	int status = identify(record, writer->source);

	if (status == GPUCRYPT_OK && memcmp(record, copies + HEADER_COPY_BYTES, IDENTITY) != 0)
		status = changed(writer->source, writer->part);
	if (status == GPUCRYPT_OK)
		status = writer->sink->write(
		        writer->sink, copies, HEADER_COPY_BYTES, HEADER_COPY_BYTES);
	return status;
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
	status = source_read_at(writer->part, group->bytes, PAGE_BYTES + group->stored,
	        group_offset(header, number));
	if (status == GPUCRYPT_OK)
		status = group_keys_derive(
		        &group->keys, &writer->keys, number, group->bytes + PAGE_SALT);
	if (status == GPUCRYPT_OK)
		status = page_open(&group->page, group->bytes, &group->keys, number,
		        header->group_log2, header->chunk_log2);
	group->kept = status == GPUCRYPT_OK && group->page.n_bytes == n &&
	              group->page.flags == (group->last ? PAGE_FINAL : 0) &&
	              tags_good(writer, group);
	fail_clear(); /* what cannot be read, or is damaged, is written anew */
	return GPUCRYPT_OK;
}

int container_resume(struct source *source, struct source *part, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
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
	status = take_up(&writer, copies, secret, &found);
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
