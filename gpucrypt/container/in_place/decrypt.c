/* In place, backwards: at each moment a group is ciphertext in the image, with its page in the detached header, or page
 * and ciphertext are in the journal, or it is plaintext in the image.  Each of the three is on storage before the one
 * before it is changed.  After each group the files are those of an encryption that was stopped before the group. */
#include <inttypes.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/in_place/conversion.h"
#include "gpucrypt/status.h"

static int open_conversion(struct conversion *conversion, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct report *report)
{
	struct group_writer *writer = &conversion->writer;
	int status = in_place_unlock(&conversion->header, &writer->keys, conversion->files, secret);

	if (status != GPUCRYPT_OK)
		return status;
	writer->header = conversion->header.header;
	writer->suite = header_suite(&conversion->header, DECRYPT);
	return conversion_prepare(conversion, plan, report);
}

/* Of the start record of a decryption (gcrypt(5), "In place"): whoever can decrypt the image can make it. */
static struct start_binding decryption_binding(const struct in_place *files, const struct file_keys *keys)
{
	return (struct start_binding){ .root = keys->root, .source = files->image, .how = START_DECRYPTED };
}

/* Is this the start record of a decryption of this image, or of an encryption by this secret?  A private key cannot
 * check the record of an encryption. */
static int check_record(struct conversion *conversion, const uint8_t stored[START_RECORD_BYTES])
{
	const struct start_binding own = decryption_binding(conversion->files, &conversion->writer.keys);
	enum start_found found;
	int status = start_record_check(&found, stored, &own);

	if (status == GPUCRYPT_OK && found != START_OWN &&
	        in_place_check_record(&found, conversion->files, &conversion->header, conversion->header.opener) !=
	                GPUCRYPT_OK)
		fail_clear();
	conversion->record = found == START_OWN ? START_OWN : START_FOREIGN;
	return status;
}

/* The journal of either direction starts with a start record; a power failure may leave zeros. */
static int find_journal(struct conversion *conversion)
{
	struct source *journal = conversion->files->journal;
	uint8_t stored[START_RECORD_BYTES];
	int status = in_place_load(journal, stored, sizeof stored, 0);

	conversion->record = START_NONE;
	if (status != GPUCRYPT_OK || all_zero(stored, HEADER_MAGIC_BYTES))
		return status;
	return start_record_form(stored) ? check_record(conversion, stored)
	                                 : fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten", journal->name);
}

/* Only a journal proves that missing pages were removed by an earlier run.  Without this proof, their groups may be
 * ciphertext, or bytes from somebody who can write to the files. */
static int check_start(const struct conversion *conversion)
{
	const struct in_place *files = conversion->files;

	if (conversion->done == conversion->n_groups || conversion->record == START_OWN ||
	        (conversion->record == START_FOREIGN && files->trusted))
		return GPUCRYPT_OK;
	if (conversion->torn)
		return conversion_wrong_pages(conversion, conversion->done);
	if (conversion->record == START_FOREIGN)
		return fail(GPUCRYPT_EXISTS,
		        "%s: does not prove that this secret started to decrypt or encrypt %s, and metadata pages are "
		        "missing: -f continues if nobody else can write to these files",
		        files->journal->name, files->image->name);
	return fail(GPUCRYPT_EXISTS,
	        "%s: metadata pages are missing from byte %" PRIu64 " on, and there is no journal: if %s is plaintext, "
	        "decryption is complete: remove this file; else restore it from a copy",
	        files->header_file->name, layout_detached_page_offset(conversion->done), files->image->name);
}

/* Is the group complete in the journal, with the page that the detached header has if it has one? */
static int journal_has(struct conversion *conversion, uint64_t number, bool *has)
{
	struct group *group = conversion->group;
	uint8_t page[PAGE_BYTES];
	int status =
	        in_place_load(conversion->files->header_file, page, sizeof page, layout_detached_page_offset(number))
	                ?: conversion_load_journal(conversion, number);

	*has = status == GPUCRYPT_OK && writer_page_good(&conversion->writer, group, number) &&
	       (number == conversion->done || memcmp(page, group->bytes, sizeof page) == 0) &&
	       writer_payload_good(group);
	return status;
}

/* The journal may have the last group that has a page, whose image may be torn or plaintext, or the group after it,
 * whose page may be torn or removed.  Make it a group of ciphertext again. */
static int replay_journal(struct conversion *conversion)
{
	uint64_t first = conversion->done > 0 ? conversion->done - 1 : 0, number = first;
	bool has = false;
	int status = GPUCRYPT_OK;

	for (; number <= conversion->done && number < conversion->n_groups && status == GPUCRYPT_OK; number++) {
		status = journal_has(conversion, number, &has);
		if (has)
			break;
	}
	if (status != GPUCRYPT_OK)
		return status;
	if (has) {
		conversion->torn = conversion->torn && number < conversion->done;
		return conversion_store_group(conversion, number);
	}
	return conversion_journal_ahead(conversion) ? conversion_wrong_pages(conversion, conversion->done)
	                                            : GPUCRYPT_OK;
}

/* Leave the authenticated page and ciphertext of the group in the slot.  conversion->done tells where plaintext
 * begins. */
static int read_authenticated(struct conversion *conversion, uint64_t number)
{
	const struct in_place *files = conversion->files;
	struct group *group = conversion->group;
	unsigned damaged = 0;
	uint64_t plaintext;
	int status = conversion_read_page(conversion, number) ?: conversion_read_image(conversion, number);

	if (status == GPUCRYPT_OK && writer_page_good(&conversion->writer, group, number))
		status = group_find_damage(group, false, &damaged);
	if (status != GPUCRYPT_OK || damaged == UINT_MAX)
		return status;
	plaintext = conversion_image_offset(conversion, conversion->done);
	return fail(GPUCRYPT_CORRUPT,
	        "%s: not the ciphertext that %s describes, at byte %" PRIu64
	        ": not decrypted: ciphertext up to byte %" PRIu64 ", plaintext from there on",
	        files->image->name, files->header_file->name,
	        conversion_image_offset(conversion, number) + ((uint64_t)damaged << group->chunk_log2),
	        plaintext < files->image->size_bytes ? plaintext : files->image->size_bytes);
}

/* The final page proves that all pages are of one version.  An earlier run has checked that before it removed the final
 * page. */
static int check_root(const struct conversion *conversion, struct running_hmac *root)
{
	uint8_t computed[MAC_BYTES];
	int status = running_hmac_finish(root, computed);

	if (status == GPUCRYPT_OK && CRYPTO_memcmp(computed, conversion->group->page.root, sizeof computed) != 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: the root is wrong: groups of another version",
		        conversion->files->header_file->name);
	return status;
}

/* Authenticate all that is still ciphertext. */
static int check_groups(struct conversion *conversion)
{
	struct group *group = conversion->group;
	struct running_hmac root = { NULL };
	int status = running_hmac_start(&root, conversion->writer.keys.root);

	for (uint64_t i = 0; i < conversion->done && status == GPUCRYPT_OK; i++) {
		status = read_authenticated(conversion, i)
		                 ?: (group->last ? check_root(conversion, &root)
		                                 : running_hmac_add(&root, group->bytes + PAGE_MAC, MAC_BYTES));
	}
	running_hmac_free(&root);
	return status;
}

/* An encryption does not continue with this record, because somebody else may know the file key.  The image is not
 * changed before the journal's name is on storage. */
static int start_journal(struct conversion *conversion)
{
	const struct start_binding start = decryption_binding(conversion->files, &conversion->writer.keys);
	uint8_t record[START_RECORD_BYTES];
	int status = GPUCRYPT_OK;

	if (conversion->record != START_OWN)
		status = start_record_make(record, &start, &(struct start_parts){ 0 })
		                 ?: conversion_store(conversion->files->journal, record, sizeof record, 0);
	conversion->record = START_OWN;
	return status ?: conversion_sync_folder(conversion->files);
}

static int remove_page(const struct conversion *conversion, uint64_t number)
{
	const struct source *header_file = conversion->files->header_file;

	return ftruncate(header_file->fd, (off_t)layout_detached_page_offset(number)) == 0 &&
	                       fsync(header_file->fd) == 0
	               ? GPUCRYPT_OK
	               : fail_errno(header_file->name, "cannot be cut");
}

static int decrypt_group(struct conversion *conversion, uint64_t number)
{
	struct group *group = conversion->group;

	return read_authenticated(conversion, number)
	               ?: conversion_store_journal(conversion)
	               ?: group_crypt_chunks(&conversion->writer.groups, 0, group, false)
	               ?: conversion_store(conversion->files->image, group->payload, group->stored,
	                          conversion_image_offset(conversion, number))
	               ?: remove_page(conversion, number);
}

static int report_group(const struct conversion *conversion)
{
	uint64_t total = conversion->files->image->size_bytes,
	         left = conversion_image_offset(conversion, conversion->done);

	return report_progress(conversion->writer.progress, left < total ? total - left : 0, total);
}

static int convert_groups(struct conversion *conversion)
{
	int status = conversion_count_pages(conversion) ?: check_start(conversion) ?: replay_journal(conversion);

	if (status == GPUCRYPT_OK && conversion->torn)
		status = conversion_wrong_pages(conversion, conversion->done);
	status = status
	                 ?: check_groups(conversion)
	                 ?: conversion_repair_header(conversion)
	                 ?: start_journal(conversion);
	while (conversion->done > 0 && status == GPUCRYPT_OK) {
		status = decrypt_group(conversion, conversion->done - 1);
		if (status != GPUCRYPT_OK)
			break;
		conversion->done--;
		status = report_group(conversion);
	}
	return status ?: conversion_check_size(conversion->files->image);
}

int container_decrypt_in_place(const struct in_place *files, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct conversion conversion = { .files = files, .writer = writer_of(files->image, NULL, progress) };
	int status;

	*report = (struct report){ 0 };
	status = open_conversion(&conversion, plan, secret, report)
	                 ?: find_journal(&conversion)
	                 ?: convert_groups(&conversion);
	report->plaintext_bytes = files->image->size_bytes;
	writer_close(&conversion.writer);
	return status;
}
