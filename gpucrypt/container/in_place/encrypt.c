/* In place: at each moment a group is plaintext in the image, or its ciphertext is in the journal, or its page is in
 * the detached header.  Each of the three is on storage before the next is written, and the journal is not overwritten
 * before the page is on storage. */
#include "gpucrypt/container/in_place/in_place.h"

#include <inttypes.h>
#include <unistd.h>

#include "gpucrypt/container/in_place/conversion.h"
#include "gpucrypt/status.h"

static int encrypt_group(struct conversion *conversion, uint64_t number)
{
	struct group_writer *writer = &conversion->writer;

	writer_place_group(writer, conversion->group, number);
	return conversion_read_image(conversion, number)
	               ?: writer_encrypt(writer, 0, 0, number)
	               ?: writer_tag(writer, 0, 0, number)
	               ?: writer_seal(writer, 0, 0, number)
	               ?: conversion_store_journal(conversion)
	               ?: conversion_store_group(conversion, number);
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
	status = conversion_load_journal(conversion, number);
	if (status != GPUCRYPT_OK)
		return status;
	if (!writer_page_good(&conversion->writer, group, number))
		return conversion_journal_ahead(conversion) ? conversion_wrong_pages(conversion, number) : GPUCRYPT_OK;
	if (!writer_payload_good(group))
		return GPUCRYPT_OK;
	conversion->torn = false;
	return conversion_add_to_root(conversion) ?: conversion_store_group(conversion, number);
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
	const struct start_binding start = { .copy = copies,
		.slot = &conversion->writer.header.slots[0],
		.secret = secret,
		.source = files->image,
		.how = START_IN_PLACE };
	int status = writer_make_header(&conversion->writer, copies, secret)
	                     ?: start_record_make(record, &start, &(struct start_parts){ 0 })
	                     ?: empty_files(files)
	                     ?: conversion_store(files->journal, record, sizeof record, 0)
	                     ?: conversion_store(files->header_file, copies, sizeof copies, 0);

	if (status != GPUCRYPT_OK)
		(void)empty_files(files); /* nothing is encrypted yet: the next run starts anew */
	conversion->record = START_OWN;
	return status ?: conversion_sync_folder(files);
}

/* Start the run, or continue it if this user's secret opens the start record and the recipients are the same. */
static int open_conversion(struct conversion *conversion, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct report *report)
{
	struct group_writer *writer = &conversion->writer;
	struct authenticated_header *header = &conversion->header;
	const struct in_place *files = conversion->files;
	bool found;
	int status = in_place_find(&found, header, &writer->keys, files, secret);

	if (status == GPUCRYPT_OK && found) {
		status = writer_check_recipients(files->header_file, &header->header, secret->next)
		                 ?: in_place_check_record(&conversion->record, files, header, secret);
		writer->header = header->header;
		writer->suite = header_suite(header, ENCRYPT);
	} else if (status == GPUCRYPT_OK)
		status = writer_describe(writer, *plan)
		                 ?: in_place_check_not_started(files)
		                 ?: store_start(conversion, secret);
	return status ?: conversion_prepare(conversion, plan, report);
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
		status = conversion_read_page(conversion, i) ?: conversion_read_image(conversion, i);
		if (status == GPUCRYPT_OK &&
		        !(writer_page_good(&conversion->writer, group, i) && writer_payload_good(group)))
			status = fail(GPUCRYPT_CORRUPT,
			        "%s: not the ciphertext that %s describes, from byte %" PRIu64
			        " on: nothing was encrypted",
			        files->image->name, files->header_file->name, conversion_image_offset(conversion, i));
	}
	return status;
}

static int convert_groups(struct conversion *conversion)
{
	const struct in_place *files = conversion->files;
	int status = conversion_count_pages(conversion)
	                     ?: check_start(conversion)
	                     ?: check_done(conversion)
	                     ?: conversion_repair_header(conversion)
	                     ?: replay_journal(conversion);

	if (status == GPUCRYPT_OK && conversion->torn)
		status = conversion_wrong_pages(conversion, conversion->done);
	for (uint64_t i = conversion->done; i < conversion->n_groups && status == GPUCRYPT_OK; i++) {
		status = encrypt_group(conversion, i) ?: writer_report(&conversion->writer, 0, 0, i);
	}
	return status ?: conversion_check_size(files->image);
}

int container_encrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct conversion conversion = { .files = files, .writer = writer_of(files->image, NULL, progress) };
	int status;

	*report = (struct report){ 0 };
	status = open_conversion(&conversion, plan, secret, report) ?: convert_groups(&conversion);
	report->plaintext_bytes = files->image->size_bytes;
	writer_close(&conversion.writer);
	return status;
}
