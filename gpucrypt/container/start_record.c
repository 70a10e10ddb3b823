#include "gpucrypt/container/start_record.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"
#include "gpucrypt/system_calls.h"

/* gcrypt(5), "Start records": offsets in a record. */
#define DEVICE   8
#define INODE    16
#define SIZE     24
#define SECONDS  START_RECORD_ID
#define NANO     40
#define IDENTITY 48 /* end of the source's identity */
#define PARTS    48
#define ALIGN    56
#define PART     64
#define DIGEST   72
#define VERSION  104
#define UPDATE   136 /* zero from its end to the MAC */

static const uint8_t magic[8] = START_RECORD_MAGIC;

static bool is_written(enum start_source how)
{
	return how == START_DECRYPTED || how == START_DECRYPTED_PARTS;
}

/* Encode the record without its MAC. */
static int identify_source(uint8_t record[START_RECORD_BYTES], const struct source *source, enum start_source how)
{
	struct statx there;
	const struct statx_timestamp *time = how == START_IN_PLACE ? &there.stx_btime : &there.stx_mtime;

	memset(record, 0, START_RECORD_BYTES);
	if (statx(source->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &there) != 0)
		return fail_errno(source->name, "cannot be examined");
	memcpy(record, magic, sizeof magic);
	if (how == START_UNCHANGED)
		store_le64(record + DEVICE, makedev(there.stx_dev_major, there.stx_dev_minor));
	store_le64(record + INODE, there.stx_ino);
	store_le64(record + SIZE, is_written(how) ? source->size_bytes : there.stx_size);
	/* The field is zero if the file system has no time of creation. */
	if (!is_written(how) && (how != START_IN_PLACE || (there.stx_mask & STATX_BTIME) != 0)) {
		store_le64(record + SECONDS, (uint64_t)time->tv_sec);
		store_le64(record + NANO, time->tv_nsec);
	}
	return GPUCRYPT_OK;
}

static bool is_same_source(const uint8_t now[START_RECORD_BYTES], const uint8_t *record, enum start_source how)
{
	return memcmp(now, record, is_written(how) ? START_RECORD_ID : IDENTITY) == 0;
}

/* The key of a decryption's records: whoever can decrypt the container can make them. */
static int derive_key(uint8_t key[32], const struct start_binding *start)
{
	return is_written(start->how)
	               ? bound_key_derive(key, start->root, LABEL_START)
	               : key_slot_bound_key(key, start->slot, start->secret, start->copy + HEADER_P_SALT, LABEL_START);
}

/* HMAC(K_start, header copy ‖ record without its MAC).  All key slots are authenticated: a former recipient knows
 * the file key, and could remove its slot from a header with a good MAC. */
static int compute_mac(
        uint8_t mac[MAC_BYTES], const uint8_t record[START_RECORD_BYTES], const struct start_binding *start)
{
	struct running_hmac hmac = { NULL };
	uint8_t key[32];
	int status = derive_key(key, start) ?: running_hmac_start(&hmac, key);

	if (status == GPUCRYPT_OK && !is_written(start->how))
		status = running_hmac_add(&hmac, start->copy, HEADER_COPY_BYTES);
	status = status ?: running_hmac_add(&hmac, record, HEADER_MAC) ?: running_hmac_finish(&hmac, mac);
	running_hmac_free(&hmac);
	wipe(key, sizeof key);
	return status;
}

int start_record_make(
        uint8_t record[START_RECORD_BYTES], const struct start_binding *start, const struct start_parts *parts)
{
	int status = identify_source(record, start->source, start->how);

	if (start->how == START_DECRYPTED_PARTS && status == GPUCRYPT_OK)
		status = random_bytes(record + START_RECORD_ID, START_RECORD_ID_BYTES);
	store_le64(record + PARTS, parts->count);
	store_le64(record + ALIGN, parts->align);
	memcpy(record + VERSION, parts->version, sizeof parts->version);
	store_le64(record + UPDATE, parts->update);
	return status ?: compute_mac(record + HEADER_MAC, record, start);
}

int part_record_make(uint8_t record[START_RECORD_BYTES], const uint8_t start_record[START_RECORD_BYTES],
        const struct start_binding *start, const struct part_done *part)
{
	memcpy(record, start_record, START_RECORD_BYTES);
	store_le64(record + PART, part->number);
	memcpy(record + DIGEST, part->digest, sizeof part->digest);
	return compute_mac(record + HEADER_MAC, record, start);
}

struct start_parts start_record_parts(const uint8_t record[START_RECORD_BYTES])
{
	struct start_parts parts = { .count = load_le64(record + PARTS),
		.align = load_le64(record + ALIGN),
		.update = load_le64(record + UPDATE) != 0 };

	memcpy(parts.version, record + VERSION, sizeof parts.version);
	return parts;
}

struct timespec start_record_time(const uint8_t record[START_RECORD_BYTES])
{
	return (struct timespec){ (time_t)load_le64(record + SECONDS), (long)load_le64(record + NANO) };
}

int start_record_check(
        enum start_found *found, const uint8_t record[START_RECORD_BYTES], const struct start_binding *start)
{
	uint8_t now[START_RECORD_BYTES], mac[MAC_BYTES];
	bool of_parts = start_record_parts(record).count > 0;
	int status;

	*found = START_NONE;
	if (!start_record_form(record))
		return GPUCRYPT_OK;
	*found = START_FOREIGN;
	status = compute_mac(mac, record, start);
	if (status != GPUCRYPT_OK || CRYPTO_memcmp(mac, record + HEADER_MAC, sizeof mac) != 0)
		return status;
	*found = of_parts == (start->how == START_PARTS || start->how == START_DECRYPTED_PARTS) ? START_OWN
	                                                                                        : START_OTHER;
	if (*found == START_OTHER || start->source == NULL)
		return GPUCRYPT_OK;
	status = identify_source(now, start->source, start->how);
	if (status == GPUCRYPT_OK)
		*found = is_same_source(now, record, start->how) ? START_OWN : START_CHANGED;
	return status;
}

int start_record_changed(const struct source *source, const char *part_name)
{
	return fail(GPUCRYPT_IO, "%s: changed since %s was started: remove %s to start again", source->name, part_name,
	        part_name);
}

int start_record_unchanged(const uint8_t record[START_RECORD_BYTES], const struct source *source, enum start_source how,
        const char *part_name)
{
	uint8_t now[START_RECORD_BYTES];
	int status = identify_source(now, source, how);

	if (status == GPUCRYPT_OK && !is_same_source(now, record, how))
		status = start_record_changed(source, part_name);
	return status;
}

/* Unfinished containers. */

void started_close(struct started *started)
{
	wipe(&started->keys, sizeof started->keys);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Header and start record are on storage before the file gets its name. */
static int read_copies(struct started *started, bool *there, struct source *file)
{
	size_t n = lesser(file->size_bytes, sizeof started->copies);
	int status = source_read_at(file, started->copies, n, 0);

	*there = status == GPUCRYPT_OK && n > 0;
	if (*there && (n < sizeof started->copies || memcmp(started->copies, header_magic, HEADER_MAGIC_BYTES) != 0))
		status = fail(
		        GPUCRYPT_EXISTS, "%s: not overwritten: it is not the beginning of a container", file->name);
	return status;
}

int started_open(struct started *started, bool *there, struct source *file, const struct gpucrypt_secret *secret,
        const struct source *source, enum start_source how)
{
	struct authenticated_header *header = &started->header;
	struct start_binding start;
	int status = read_copies(started, there, file);

	started->record = START_NONE;
	if (status != GPUCRYPT_OK || !*there)
		return status;
	status = header_unlock(header, &started->keys, started->copies, secret);
	if (status != GPUCRYPT_OK)
		return fail_named(file->name, status);
	start = start_binding_of(header, secret, source, how);
	return start_record_check(&started->record, started->copies + HEADER_COPY_BYTES, &start);
}

uint64_t started_bytes(const struct started *started)
{
	const struct header *header = &started->header.header;

	return layout_container_bytes(
	        header->group_log2, mode_by_id(header->mode_id)->whole_blocks, header->plaintext_bytes);
}

int started_truncate(const struct started *started, struct source *file)
{
	uint64_t whole = started_bytes(started);

	if (file->size_bytes <= whole)
		return GPUCRYPT_OK;
	if (ftruncate(file->fd, (off_t)whole) != 0)
		return fail_errno(file->name, "cannot be cut");
	file->size_bytes = whole;
	return GPUCRYPT_OK;
}

static int check_options(const struct header *wanted, const struct header *started, const char *name)
{
	if (started->layout == wanted->layout && started->content == wanted->content &&
	        started->cipher_id == wanted->cipher_id && started->key_bytes == wanted->key_bytes &&
	        started->mode_id == wanted->mode_id && started->chunk_log2 == wanted->chunk_log2 &&
	        started->group_log2 == wanted->group_log2)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE,
	        "%s: started with %s-%u-%s, chunks of 2^%u and groups of 2^%u bytes: give the same "
	        "options, or remove it",
	        name, cipher_by_id(started->cipher_id)->name, 8u * started->key_bytes,
	        mode_by_id(started->mode_id)->name, started->chunk_log2, started->group_log2);
}

int started_continue(struct group_writer *writer, const struct started *started, const struct source *file,
        const struct gpucrypt_secret *secret)
{
	const struct header *header = &started->header.header;
	int status = check_options(&writer->header, header, file->name)
	                     ?: writer_check_recipients(file, header, secret->next);

	if (status == GPUCRYPT_OK && header->plaintext_bytes != writer->source->size_bytes)
		status = start_record_changed(writer->source, file->name);
	writer->header = *header;
	writer->keys = started->keys;
	return status;
}
