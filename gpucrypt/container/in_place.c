/* In place: at each moment a group is plaintext in the image, or its ciphertext is in the journal, or its page is in
 * the detached header.  Each of the three is on storage before the next is written, and the journal is not overwritten
 * before the page is on storage. */
#include "gpucrypt/container/in_place.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group_writer.h"
#include "gpucrypt/container/in_place_find.h"
#include "gpucrypt/status.h"

struct conversion {
	struct group_writer writer; /* without a pipeline: one slot, one lane */
	struct group *group;        /* in that slot */
	const struct in_place *files;
	uint64_t n_groups, done;            /* done: number of groups whose pages are written */
	bool torn;                          /* the page after them was not written as a whole */
	enum start_found record;            /* of the journal */
	struct authenticated_header header; /* of the detached header that was found */
};

static int store_in(const struct source *file, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return fd_store(file->fd, file->name, bytes, n_bytes, offset);
}

/* Offset of the group in the journal: after the start record, which journals of earlier releases do not have. */
static uint64_t journal_offset(const struct conversion *conversion)
{
	return conversion->record == START_NONE ? 0 : START_RECORD_BYTES;
}

static uint64_t image_offset(const struct conversion *conversion, uint64_t number)
{
	return number << conversion->writer.header.group_log2;
}

static int read_image(struct conversion *conversion, uint64_t number)
{
	struct group *group = conversion->group;

	return source_read_at(
	        conversion->files->image, group->payload, group->stored, image_offset(conversion, number));
}

static int read_page(struct conversion *conversion, uint64_t number)
{
	writer_place_group(&conversion->writer, conversion->group, number);
	return in_place_load(conversion->files->header_file, conversion->group->bytes, PAGE_BYTES,
	        layout_detached_page_offset(number));
}

static int add_to_root(struct conversion *conversion)
{
	struct group *group = conversion->group;

	return group->last ? GPUCRYPT_OK
	                   : running_hmac_add(&conversion->writer.root, group->bytes + PAGE_MAC, MAC_BYTES);
}

/* The group is in the journal, on storage: now image, then page. */
static int store_group(struct conversion *conversion, uint64_t number)
{
	const struct in_place *files = conversion->files;
	struct group *group = conversion->group;
	int status = store_in(files->image, group->payload, group->stored, image_offset(conversion, number));

	if (status == GPUCRYPT_OK)
		status = store_in(files->header_file, group->bytes, PAGE_BYTES, layout_detached_page_offset(number));
	conversion->done = number + 1;
	return status;
}

static int encrypt_group(struct conversion *conversion, uint64_t number)
{
	struct group_writer *writer = &conversion->writer;
	struct group *group = conversion->group;
	int status;

	writer_place_group(writer, group, number);
	status = read_image(conversion, number);
	if (status == GPUCRYPT_OK)
		status = writer_encrypt(writer, 0, 0, number);
	if (status == GPUCRYPT_OK)
		status = writer_tag(writer, 0, 0, number);
	if (status == GPUCRYPT_OK)
		status = writer_seal(writer, 0, 0, number);
	if (status == GPUCRYPT_OK)
		status = store_in(conversion->files->journal, group->bytes, PAGE_BYTES + group->stored,
		        journal_offset(conversion));
	return status == GPUCRYPT_OK ? store_group(conversion, number) : status;
}

static int wrong_pages(const struct source *header_file, uint64_t group)
{
	return fail(GPUCRYPT_CORRUPT,
	        "%s: this detached header does not come from an interrupted run: wrong at byte %" PRIu64,
	        header_file->name, layout_detached_page_offset(group));
}

/* Valid pages, then at most one torn page, and then none. */
static int count_pages(struct conversion *conversion)
{
	struct source *header_file = conversion->files->header_file;
	struct group *group = conversion->group;
	bool reached_end = false, zero;
	int status = GPUCRYPT_OK;

	if (header_file->size_bytes > layout_detached_page_offset(conversion->n_groups))
		return fail(GPUCRYPT_CORRUPT, "%s: has more pages than %s has groups", header_file->name,
		        conversion->files->image->name);
	for (uint64_t i = 0; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = read_page(conversion, i);
		if (status != GPUCRYPT_OK)
			break;
		zero = all_zero(group->bytes, PAGE_BYTES);
		if (reached_end && !zero)
			return wrong_pages(header_file, i);
		if (reached_end || zero || !writer_page_good(&conversion->writer, group, i)) {
			conversion->torn |= !zero;
			reached_end = true;
			continue;
		}
		conversion->done = i + 1;
		status = add_to_root(conversion);
	}
	return status;
}

/* Is the journal's group behind the next one?  Then pages that were there are lost, and the image has ciphertext
 * without pages. */
static bool journal_ahead(struct conversion *conversion)
{
	struct group *group = conversion->group;
	uint64_t number;

	page_decode(&group->page, group->bytes);
	number = group->page.group;
	if (number <= conversion->done || number >= conversion->n_groups)
		return false;
	writer_place_group(&conversion->writer, group, number);
	return writer_page_good(&conversion->writer, group, number);
}

/* A journal that verifies holds the next group, whose image and page may be incomplete. Any other journal was not yet
 * complete, or holds a group whose page is written: then the next group is still plaintext. */
static int replay_journal(struct conversion *conversion)
{
	uint64_t number = conversion->done;
	struct group *group = conversion->group;
	int status;

	if (number == conversion->n_groups)
		return GPUCRYPT_OK;
	writer_place_group(&conversion->writer, group, number);
	status = in_place_load(
	        conversion->files->journal, group->bytes, PAGE_BYTES + group->stored, journal_offset(conversion));
	if (status != GPUCRYPT_OK)
		return status;
	if (!writer_page_good(&conversion->writer, group, number))
		return journal_ahead(conversion) ? wrong_pages(conversion->files->header_file, number) : GPUCRYPT_OK;
	if (!writer_payload_good(group))
		return GPUCRYPT_OK;
	conversion->torn = false;
	status = add_to_root(conversion);
	return status == GPUCRYPT_OK ? store_group(conversion, number) : status;
}

static int no_start_record(const struct in_place *files)
{
	return fail(GPUCRYPT_EXISTS,
	        "%s: not continued: no start record shows that this passphrase or key file started to "
	        "encrypt %s: see \"In place\" in gcrypt(1)",
	        files->header_file->name, files->image->name);
}

static int empty_files(const struct in_place *files)
{
	files->header_file->size_bytes = files->journal->size_bytes = 0;
	return ftruncate(files->header_file->fd, 0) == 0 && ftruncate(files->journal->fd, 0) == 0
	               ? GPUCRYPT_OK
	               : fail_errno(files->header_file->name, "cannot be emptied");
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
		status = store_in(files->journal, record, sizeof record, 0);
	if (status == GPUCRYPT_OK)
		status = store_in(files->header_file, copies, sizeof copies, 0);
	if (status != GPUCRYPT_OK)
		(void)empty_files(files); /* nothing is encrypted yet: the next run starts anew */
	if (status == GPUCRYPT_OK && fsync(files->folder_fd) != 0 && errno != EINVAL)
		status = fail_errno(files->header_file->name, "cannot sync its folder");
	conversion->record = START_OWN;
	return status;
}

static int start_conversion(
        struct conversion *conversion, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret)
{
	int status = writer_describe(&conversion->writer, *plan);

	if (status == GPUCRYPT_OK)
		status = in_place_check_not_started(conversion->files);
	return status == GPUCRYPT_OK ? store_start(conversion, secret) : status;
}

static int open_conversion(struct conversion *conversion, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct report *report)
{
	struct group_writer *writer = &conversion->writer;
	struct authenticated_header *header = &conversion->header;
	bool found;
	int status = in_place_find(&found, &conversion->record, header, &writer->keys, conversion->files, secret);

	if (status == GPUCRYPT_OK && found) {
		writer->header = header->header;
		writer->suite = header_suite(header, ENCRYPT);
	} else if (status == GPUCRYPT_OK)
		status = start_conversion(conversion, plan, secret);
	if (status == GPUCRYPT_OK)
		status = groups_open_one(&writer->groups, &writer->suite, &writer->header, plan, report);
	if (status != GPUCRYPT_OK)
		return status;
	conversion->group = &writer->groups.group[0];
	conversion->n_groups = layout_groups(writer->header.group_log2, writer->header.plaintext_bytes);
	return running_hmac_start(&writer->root, writer->keys.root);
}

/* Bytes that were appended during the run are not encrypted. */
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
		                                                files->header_file->name, files->image->name);
	return conversion->record == START_OWN || files->trusted ? GPUCRYPT_OK : no_start_record(files);
}

/* A page proves what the group's ciphertext was, not that the image has it: the pages may be older than the image. */
static int check_done(struct conversion *conversion)
{
	const struct in_place *files = conversion->files;
	struct group *group = conversion->group;
	int status = GPUCRYPT_OK;

	for (uint64_t i = 0; i < conversion->done && status == GPUCRYPT_OK; i++) {
		status = read_page(conversion, i);
		if (status == GPUCRYPT_OK)
			status = read_image(conversion, i);
		if (status == GPUCRYPT_OK &&
		        !(writer_page_good(&conversion->writer, group, i) && writer_payload_good(group)))
			status = fail(GPUCRYPT_CORRUPT,
			        "%s: not the ciphertext that %s describes, from byte %" PRIu64
			        " on: nothing was encrypted",
			        files->image->name, files->header_file->name, image_offset(conversion, i));
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
			status = store_in(conversion->files->header_file, header->bytes, HEADER_COPY_BYTES,
			        (uint64_t)i * HEADER_COPY_BYTES);
	return status;
}

static int convert_groups(struct conversion *conversion)
{
	const struct in_place *files = conversion->files;
	int status = count_pages(conversion);

	if (status == GPUCRYPT_OK)
		status = check_start(conversion);
	if (status == GPUCRYPT_OK)
		status = check_done(conversion);
	if (status == GPUCRYPT_OK)
		status = repair_header(conversion);
	if (status == GPUCRYPT_OK)
		status = replay_journal(conversion);
	if (status == GPUCRYPT_OK && conversion->torn)
		status = wrong_pages(files->header_file, conversion->done);
	for (uint64_t i = conversion->done; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = encrypt_group(conversion, i);
		if (status == GPUCRYPT_OK)
			status = writer_report(&conversion->writer, 0, 0, i);
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
		status = convert_groups(&conversion);
	report->plaintext_bytes = files->image->size_bytes;
	writer_close(&conversion.writer);
	return status;
}
