#include "gpucrypt/container/parts/parts.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

static int fail_unstarted(const struct join *join)
{
	return fail(GPUCRYPT_EXISTS, "%s: not joined: it has no start record for parts of this passphrase or key file",
	        join->file->name);
}

static int unlock_file(struct join *join)
{
	struct started *started = &join->started;
	const struct header *header = &started->header.header;
	bool there = false;
	int status = started_open(started, &there, join->file, join->secret, NULL, START_PARTS);

	if (status == GPUCRYPT_OK && !there)
		status = fail(GPUCRYPT_CORRUPT, "%s: has no header", join->file->name);
	if (status != GPUCRYPT_OK)
		return status;
	if (started->record == START_OTHER || header->layout != LAYOUT_INLINE ||
	        header->plaintext_bytes == LENGTH_UNKNOWN)
		return fail_unstarted(join);
	join->reader.header = started->header;
	join->reader.keys = started->keys;
	join->reader.plaintext_bytes = header->plaintext_bytes;
	return GPUCRYPT_OK;
}

int join_open(struct join *join, struct source *file, const struct gpucrypt_secret *secret)
{
	*join = (struct join){ .file = file, .secret = secret, .reader = reader_of(file, NULL, NULL) };
	join->pass = (struct page_pass){ .reader = &join->reader, .unrooted = true };
	return unlock_file(join);
}

void join_close(struct join *join)
{
	started_close(&join->started);
	reader_close(&join->reader);
}

static const uint8_t *start_record_of(const struct join *join)
{
	return join->started.copies + HEADER_COPY_BYTES;
}

static bool is_started(const struct join *join)
{
	return join->started.record == START_OWN;
}

uint64_t join_count(const struct join *join)
{
	return is_started(join) ? start_record_parts(start_record_of(join)).count : 0;
}

bool join_source_time(const struct join *join, struct timespec *time)
{
	const struct start_parts parts = start_record_parts(start_record_of(join));

	*time = start_record_time(start_record_of(join));
	return is_started(join) && all_zero(parts.version, sizeof parts.version);
}

/* The record must be the one that the run made of these pages, byte for byte. */
static int compare_record(void *self, const struct part_done *part, bool *good)
{
	struct join *join = self;
	const struct start_binding start = start_binding_of(&join->started.header, join->secret, NULL, START_PARTS);
	uint8_t stored[START_RECORD_BYTES], expected[START_RECORD_BYTES];
	int status = join->load(join->self, part->number, stored, good);

	if (status != GPUCRYPT_OK || !*good)
		return status;
	status = part_record_make(expected, start_record_of(join), &start, part);
	*good = status == GPUCRYPT_OK && CRYPTO_memcmp(stored, expected, sizeof stored) == 0;
	return status;
}

static int fail_missing(const struct join *join)
{
	const struct page_pass *pass = &join->pass;

	return fail(GPUCRYPT_CORRUPT, "%s: not joined: part%s %s of %" PRIu64 " %s missing or incomplete: run %s again",
	        join->file->name, pass->n_missing > 1 ? "s" : "", pass->missing, pass->parts.count,
	        pass->n_missing > 1 ? "are" : "is", pass->n_missing > 1 ? "them" : "it");
}

/* An earlier run that stored the root had all parts. */
int join_compare(struct join *join, const struct start_parts *parts,
        int (*compare)(void *self, const struct part_done *part, bool *good), void *self)
{
	int status;

	join->pass.parts = *parts;
	join->pass.compare = compare;
	join->pass.self = self;
	status = page_pass_run(&join->pass);
	return status == GPUCRYPT_OK && join->pass.n_missing > 0 && !page_pass_rooted(&join->pass) ? fail_missing(join)
	                                                                                           : status;
}

/* A file without a start record: did an earlier run complete it, all but its name? */
static int check_complete(struct join *join)
{
	int status;

	join->pass.parts = (struct start_parts){ .count = 1, .align = PAGE_BYTES };
	status = page_pass_run(&join->pass);
	if (status != GPUCRYPT_OK)
		return status;
	if (page_pass_rooted(&join->pass) && join->file->size_bytes == started_bytes(&join->started))
		return GPUCRYPT_OK;
	if (join->started.record == START_FOREIGN)
		return fail_unstarted(join);
	return fail(GPUCRYPT_CORRUPT, "%s: not joined: it has no start record, and is not a complete container",
	        join->file->name);
}

int join_check(struct join *join,
        int (*load)(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there), void *self)
{
	const struct start_parts parts = start_record_parts(start_record_of(join));

	join->load = load;
	join->self = self;
	return is_started(join) ? join_compare(join, &parts, compare_record, join) : check_complete(join);
}

static uint64_t final_page_offset(const struct join *join)
{
	unsigned group_log2 = join->started.header.header.group_log2;

	return layout_page_offset(group_log2, layout_groups(group_log2, join->reader.plaintext_bytes) - 1);
}

/* Is it a header copy of the parts' container?  A damaged one is none. */
static int authenticate_copy(bool *good, const struct join *join, const uint8_t copy[HEADER_COPY_BYTES])
{
	uint8_t mac[MAC_BYTES];
	int status = hmac_sha256(mac, join->started.keys.header, copy, HEADER_MAC);

	*good = status == GPUCRYPT_OK && memcmp(copy, join->started.header.bytes, HEADER_P_BYTES) == 0 &&
	        CRYPTO_memcmp(mac, copy + HEADER_MAC, sizeof mac) == 0;
	return status;
}

/* Its copies are equal to the header of the parts unless key slots have changed.  After rekey it has none. */
int join_check_replaced(const struct join *join, struct source *old)
{
	const struct start_parts parts = start_record_parts(start_record_of(join));
	const uint8_t *header = join->started.header.bytes;
	uint8_t copies[2][HEADER_COPY_BYTES] = { { 0 } }, mac[MAC_BYTES];
	bool same = true, own[2] = { false };
	int status = old->size_bytes < sizeof copies ? GPUCRYPT_OK : source_read_at(old, copies[0], sizeof copies, 0);

	for (size_t i = 0; i < 2 && status == GPUCRYPT_OK; i++) {
		status = authenticate_copy(&own[i], join, copies[i]);
		same &= !own[i] || memcmp(copies[i], header, sizeof copies[i]) == 0;
	}
	if (status == GPUCRYPT_OK && is_started(join) && parts.update && same && (own[0] || own[1])) {
		status = source_read_at(old, mac, sizeof mac, final_page_offset(join) + PAGE_MAC);
		same = status != GPUCRYPT_OK || memcmp(mac, parts.version, sizeof mac) == 0;
	} else if (is_started(join) && parts.update) {
		same = false;
	}
	return status != GPUCRYPT_OK || same ? status : start_record_changed(old, join->file->name);
}

/* The final page keeps its salt: its payload and tags stay. */
int join_store_root(struct join *join)
{
	struct source *file = join->file;
	uint8_t *final = join->pass.final;
	const struct header *header = &join->started.header.header;
	uint64_t last = layout_groups(header->group_log2, join->reader.plaintext_bytes) - 1;
	struct page page;
	struct group_keys keys;
	int status = page_unlock(&page, &keys, final, &join->reader.keys, last, header);

	memcpy(page.root, join->pass.root, sizeof page.root);
	if (status == GPUCRYPT_OK) {
		page_encode(final, &page);
		status = page_seal(final, &keys);
	}
	wipe(&keys, sizeof keys);
	return status ?: started_truncate(&join->started, file)
	              ?: fd_store(file->fd, file->name, final, PAGE_BYTES, final_page_offset(join));
}

int join_complete(struct join *join, struct report *report)
{
	struct source *file = join->file;

	report->plaintext_bytes = join->reader.plaintext_bytes;
	report_digest(report, join->pass.final + PAGE_MAC);
	return fd_store(file->fd, file->name, join->started.header.bytes, HEADER_COPY_BYTES, HEADER_COPY_BYTES);
}
