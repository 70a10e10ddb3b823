#include "gpucrypt/container/parts/parts.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* Pages are small and far apart: each read waits for the storage's answer, so many are read at a time. */
#define PAGE_READERS 16
#define PAGE_SLOTS   64

struct page_slot {
	uint8_t bytes[PAGE_BYTES];
	struct group group;
	bool good;
};

struct pass_run {
	struct page_pass *pass;
	struct page_slot *slots; /* locked, wiped */
	uint64_t n_groups;
	struct running_hmac root, digest; /* of all parts, of this part */
	uint64_t part, end;               /* number of this part, and its last group + 1 */
	bool good;                        /* all pages of this part so far */
};

/* An earlier run may have stored the root. */
static int take_root(struct page_pass *pass, struct page_slot *at)
{
	memcpy(pass->stored, at->group.page.root, sizeof pass->stored);
	if (!pass->unrooted)
		return GPUCRYPT_OK;
	memset(at->group.page.root, 0, sizeof at->group.page.root);
	page_encode(at->bytes, &at->group.page);
	return page_seal(at->bytes, &at->group.keys);
}

/* Is it the page of this group, and is the group's payload within the file? */
static bool fits(const struct group_reader *reader, const struct page *page, uint64_t group, bool last)
{
	const struct header *header = &reader->header.header;
	uint64_t payload = payload_bytes(page->n_bytes, mode_by_id(header->mode_id)->whole_blocks);

	return ((page->flags & PAGE_FINAL) != 0) == last &&
	       page->n_bytes == layout_group_bytes(header->group_log2, reader->plaintext_bytes, group) &&
	       layout_page_offset(header->group_log2, group) + PAGE_BYTES + payload <= reader->source->size_bytes;
}

/* A page that was never written is no failure: its part is missing. */
static int read_page(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct pass_run *run = job;
	const struct group_reader *reader = run->pass->reader;
	struct page_slot *at = &run->slots[slot];
	bool last = item + 1 == run->n_groups;
	int status;

	(void)worker;
	at->group.bytes = at->bytes;
	status = reader_read_page(reader, &at->group, item);
	at->good = status == GPUCRYPT_OK && fits(reader, &at->group.page, item, last);
	if (status == GPUCRYPT_CORRUPT) {
		fail_clear();
		status = GPUCRYPT_OK;
	}
	if (at->good && last)
		status = take_root(run->pass, at);
	return status == GPUCRYPT_OK && last ? PIPELINE_LAST : status;
}

static int start_part(struct pass_run *run)
{
	const struct page_pass *pass = run->pass;

	run->good = true;
	run->end = layout_part_start(pass->reader->header.header.group_log2, run->n_groups, ++run->part,
	        pass->parts.count, pass->parts.align);
	running_hmac_free(&run->digest);
	return running_hmac_start(&run->digest, pass->reader->keys.root);
}

void part_list_add(char list[PART_LIST_BYTES], uint64_t number)
{
	size_t used = strlen(list);

	if (used + 32 < PART_LIST_BYTES)
		snprintf(list + used, PART_LIST_BYTES - used, "%s%" PRIu64, used > 0 ? ", " : "", number);
	else if (list[used - 1] != '.')
		snprintf(list + used, PART_LIST_BYTES - used, ", ...");
}

static int finish_part(struct pass_run *run)
{
	struct page_pass *pass = run->pass;
	struct part_done done = { .number = run->part };
	int status = running_hmac_finish(&run->digest, done.digest);

	if (status == GPUCRYPT_OK && run->good && pass->compare != NULL)
		status = pass->compare(pass->self, &done, &run->good);
	if (status == GPUCRYPT_OK && !run->good) {
		part_list_add(pass->missing, run->part);
		pass->n_missing++;
	}
	return status;
}

/* Complete this part, and start the next one if there is one. */
static int next_part(struct pass_run *run)
{
	int status = finish_part(run);

	return status == GPUCRYPT_OK && run->part < run->pass->parts.count ? start_part(run) : status;
}

/* The parts after the last group are empty. */
static int finish_pass(struct pass_run *run)
{
	int status = running_hmac_finish(&run->root, run->pass->root);

	while (status == GPUCRYPT_OK && run->part < run->pass->parts.count)
		status = next_part(run);
	return status ?: finish_part(run);
}

static int add_page(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct pass_run *run = job;
	const struct page_slot *at = &run->slots[slot];
	const uint8_t *mac = at->bytes + PAGE_MAC;
	bool last = item + 1 == run->n_groups;
	int status = GPUCRYPT_OK;

	(void)worker;
	while (status == GPUCRYPT_OK && item == run->end)
		status = next_part(run);
	run->good &= at->good;
	run->pass->authentic &= at->good;
	status = status ?: running_hmac_add(&run->digest, mac, MAC_BYTES);
	if (status == GPUCRYPT_OK && !last)
		status = running_hmac_add(&run->root, mac, MAC_BYTES);
	if (status != GPUCRYPT_OK || !last)
		return status;
	memcpy(run->pass->final, at->bytes, PAGE_BYTES);
	return finish_pass(run);
}

int page_pass_run(struct page_pass *pass)
{
	const struct group_reader *reader = pass->reader;
	static const struct stage stages[] = { { "read", read_page, PAGE_READERS }, { "check", add_page, 1 } };
	struct pass_run run = { .pass = pass,
		.slots = locked_allocate(PAGE_SLOTS * sizeof *run.slots),
		.n_groups = layout_groups(reader->header.header.group_log2, reader->plaintext_bytes) };
	struct items all = { .alone = run.n_groups == 1 };
	int status = running_hmac_start(&run.root, reader->keys.root);

	pass->authentic = true;
	memset(pass->stored, 0, sizeof pass->stored);
	pass->n_missing = 0;
	pass->missing[0] = '\0';
	if (status == GPUCRYPT_OK && run.slots == NULL)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	status = status
	                 ?: start_part(&run)
	                 ?: pipeline_run(&run, stages, sizeof stages / sizeof *stages, PAGE_SLOTS, &all);
	running_hmac_free(&run.root);
	running_hmac_free(&run.digest);
	locked_free(run.slots, PAGE_SLOTS * sizeof *run.slots);
	return status;
}

bool page_pass_rooted(const struct page_pass *pass)
{
	return pass->authentic && CRYPTO_memcmp(pass->stored, pass->root, MAC_BYTES) == 0;
}

int page_pass_check_root(const struct page_pass *pass, struct report *report)
{
	if (!page_pass_rooted(pass))
		return fail(GPUCRYPT_CORRUPT, "%s: the root is wrong: groups of another version",
		        pass->reader->source->name);
	report_digest(report, pass->final + PAGE_MAC);
	return GPUCRYPT_OK;
}

/* Reading ranges of groups. */

void part_reader_describe(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes)
{
	reader->header = *header;
	reader->keys = *keys;
	reader->plaintext_bytes = plaintext_bytes;
	reader->suite = header_suite(header, DECRYPT);
	reader->partial = true;
}

int part_reader_run(struct group_reader *reader, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report)
{
	unsigned group_log2 = reader->header.header.group_log2;
	uint64_t to = end << group_log2;

	reader->from = first << group_log2;
	reader->to = to < reader->plaintext_bytes ? to : reader->plaintext_bytes;
	return first < end ? reader_run(reader, plan, first, report)
	                   : hmac_sha256(reader->digest, reader->keys.root, NULL, 0);
}

/* The part that was read, and the digest of its pages. */
struct part_read {
	uint64_t number;
	const uint8_t *digest;
};

/* Only this run's part is compared; the runs that read the other parts compare those. */
static int compare_own(void *self, const struct part_done *part, bool *good)
{
	const struct part_read *read = self;

	*good = part->number != read->number || memcmp(part->digest, read->digest, MAC_BYTES) == 0;
	return GPUCRYPT_OK;
}

int part_check_pages(struct group_reader *reader, const struct part_number *part, uint64_t align)
{
	struct part_read read = { part->number, reader->digest };
	struct page_pass pass = { .reader = reader,
		.parts = { .count = part->count, .align = align },
		.compare = compare_own,
		.self = &read };
	int status = page_pass_run(&pass);

	if (status == GPUCRYPT_OK && pass.n_missing > 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: corrupt: pages of part %s", reader->source->name, pass.missing);
	status = status ?: page_pass_check_root(&pass, &(struct report){ 0 });
	if (status == GPUCRYPT_OK && memcmp(pass.final + PAGE_MAC, reader->final_mac, MAC_BYTES) != 0)
		status = fail(GPUCRYPT_IO, "%s: changed while it was read", reader->source->name);
	return status;
}

int part_read(struct group_reader *reader, const struct part_number *part, const struct gpucrypt_plan *plan,
        struct report *report)
{
	uint64_t first,
	        end = part_end(&first, reader->header.header.group_log2, reader->plaintext_bytes, part, PAGE_BYTES);
	int status = part_reader_run(reader, first, end, plan, report);

	report->plaintext_bytes = reader->to - reader->from;
	status = status ?: part_check_pages(reader, part, PAGE_BYTES);
	if (status == GPUCRYPT_OK)
		report_digest(report, reader->final_mac);
	return status;
}

int container_verify_part(struct source *source, const struct part_number *part, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report)
{
	struct group_reader reader = reader_of(source, NULL, progress);
	int status;

	*report = (struct report){ 0 };
	status = range_begin(&reader, secret, report)
	                 ?: reader_open_engine(&reader, plan, NULL)
	                 ?: part_read(&reader, part, plan, report);
	if (status == GPUCRYPT_OK && header_needs_repair(&reader.header.copies))
		status = fail(GPUCRYPT_CORRUPT, "%s: %s", source->name, reader.header.copies.note);
	reader_close(&reader);
	return status;
}
