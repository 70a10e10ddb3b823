/*
 * In place: at each moment a group is plaintext in the image, or its ciphertext is in the journal,
 * or its page is in the side file.  Each of the three is on the storage before the next is begun,
 * and the journal is not written again before the page is.
 */
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/container/in_place.h"
#include "gpucrypt/status.h"
#include "gpucrypt/container/writer.h"

struct conversion {
	struct writer writer; /* without a pipeline: one slot, one lane */
	const struct in_place *files;
	uint64_t n_groups, done;            /* groups whose pages are there */
	bool torn;                          /* the page after them was not written as a whole */
	enum start_found record;            /* of the journal */
	struct authenticated_header header; /* of the side file that was found */
};

/* Offset of the group in the journal: after the start record; 0 in journals of earlier releases, which have none. */
static uint64_t journal_offset(const struct conversion *conversion)
{
	return conversion->record == START_NONE ? 0 : START_RECORD_BYTES;
}

static uint64_t page_offset(uint64_t group)
{
	return PAGES_START + group * PAGE_BYTES;
}

/* Length and place of a group follow from the image's size. */
static void shape(const struct conversion *conversion, struct group *group, uint64_t number)
{
	const struct header *header = &conversion->writer.header;
	uint64_t left = header->plaintext_bytes - (number << header->group_log2), whole = UINT64_C(1)
	                                                                                  << header->group_log2;

	group->last = number + 1 == conversion->n_groups;
	group->stored = left < whole ? (size_t)left : (size_t)whole;
}

/* Is the page in the buffer that of this group? */
static bool page_good(const struct conversion *conversion, struct group *group, uint64_t number)
{
	const struct writer *writer = &conversion->writer;
	int status = group_keys_derive(&group->keys, &writer->keys, number, group->bytes + PAGE_SALT);

	if (status == GPUCRYPT_OK)
		status = page_open(&group->page, group->bytes, &group->keys, number, writer->header.group_log2,
		        writer->header.chunk_log2);
	fail_clear();
	return status == GPUCRYPT_OK && group->page.n_bytes == group->stored &&
	       group->page.flags == (group->last ? PAGE_FINAL : 0);
}

/* Journal on the storage: image, then page. */
static int finish_group(struct conversion *conversion, struct group *group, uint64_t number)
{
	struct writer *writer = &conversion->writer;
	int status = in_place_store(
	        conversion->files->image, group->payload, group->stored, number << writer->header.group_log2);

	if (status == GPUCRYPT_OK)
		status = in_place_store(conversion->files->side, group->bytes, PAGE_BYTES, page_offset(number));
	if (status == GPUCRYPT_OK && !group->last)
		status = running_hmac_add(&writer->root, group->bytes + PAGE_MAC, MAC_BYTES);
	conversion->done = number + 1;
	return status;
}

static int encrypt_group(struct conversion *conversion, struct group *group, uint64_t number)
{
	struct writer *writer = &conversion->writer;
	unsigned chunk_log2 = writer->header.chunk_log2;
	int status;

	shape(conversion, group, number);
	status = source_read_at(
	        conversion->files->image, group->payload, group->stored, number << writer->header.group_log2);
	group->page = (struct page){ .group = number, .n_bytes = group->stored, .flags = group->last ? PAGE_FINAL : 0 };
	if (status == GPUCRYPT_OK)
		status = random_bytes(group->page.salt, sizeof group->page.salt);
	if (status == GPUCRYPT_OK)
		status = group_keys_derive(&group->keys, &writer->keys, number, group->page.salt);
	if (status == GPUCRYPT_OK && group->stored > 0)
		status = group_crypt(&writer->recheck, 0, group, 0, group->stored, 0);
	if (status == GPUCRYPT_OK)
		status = group_tags(group, false, chunk_log2);
	memcpy(group->page.tags, group->tags, group_chunks(group, chunk_log2) * TAG_BYTES);
	if (status == GPUCRYPT_OK && group->last)
		status = running_hmac_finish(&writer->root, group->page.root);
	page_encode(group->bytes, &group->page);
	if (status == GPUCRYPT_OK)
		status = page_seal(group->bytes, &group->keys);
	if (status == GPUCRYPT_OK)
		status = in_place_store(conversion->files->journal, group->bytes, PAGE_BYTES + group->stored,
		        journal_offset(conversion));
	return status;
}

static int wrong_pages(const struct source *side, uint64_t group)
{
	return fail(GPUCRYPT_CORRUPT,
	        "%s: its pages are not what a run that was stopped leaves: wrong at byte %" PRIu64, side->name,
	        page_offset(group));
}

/* Valid pages, at most one torn one, and then none. */
static int count_pages(struct conversion *conversion, struct group *group)
{
	struct writer *writer = &conversion->writer;
	struct source *side = conversion->files->side;
	bool ended = false, zero;
	int status = GPUCRYPT_OK;

	if (side->size_bytes > page_offset(conversion->n_groups))
		return fail(GPUCRYPT_CORRUPT, "%s: has more pages than %s has groups", side->name,
		        conversion->files->image->name);
	for (uint64_t i = 0; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = in_place_load(side, group->bytes, PAGE_BYTES, page_offset(i));
		if (status != GPUCRYPT_OK)
			break;
		shape(conversion, group, i);
		zero = all_zero(group->bytes, PAGE_BYTES);
		if (ended && !zero)
			return wrong_pages(side, i);
		if (ended || zero || !page_good(conversion, group, i)) {
			conversion->torn |= !zero;
			ended = true;
			continue;
		}
		conversion->done = i + 1;
		if (!group->last)
			status = running_hmac_add(&writer->root, group->bytes + PAGE_MAC, MAC_BYTES);
	}
	return status;
}

/* A journal of a group behind the next one: pages that were there are lost, and what belongs to them is
 * ciphertext. */
static bool journal_ahead(const struct conversion *conversion, struct group *group)
{
	uint64_t number;

	page_decode(&group->page, group->bytes);
	number = group->page.group;
	if (number <= conversion->done || number >= conversion->n_groups)
		return false;
	shape(conversion, group, number);
	return page_good(conversion, group, number);
}

/* Of a group whose page is good, in the buffer. */
static bool payload_good(const struct conversion *conversion, struct group *group)
{
	unsigned chunk_log2 = conversion->writer.header.chunk_log2;
	bool good = group_tags(group, false, chunk_log2) == GPUCRYPT_OK &&
	            CRYPTO_memcmp(group->tags, group->page.tags, group_chunks(group, chunk_log2) * TAG_BYTES) == 0;

	fail_clear();
	return good;
}

/* A journal that verifies is that of the next group, whose image and page may be torn.  Any other
 * was not yet complete, or belongs to a group whose page is there: the next one is plaintext. */
static int replay(struct conversion *conversion, struct group *group)
{
	uint64_t number = conversion->done;
	int status;

	if (number == conversion->n_groups)
		return GPUCRYPT_OK;
	shape(conversion, group, number);
	status = in_place_load(
	        conversion->files->journal, group->bytes, PAGE_BYTES + group->stored, journal_offset(conversion));
	if (status != GPUCRYPT_OK)
		return status;
	if (!page_good(conversion, group, number))
		return journal_ahead(conversion, group) ? wrong_pages(conversion->files->side, number) : GPUCRYPT_OK;
	if (!payload_good(conversion, group))
		return GPUCRYPT_OK;
	conversion->torn = false;
	return finish_group(conversion, group, number);
}

static int no_start_record(const struct in_place *files)
{
	return fail(GPUCRYPT_EXISTS,
	        "%s: not continued: no start record shows that this passphrase or key file started to "
	        "encrypt %s: see \"In place\" in gcrypt(1)",
	        files->side->name, files->image->name);
}

static int empty_files(const struct in_place *files)
{
	files->side->size_bytes = files->journal->size_bytes = 0;
	return ftruncate(files->side->fd, 0) == 0 && ftruncate(files->journal->fd, 0) == 0
	               ? GPUCRYPT_OK
	               : fail_errno(files->side->name, "cannot be emptied");
}

/* The image is not touched before the start record, the header and the names of both files are on storage.  The
 * record is written first: no interrupted run leaves a header without a record. */
static int store_start(struct conversion *conversion, const struct gpucrypt_secret *secret)
{
	const struct in_place *files = conversion->files;
	uint8_t copies[2 * HEADER_COPY_BYTES], record[START_RECORD_BYTES];
	const struct start_binding start = { copies, &conversion->writer.header.slots[0], secret, files->image,
		START_IN_PLACE };
	int status = writer_make_header(&conversion->writer, copies, secret);

	if (status == GPUCRYPT_OK)
		status = start_record_make(record, &start);
	if (status == GPUCRYPT_OK)
		status = empty_files(files);
	if (status == GPUCRYPT_OK)
		status = in_place_store(files->journal, record, sizeof record, 0);
	if (status == GPUCRYPT_OK)
		status = in_place_store(files->side, copies, sizeof copies, 0);
	if (status != GPUCRYPT_OK)
		(void)empty_files(files); /* nothing is encrypted yet: the next run starts anew */
	if (status == GPUCRYPT_OK && fsync(files->folder_fd) != 0 && errno != EINVAL)
		status = fail_errno(files->side->name, "cannot sync its folder");
	conversion->record = START_OWN;
	return status;
}

static int start(struct conversion *conversion, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret)
{
	int status = writer_describe(&conversion->writer, *plan);

	if (status == GPUCRYPT_OK)
		status = in_place_check_not_started(conversion->files);
	return status == GPUCRYPT_OK ? store_start(conversion, secret) : status;
}

static int open_conversion(struct conversion *conversion, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct report *report)
{
	const struct in_place *files = conversion->files;
	struct writer *writer = &conversion->writer;
	struct authenticated_header *header = &conversion->header;
	bool found;
	int status = in_place_find(&found, &conversion->record, header, &writer->keys, files, secret);

	if (status == GPUCRYPT_OK && found) {
		writer->header = header->header;
		writer->suite = header_suite(header, ENCRYPT);
	} else if (status == GPUCRYPT_OK)
		status = start(conversion, plan, secret);
	if (status == GPUCRYPT_OK)
		status = engine_open(&writer->engine, &writer->suite, plan);
	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, writer->engine);
	conversion->n_groups = writer->header.plaintext_bytes == 0
	                               ? 1
	                               : ((writer->header.plaintext_bytes - 1) >> writer->header.group_log2) + 1;
	status = groups_open(&writer->groups, writer->engine, 1, &writer->header, 1, 0);
	if (status == GPUCRYPT_OK)
		status = groups_take(&writer->groups, 0);
	if (status == GPUCRYPT_OK) {
		ring_use(&writer->groups.ring, 0, SIZE_MAX);
		status = recheck_open(
		        &writer->recheck, writer->engine, plan, writer->header.group_log2, writer->header.chunk_log2);
	}
	return status == GPUCRYPT_OK ? running_hmac_start(&writer->root, writer->keys.root) : status;
}

/* What was written behind its end meanwhile is not encrypted. */
static int check_size(const struct source *image)
{
	struct stat there;

	if (fstat(image->fd, &there) != 0)
		return fail_errno(image->name, "cannot be examined");
	if ((uint64_t)there.st_size != image->size_bytes)
		return fail(GPUCRYPT_IO, "%s: its size changed while it was encrypted", image->name);
	return GPUCRYPT_OK;
}

/* Check that the remaining groups may be encrypted under the file key that was found.  If none remains, only the
 * journal is removed. */
static int check_start(const struct conversion *conversion)
{
	const struct in_place *files = conversion->files;

	if (conversion->done == conversion->n_groups && conversion->record == START_NONE)
		return files->journal->size_bytes > 0 ? GPUCRYPT_OK
		                                      : fail(GPUCRYPT_EXISTS, "%s: exists: %s is encrypted already",
		                                                files->side->name, files->image->name);
	return conversion->record == START_OWN || files->trusted ? GPUCRYPT_OK : no_start_record(files);
}

/* A page proves what the group's ciphertext was, not that the image has it: the pages may be older than the image. */
static int check_done(struct conversion *conversion, struct group *group)
{
	const struct in_place *files = conversion->files;
	unsigned group_log2 = conversion->writer.header.group_log2;
	int status = GPUCRYPT_OK;

	for (uint64_t i = 0; i < conversion->done && status == GPUCRYPT_OK; i++) {
		shape(conversion, group, i);
		status = in_place_load(files->side, group->bytes, PAGE_BYTES, page_offset(i));
		if (status == GPUCRYPT_OK)
			status = source_read_at(files->image, group->payload, group->stored, i << group_log2);
		if (status == GPUCRYPT_OK && (!page_good(conversion, group, i) || !payload_good(conversion, group)))
			status = fail(GPUCRYPT_CORRUPT,
			        "%s: not the ciphertext that %s describes, from byte %" PRIu64
			        " on: nothing was encrypted",
			        files->image->name, files->side->name, i << group_log2);
	}
	return status;
}

/* Rewrite a damaged or older header copy from the authenticated one. */
static int repair_header(const struct conversion *conversion)
{
	const struct authenticated_header *header = &conversion->header;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < 2 && status == GPUCRYPT_OK; i++)
		if (header->header.version != 0 && (!header->copies.good[i] || header->copies.older[i]))
			status = in_place_store(conversion->files->side, header->bytes, HEADER_COPY_BYTES,
			        (uint64_t)i * HEADER_COPY_BYTES);
	return status;
}

static int convert(struct conversion *conversion, const struct gpucrypt_progress *progress)
{
	const struct in_place *files = conversion->files;
	struct group *group = &conversion->writer.groups.group[0];
	uint64_t total = files->image->size_bytes;
	int status = count_pages(conversion, group);

	if (status == GPUCRYPT_OK)
		status = check_start(conversion);
	if (status == GPUCRYPT_OK)
		status = check_done(conversion, group);
	if (status == GPUCRYPT_OK)
		status = repair_header(conversion);
	if (status == GPUCRYPT_OK)
		status = replay(conversion, group);
	if (status == GPUCRYPT_OK && conversion->torn)
		status = wrong_pages(files->side, conversion->done);
	for (uint64_t i = conversion->done; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = encrypt_group(conversion, group, i);
		if (status == GPUCRYPT_OK)
			status = finish_group(conversion, group, i);
		if (status == GPUCRYPT_OK && progress != NULL)
			progress->report(
			        progress->self, (i << conversion->writer.header.group_log2) + group->stored, total);
	}
	return status == GPUCRYPT_OK ? check_size(files->image) : status;
}

int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct conversion conversion = { .files = files, .writer = writer_of(files->image, NULL, progress) };
	int status;

	*report = (struct report){ 0 };
	status = open_conversion(&conversion, plan, secret, report);
	if (status == GPUCRYPT_OK)
		status = convert(&conversion, progress);
	report->plaintext_bytes = files->image->size_bytes;
	writer_close(&conversion.writer);
	return status;
}
