#include "gpucrypt/container/parts/decrypt.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/parts/verify.h"
#include "gpucrypt/container/range.h"
#include "gpucrypt/status.h"

/* gcrypt(5), "Parts of a decryption": offsets in a record; zero where there is nothing. */
#define INODE     16
#define SIZE      24
#define COUNT     48
#define NUMBER    64
#define CONTAINER 72
#define ID        104
#define ID_BYTES  16
#define ID_END    (ID + ID_BYTES)

static const uint8_t magic[HEADER_MAGIC_BYTES] = START_RECORD_MAGIC;

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
	reader->partial = true;
	status = range_begin(reader, secret, report) ?: check_content(reader);
	memcpy(parts->container, reader->final_mac, sizeof parts->container);
	return status;
}

void part_decryption_close(struct part_decryption *parts)
{
	reader_close(&parts->reader);
}

/* Records. */

/* K_parts = HKDF-Expand(K_root, "gcrypt/1 start", 32): whoever can decrypt the container can make its records. */
static int compute_mac(uint8_t mac[MAC_BYTES], const struct part_decryption *parts, const uint8_t *record)
{
	uint8_t key[32];
	int status = bound_key_derive(key, parts->reader.keys.root, LABEL_START)
	                     ?: hmac_sha256(mac, key, record, HEADER_MAC);

	wipe(key, sizeof key);
	return status;
}

static int check_mac(const struct part_decryption *parts, const uint8_t *record, bool *good)
{
	uint8_t mac[MAC_BYTES];
	int status = compute_mac(mac, parts, record);

	*good = status == GPUCRYPT_OK && CRYPTO_memcmp(mac, record + HEADER_MAC, sizeof mac) == 0;
	return status;
}

/* The inode tells this file from an earlier one of the same name, the random id one inode from its next use. */
static int make_start(struct part_decryption *parts, const struct source *file, uint64_t n_parts)
{
	uint8_t *start = parts->start;
	struct stat there;

	if (fstat(file->fd, &there) != 0)
		return fail_errno(file->name, "cannot be examined");
	memset(start, 0, sizeof parts->start);
	memcpy(start, magic, sizeof magic);
	store_le64(start + INODE, there.st_ino);
	store_le64(start + SIZE, parts->reader.plaintext_bytes);
	store_le64(start + COUNT, n_parts);
	memcpy(start + CONTAINER, parts->container, sizeof parts->container);
	return GPUCRYPT_OK;
}

int part_decryption_start(struct part_decryption *parts, struct source *file, uint64_t n_parts)
{
	uint64_t n_bytes = parts->reader.plaintext_bytes;
	int status = make_start(parts, file, n_parts)
	                     ?: random_bytes(parts->start + ID, ID_BYTES)
	                     ?: compute_mac(parts->start + HEADER_MAC, parts, parts->start);

	if (status == GPUCRYPT_OK && ftruncate(file->fd, (off_t)n_bytes) != 0)
		status = fail_errno(file->name, "cannot get its length");
	return status ?: fd_store(file->fd, file->name, parts->start, sizeof parts->start, n_bytes);
}

static int fail_foreign(const struct source *file)
{
	return fail(
	        GPUCRYPT_EXISTS, "%s: not overwritten: it has no start record of this container's parts", file->name);
}

/* The record is authentic, and of this container's file key. */
static int compare_start(
        const struct part_decryption *parts, const uint8_t *stored, const struct source *file, uint64_t n_parts)
{
	const char *container = parts->reader.source->name;

	if (memcmp(stored + CONTAINER, parts->container, sizeof parts->container) != 0)
		return fail(GPUCRYPT_IO, "%s: changed since %s was started: remove %s to start again", container,
		        file->name, file->name);
	if (load_le64(stored + COUNT) != n_parts)
		return fail(GPUCRYPT_USAGE, "%s: started with %" PRIu64 " parts: give the same --part I/N", file->name,
		        load_le64(stored + COUNT));
	return memcmp(stored, parts->start, ID) == 0 ? GPUCRYPT_OK : fail_foreign(file);
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
	uint8_t stored[START_RECORD_BYTES];
	uint64_t n_bytes = parts->reader.plaintext_bytes;
	bool good;
	int status = make_start(parts, file, n_parts);

	if (status != GPUCRYPT_OK)
		return status;
	parts->is_cut = file->size_bytes == n_bytes;
	if (parts->is_cut)
		return has_one_name(file) ? GPUCRYPT_OK : fail_foreign(file);
	if (file->size_bytes < sizeof stored)
		return fail_foreign(file);
	status = source_read_at(file, stored, sizeof stored, file->size_bytes - sizeof stored)
	                 ?: check_mac(parts, stored, &good)
	                 ?: (good ? compare_start(parts, stored, file, n_parts) : fail_foreign(file));
	if (status == GPUCRYPT_OK && file->size_bytes != n_bytes + sizeof stored)
		status = fail_foreign(file);
	memcpy(parts->start, stored, sizeof stored);
	return status;
}

int part_decryption_record(const struct part_decryption *parts, uint64_t number, uint8_t record[START_RECORD_BYTES])
{
	memcpy(record, parts->start, START_RECORD_BYTES);
	store_le64(record + NUMBER, number);
	return compute_mac(record + HEADER_MAC, parts, record);
}

int part_decryption_compare(
        struct part_decryption *parts, uint64_t number, const uint8_t record[START_RECORD_BYTES], bool *good)
{
	uint8_t expected[START_RECORD_BYTES];
	int status;

	if (parts->is_cut && all_zero(parts->start + ID, ID_BYTES))
		memcpy(parts->start + ID, record + ID, ID_BYTES);
	status = part_decryption_record(parts, number, expected);
	*good = status == GPUCRYPT_OK && CRYPTO_memcmp(record, expected, sizeof expected) == 0;
	return status;
}

/* The file. */

int part_decryption_run(struct part_decryption *parts, struct sink *sink, const struct part_number *part,
        const struct gpucrypt_plan *plan, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader *reader = &parts->reader;
	int status;

	reader->sink = sink;
	reader->progress = progress;
	status = reader_open_engine(reader, plan);
	if (status != GPUCRYPT_OK)
		return status;
	report_engine(report, reader->groups.engine);
	status = part_read(reader, part, plan, report);
	if (status == GPUCRYPT_OK && memcmp(report->digest, parts->container, sizeof parts->container) != 0)
		status = fail(GPUCRYPT_IO, "%s: changed while it was read", reader->source->name);
	return status;
}

int part_decryption_cut(struct part_decryption *parts, struct source *file)
{
	parts->is_cut = true;
	return ftruncate(file->fd, (off_t)parts->reader.plaintext_bytes) == 0 ? GPUCRYPT_OK
	                                                                      : fail_errno(file->name, "cannot be cut");
}
