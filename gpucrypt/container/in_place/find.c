#include "gpucrypt/container/in_place/in_place.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

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

	*record = START_NONE;
	if (files->journal->size_bytes < sizeof bytes)
		return GPUCRYPT_OK;
	return source_read_at(files->journal, bytes, sizeof bytes, 0) ?: start_record_check(record, bytes, &start);
}

struct start_binding in_place_decryption(const struct in_place *files, const struct file_keys *keys)
{
	return (struct start_binding){ .root = keys->root, .source = files->image, .how = START_DECRYPTED };
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
