#include "gpucrypt/container/parts/parts.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* Opening. */

static int check_content(const struct group_reader *reader)
{
	return reader->header.header.content == CONTENT_BYTES
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE, "%s: --part is for containers of one file, without --zstd",
	                         reader->source->name);
}

int part_decryption_open(struct part_decryption *parts, struct source *container, const struct gpucrypt_secret *secret,
        struct report *report)
{
	struct group_reader *reader = &parts->reader;
	int status;

	*parts = (struct part_decryption){ .reader = reader_of(container, NULL, NULL) };
	status = range_begin(reader, secret, report) ?: check_content(reader);
	parts->parts.align = PAGE_BYTES;
	memcpy(parts->parts.version, reader->final_mac, sizeof parts->parts.version);
	return status;
}

/* Records. */

/* The file, as the source of its start record, has the content's length. */
static struct source content_of(const struct part_decryption *parts, const struct source *file)
{
	return (struct source){ .fd = file->fd, .name = file->name, .size_bytes = parts->reader.plaintext_bytes };
}

static struct start_binding binding_of(const struct part_decryption *parts, const struct source *content)
{
	return (struct start_binding){
		.root = parts->reader.keys.root, .source = content, .how = START_DECRYPTED_PARTS
	};
}

int part_decryption_start(struct part_decryption *parts, struct source *file, uint64_t n_parts)
{
	const struct source content = content_of(parts, file);
	const struct start_binding start = binding_of(parts, &content);
	int status;

	parts->parts.count = n_parts;
	status = start_record_make(parts->start, &start, &parts->parts);
	if (status == GPUCRYPT_OK && ftruncate(file->fd, (off_t)content.size_bytes) != 0)
		status = fail_errno(file->name, "cannot set the length of the file");
	return status ?: fd_store(file->fd, file->name, parts->start, sizeof parts->start, content.size_bytes);
}

static int fail_foreign(const struct source *file)
{
	return fail(
	        GPUCRYPT_EXISTS, "%s: not overwritten: it has no start record of this container's parts", file->name);
}

static int compare_start(const struct part_decryption *parts, enum start_found found, const struct source *file)
{
	static const uint8_t of_earlier_releases[START_RECORD_ID_BYTES];
	const struct start_parts started = start_record_parts(parts->start);

	if (found != START_OWN && found != START_CHANGED)
		return fail_foreign(file);
	if (memcmp(parts->start + START_RECORD_ID, of_earlier_releases, START_RECORD_ID_BYTES) == 0)
		return fail(GPUCRYPT_EXISTS,
		        "%s: not overwritten: an earlier release started it: remove it to start again", file->name);
	if (memcmp(started.version, parts->parts.version, sizeof started.version) != 0)
		return start_record_changed(parts->reader.source, file->name);
	if (started.count != parts->parts.count)
		return fail(GPUCRYPT_USAGE, "%s: started with %" PRIu64 " parts: give the same --part I/N", file->name,
		        started.count);
	return found == START_OWN && file->size_bytes == parts->reader.plaintext_bytes + START_RECORD_BYTES
	               ? GPUCRYPT_OK
	               : fail_foreign(file);
}

/* A run that was killed where it named the file may have left both names; what is written under the other one since
 * then is not the content. */
static bool has_one_name(const struct source *file)
{
	struct stat there;

	return fstat(file->fd, &there) == 0 && there.st_nlink == 1;
}

int part_decryption_check(struct part_decryption *parts, struct source *file, uint64_t n_parts)
{
	const struct source content = content_of(parts, file);
	const struct start_binding start = binding_of(parts, &content);
	enum start_found found = START_NONE;
	int status;

	parts->parts.count = n_parts;
	parts->is_cut = file->size_bytes == content.size_bytes;
	if (parts->is_cut) /* only the records have the random number */
		return has_one_name(file) ? start_record_make(parts->start, &start, &parts->parts) : fail_foreign(file);
	if (file->size_bytes < sizeof parts->start)
		return fail_foreign(file);
	status = source_read_at(file, parts->start, sizeof parts->start, file->size_bytes - sizeof parts->start)
	                 ?: start_record_check(&found, parts->start, &start);
	return status ?: compare_start(parts, found, file);
}

int part_decryption_record(const struct part_decryption *parts, uint64_t number, uint8_t record[START_RECORD_BYTES])
{
	const struct start_binding start = binding_of(parts, NULL);

	return part_record_make(record, parts->start, &start, &(struct part_done){ .number = number });
}

int part_decryption_compare(
        struct part_decryption *parts, uint64_t number, const uint8_t record[START_RECORD_BYTES], bool *good)
{
	uint8_t expected[START_RECORD_BYTES];
	int status;

	if (parts->is_cut && number == 1)
		memcpy(parts->start + START_RECORD_ID, record + START_RECORD_ID, START_RECORD_ID_BYTES);
	status = part_decryption_record(parts, number, expected);
	*good = status == GPUCRYPT_OK && CRYPTO_memcmp(record, expected, sizeof expected) == 0;
	return status;
}

/* The file. */

int part_decryption_run(struct part_decryption *parts, struct sink *sink, const struct part_number *part,
        const struct gpucrypt_plan *plan, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader *reader = &parts->reader;

	reader->sink = sink;
	reader->progress = progress;
	return reader_open_engine(reader, plan, report) ?: part_read(reader, part, plan, report);
}

int part_decryption_cut(struct part_decryption *parts, struct source *file)
{
	parts->is_cut = true;
	return ftruncate(file->fd, (off_t)parts->reader.plaintext_bytes) == 0 ? GPUCRYPT_OK
	                                                                      : fail_errno(file->name, "cannot be cut");
}
