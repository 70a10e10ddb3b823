#include "gpucrypt/container/in_place/conversion.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

int conversion_store(const struct source *file, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return fd_store(file->fd, file->name, bytes, n_bytes, offset);
}

int conversion_prepare(struct conversion *conversion, const struct gpucrypt_plan *plan, struct report *report)
{
	struct group_writer *writer = &conversion->writer;
	int status = groups_open_one(&writer->groups, &writer->suite, &writer->header, plan, report);

	if (status != GPUCRYPT_OK)
		return status;
	conversion->group = &writer->groups.group[0];
	conversion->n_groups = layout_groups(writer->header.group_log2, writer->header.plaintext_bytes);
	return running_hmac_start(&writer->root, writer->keys.root);
}

uint64_t conversion_image_offset(const struct conversion *conversion, uint64_t number)
{
	return number << conversion->writer.header.group_log2;
}

int conversion_read_image(struct conversion *conversion, uint64_t number)
{
	struct group *group = conversion->group;

	return source_read_at(
	        conversion->files->image, group->payload, group->stored, conversion_image_offset(conversion, number));
}

int conversion_read_page(struct conversion *conversion, uint64_t number)
{
	writer_place_group(&conversion->writer, conversion->group, number);
	return in_place_load(conversion->files->header_file, conversion->group->bytes, PAGE_BYTES,
	        layout_detached_page_offset(number));
}

int conversion_add_to_root(struct conversion *conversion)
{
	const struct group *group = conversion->group;

	return group->last ? GPUCRYPT_OK
	                   : running_hmac_add(&conversion->writer.root, group->bytes + PAGE_MAC, MAC_BYTES);
}

int conversion_wrong_pages(const struct conversion *conversion, uint64_t number)
{
	return fail(GPUCRYPT_CORRUPT,
	        "%s: this detached header does not come from an interrupted run: wrong at byte %" PRIu64,
	        conversion->files->header_file->name, layout_detached_page_offset(number));
}

int conversion_count_pages(struct conversion *conversion)
{
	struct source *header_file = conversion->files->header_file;
	struct group *group = conversion->group;
	bool reached_end = false, zero;
	int status = GPUCRYPT_OK;

	if (header_file->size_bytes > layout_detached_page_offset(conversion->n_groups))
		return fail(GPUCRYPT_CORRUPT, "%s: has more pages than %s has groups", header_file->name,
		        conversion->files->image->name);
	for (uint64_t i = 0; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = conversion_read_page(conversion, i);
		if (status != GPUCRYPT_OK)
			break;
		zero = all_zero(group->bytes, PAGE_BYTES);
		if (reached_end && !zero)
			return conversion_wrong_pages(conversion, i);
		if (reached_end || zero || !writer_page_good(&conversion->writer, group, i)) {
			conversion->torn |= !zero;
			reached_end = true;
			continue;
		}
		conversion->done = i + 1;
		status = conversion_add_to_root(conversion);
	}
	return status;
}

bool conversion_journal_ahead(struct conversion *conversion)
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

/* Offset of the group in the journal: after the start record, which journals of earlier releases do not have. */
static uint64_t journal_offset(const struct conversion *conversion)
{
	return conversion->record == START_NONE ? 0 : START_RECORD_BYTES;
}

int conversion_load_journal(struct conversion *conversion, uint64_t number)
{
	struct group *group = conversion->group;

	writer_place_group(&conversion->writer, group, number);
	return in_place_load(
	        conversion->files->journal, group->bytes, PAGE_BYTES + group->stored, journal_offset(conversion));
}

int conversion_store_journal(struct conversion *conversion)
{
	const struct group *group = conversion->group;

	return conversion_store(
	        conversion->files->journal, group->bytes, PAGE_BYTES + group->stored, journal_offset(conversion));
}

int conversion_store_group(struct conversion *conversion, uint64_t number)
{
	const struct in_place *files = conversion->files;
	struct group *group = conversion->group;
	uint64_t offset = layout_detached_page_offset(number);
	int status = conversion_store(
	                     files->image, group->payload, group->stored, conversion_image_offset(conversion, number))
	                     ?: conversion_store(files->header_file, group->bytes, PAGE_BYTES, offset);

	if (files->header_file->size_bytes < offset + PAGE_BYTES)
		files->header_file->size_bytes = offset + PAGE_BYTES;
	conversion->done = number + 1;
	return status;
}

int conversion_repair_header(const struct conversion *conversion)
{
	const struct authenticated_header *header = &conversion->header;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < 2 && status == GPUCRYPT_OK; i++)
		if (header->header.version != 0 && (!header->copies.good[i] || header->copies.older[i]))
			status = conversion_store(conversion->files->header_file, header->bytes, HEADER_COPY_BYTES,
			        (uint64_t)i * HEADER_COPY_BYTES);
	return status;
}

int conversion_sync_folder(const struct in_place *files)
{
	return fsync(files->folder_fd) == 0 || errno == EINVAL
	               ? GPUCRYPT_OK
	               : fail_errno(files->header_file->name, "cannot sync its folder");
}

int conversion_check_size(const struct source *image)
{
	struct stat there;

	if (fstat(image->fd, &there) != 0)
		return fail_errno(image->name, "cannot be examined");
	if ((uint64_t)there.st_size != image->size_bytes)
		return fail(GPUCRYPT_IO, "%s: its size changed during the run", image->name);
	return GPUCRYPT_OK;
}

/* Reading the state of an interrupted run. */

int in_place_load(struct source *file, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	uint64_t there = file->size_bytes > offset ? file->size_bytes - offset : 0;
	size_t n = there < n_bytes ? (size_t)there : n_bytes;

	memset(bytes + n, 0, n_bytes - n);
	return n > 0 ? source_read_at(file, bytes, n, offset) : GPUCRYPT_OK;
}

bool in_place_examine(struct source *header_file, struct examined_header *examined)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	bool there = header_file->size_bytes >= sizeof copies &&
	             source_read_at(header_file, copies, sizeof copies, 0) == GPUCRYPT_OK &&
	             header_examine(examined, copies) == GPUCRYPT_OK;

	fail_clear();
	return there;
}

static int check_image(const struct in_place *files, const struct header *header)
{
	if (header->layout != LAYOUT_DETACHED)
		return fail(GPUCRYPT_EXISTS,
		        "%s: not overwritten: it is a container of another layout, not a detached header",
		        files->header_file->name);
	if (header->plaintext_bytes != files->image->size_bytes)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: not the detached header of %s: it is for %" PRIu64 " bytes, the image has %" PRIu64,
		        files->header_file->name, files->image->name, header->plaintext_bytes,
		        files->image->size_bytes);
	return GPUCRYPT_OK;
}

int in_place_unlock(struct authenticated_header *header, struct file_keys *keys, const struct in_place *files,
        const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];

	return source_read_at(files->header_file, copies, sizeof copies, 0)
	               ?: container_unlock_copies(files->header_file, header, keys, copies, secret)
	               ?: check_image(files, &header->header);
}

int in_place_find(bool *found, struct authenticated_header *header, struct file_keys *keys,
        const struct in_place *files, const struct gpucrypt_secret *secret)
{
	struct examined_header examined;

	*found = in_place_examine(files->header_file, &examined);
	return *found ? in_place_unlock(header, keys, files, secret) : GPUCRYPT_OK;
}

int in_place_check_record(enum start_found *record, const struct in_place *files,
        const struct authenticated_header *header, const struct gpucrypt_secret *secret)
{
	const struct start_binding start = start_binding_of(header, secret, files->image, START_IN_PLACE);
	uint8_t bytes[START_RECORD_BYTES];
	int status;

	*record = START_NONE;
	if (files->journal->size_bytes < sizeof bytes)
		return GPUCRYPT_OK;
	status = source_read_at(files->journal, bytes, sizeof bytes, 0);
	if (status == GPUCRYPT_OK && memcmp(bytes, header_magic, sizeof header_magic) == 0)
		return fail(GPUCRYPT_EXISTS, "%s: is completed by enc --update --in-place", files->journal->name);
	return status ?: start_record_check(record, bytes, &start);
}

/* A journal longer than its start record has a group, and the image may have ciphertext.  A journal with only a start
 * record comes from a run that was stopped before. */
static int check_journal(const struct in_place *files)
{
	uint8_t start[8];
	int status = in_place_load(files->journal, start, sizeof start, 0);

	if (status == GPUCRYPT_OK && (files->journal->size_bytes > START_RECORD_BYTES ||
	                                     !(all_zero(start, sizeof start) || start_record_form(start))))
		status = fail(GPUCRYPT_CORRUPT,
		        "%s: this journal belongs to %s, which is missing: a part of %s may be encrypted "
		        "already: restore the missing file",
		        files->journal->name, files->header_file->name, files->image->name);
	return status;
}

int in_place_check_not_started(const struct in_place *files)
{
	uint8_t start[HEADER_MAGIC_BYTES];
	int status = in_place_load(files->header_file, start, sizeof start, 0);

	if (status == GPUCRYPT_OK && !all_zero(start, sizeof start) && memcmp(start, header_magic, sizeof start) != 0)
		status = fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten", files->header_file->name);
	if (status == GPUCRYPT_OK && files->header_file->size_bytes > PAGES_START)
		status = fail(GPUCRYPT_CORRUPT,
		        "%s: both header copies are damaged, but metadata pages follow: restore this file from a copy",
		        files->header_file->name);
	return status ?: check_journal(files);
}
