/* What can be known of a container without decrypting it: its header, and each group's key. */
#include "gpucrypt/container/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/container/detached.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/status.h"

static int short_header(const struct source *source)
{
	return fail(GPUCRYPT_CORRUPT, "%s: not a gcrypt container: too short for its header", source->name);
}

static int read_copies(struct source *source, uint8_t copies[2 * HEADER_COPY_BYTES])
{
	size_t got;
	int status = source_read(source, copies, 2 * HEADER_COPY_BYTES, &got);

	if (status == GPUCRYPT_OK && got < 2 * HEADER_COPY_BYTES)
		status = short_header(source);
	return status;
}

int container_examine(struct source *source, struct examined_header *examined)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	int status = read_copies(source, copies);

	if (status != GPUCRYPT_OK)
		return status;
	status = header_examine(examined, copies);
	return status == GPUCRYPT_OK ? status : failed_in(source, status);
}

static int unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	int status = header_unlock(header, keys, copies, secret);

	return status == GPUCRYPT_OK ? status : failed_in(source, status);
}

int container_unlock(struct source *source, struct authenticated_header *header, struct file_keys *keys,
        const struct gpucrypt_secret *secret)
{
	uint8_t copies[2 * HEADER_COPY_BYTES];
	int status = read_copies(source, copies);

	return status == GPUCRYPT_OK ? unlock(source, header, keys, copies, secret) : status;
}

struct suite header_suite(const struct authenticated_header *header, enum direction direction)
{
	return (struct suite){ .cipher = cipher_by_id(header->header.cipher_id),
		.mode = mode_by_id(header->header.mode_id),
		.key_bytes = header->header.key_bytes,
		.direction = direction };
}

int container_begin(struct source *source, const struct sink *sink, const struct gpucrypt_secret *secret,
        struct authenticated_header *header, struct file_keys *keys, struct suite *suite, struct report *report)
{
	int status = container_unlock(source, header, keys, secret);

	if (status != GPUCRYPT_OK)
		return status;
	if (report != NULL)
		snprintf(report->header_note, sizeof report->header_note, "%s", header->copies.note);
	*suite = header_suite(header, DECRYPT);
	status = detached_source_lay(source, &header->header);
	if (status == GPUCRYPT_OK)
		status = detached_source_check(source);
	if (status == GPUCRYPT_OK && sink != NULL && sink->one_content && sink->content != header->header.content)
		status = fail(GPUCRYPT_CORRUPT, "%s: its content is not what the output was created for", source->name);
	return status;
}

/* Read and authenticate one page, and report the group. */
static int visit_group(struct source *source, const struct header *header, const struct file_keys *keys,
        uint64_t number, bool *final, int (*visit)(void *self, const struct group_report *group), void *self)
{
	const struct mode *mode = mode_by_id(header->mode_id);
	uint64_t offset = group_offset(header, number);
	struct group_report report = { .group = number, .offset = offset + PAGE_BYTES };
	uint8_t bytes[PAGE_BYTES];
	struct group group = { .bytes = bytes };
	int status = source_read_at(source, bytes, sizeof bytes, offset);

	if (status == GPUCRYPT_OK)
		status = group_open_page(&group, source, header, keys, number);
	if (status != GPUCRYPT_OK)
		goto done;
	*final = (group.page.flags & PAGE_FINAL) != 0;
	report.n_bytes = payload_bytes(group.page.n_bytes, mode->whole_blocks);
	report.key_bytes = header->key_bytes * mode->n_keys;
	memcpy(report.key, group.keys.cipher, report.key_bytes);
	status = visit(self, &report);
done:
	wipe(&group, sizeof group);
	wipe(&report, sizeof report);
	return status;
}

/* One key for all groups: the whole image is reported as one. */
static int visit_image(const struct header *header, const struct file_keys *keys,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	struct group_report report = { .n_bytes = header->plaintext_bytes,
		.key_bytes = header->key_bytes * mode_by_id(header->mode_id)->n_keys };
	int status;

	memcpy(report.key, keys->volume, report.key_bytes);
	status = visit(self, &report);
	wipe(&report, sizeof report);
	return status;
}

static int visit_groups(struct source *source, const struct header *header, const struct file_keys *keys, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	uint64_t number = only == UINT64_MAX ? 0 : only;
	uint64_t stride = group_offset(header, 1) - group_offset(header, 0);
	bool final = false;
	int status = GPUCRYPT_OK;

	if (header->layout == LAYOUT_DETACHED)
		return visit_image(header, keys, visit, self);
	if (only != UINT64_MAX && source->size_bytes != UINT64_MAX &&
	        (source->size_bytes <= PAGES_START || only > (source->size_bytes - PAGES_START - 1) / stride))
		return fail(GPUCRYPT_USAGE, "%s: it has no group %" PRIu64, source->name, only);
	do {
		status = visit_group(source, header, keys, number++, &final, visit, self);
	} while (status == GPUCRYPT_OK && only == UINT64_MAX && !final);
	return status;
}

int container_groups(struct source *source, const struct gpucrypt_secret *secret, uint64_t only,
        int (*visit)(void *self, const struct group_report *group), void *self)
{
	struct authenticated_header header;
	struct file_keys keys;
	uint8_t copies[2 * HEADER_COPY_BYTES];
	int status;

	if (source->size_bytes < sizeof copies)
		return short_header(source);
	status = source_read_at(source, copies, sizeof copies, 0);
	if (status == GPUCRYPT_OK)
		status = unlock(source, &header, &keys, copies, secret);
	if (status == GPUCRYPT_OK)
		status = visit_groups(source, &header.header, &keys, only, visit, self);
	wipe(&keys, sizeof keys);
	return status;
}
