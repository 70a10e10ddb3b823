/* Raw mode: read → encrypt or decrypt → write, in segments, which are groups without pages (gcrypt(1), `--raw`). */
#include "gpucrypt/container/raw.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"

/* Segments are a multiple of every data unit, so that only the last one has ciphertext stealing or padding. */
#define SEGMENT_BYTES ((size_t)1 << RAW_SEGMENT_LOG2)

static const struct header segment_sizes = { .group_log2 = RAW_SEGMENT_LOG2, .chunk_log2 = 17 };

struct raw {
	struct source *source;
	struct sink *sink;
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct work work;      /* common to all segments */
	struct work decrypt;   /* common to all segments: the decryption that precedes an encryption */
	struct engine *before; /* the engine of this decryption; owned; NULL: the input is not decrypted first */
	bool padded;           /* ECB with PKCS#7 */
	bool by_pieces;        /* a thread computes each piece that it reads while the second-level cache has it */
	uint64_t size_bytes;   /* size of the selected input; UINT64_MAX: not known */
	const bool *wanted;    /* see struct raw_options */
	struct groups groups;  /* stored is a segment's length as read; after the engine, as written */
	uint64_t written_bytes;
};

/* Reject lengths that the mode does not have. */
static int check_length(const struct raw *raw, uint64_t n_bytes)
{
	const char *name = raw->source->name;
	uint64_t unit = UINT64_C(1) << raw->work.unit_log2;
	const struct mode *mode = raw->suite.mode;

	if (mode->has_tweaks && n_bytes % unit > 0 && n_bytes % unit < BLOCK_BYTES)
		return fail(GPUCRYPT_USAGE,
		        "%s: %" PRIu64 " bytes leave a last sector of %" PRIu64 ": XTS needs at least 16 bytes in it",
		        name, n_bytes, n_bytes % unit);
	if (!mode->pads || n_bytes % BLOCK_BYTES == 0)
		return GPUCRYPT_OK;
	if (!raw->padded)
		return fail(GPUCRYPT_USAGE, "%s: %" PRIu64 " bytes: ECB without padding needs a multiple of 16", name,
		        n_bytes);
	if (raw->suite.direction == DECRYPT)
		return fail(GPUCRYPT_CORRUPT,
		        "%s: %" PRIu64 " bytes: ECB ciphertext is a multiple of 16 bytes: truncated?", name, n_bytes);
	return GPUCRYPT_OK;
}

/* PKCS#7 (RFC 5652, 6.3): 1 to 16 bytes with their number as value. */
static void add_padding(struct group *segment)
{
	size_t n = BLOCK_BYTES - segment->stored % BLOCK_BYTES;

	memset(segment->payload + segment->stored, (int)n, n);
	segment->stored += n;
}

/* Not constant-time: raw mode authenticates nothing, so an attacker learns no more from the time than from the output.
 * */
static int remove_padding(const struct raw *raw, struct group *segment)
{
	const uint8_t *end = segment->payload + segment->stored;
	size_t n = segment->stored > 0 ? end[-1] : 0;
	bool good = n >= 1 && n <= BLOCK_BYTES;

	for (size_t i = 1; good && i <= n; i++)
		good = *(end - i) == n;
	if (!good)
		return fail(GPUCRYPT_CORRUPT, "%s: bad padding: wrong key, or not ECB with PKCS#7", raw->source->name);
	segment->stored -= n;
	return GPUCRYPT_OK;
}

/* The work on the bytes of a segment from `at` on. */
static struct work segment_work(const struct work *common, const struct group *segment, uint64_t item, size_t at)
{
	struct work work = *common;

	work.slot = at == 0 ? segment->slot : NULL;
	work.in = work.out = segment->payload + at;
	work.n_bytes = segment->stored - at;
	work.first_block = (item * SEGMENT_BYTES + at) / BLOCK_BYTES;
	return work;
}

static int crypt_bytes(const struct raw *raw, unsigned worker, struct group *segment, uint64_t item, size_t at)
{
	bool ends_padded = raw->padded && segment->last;
	struct recryption both = { .alone = raw->before == NULL };
	int status = GPUCRYPT_OK;

	if (ends_padded && raw->suite.direction == ENCRYPT)
		add_padding(segment);
	both.decrypt = segment_work(&raw->decrypt, segment, item, at);
	both.encrypt = segment_work(&raw->work, segment, item, at);
	both.plain_bytes = segment->stored - at;
	if (both.plain_bytes > 0)
		status = recheck_recrypt(&raw->groups.recheck, worker, &both, item);
	group_find_bytes(segment);
	if (status == GPUCRYPT_OK && ends_padded && raw->suite.direction == DECRYPT)
		status = remove_padding(raw, segment);
	return status;
}

/* Read at most n bytes of a segment from `at` on. */
static int read_bytes(struct raw *raw, struct group *segment, uint64_t item, size_t at, size_t n)
{
	struct lookahead *input = &raw->input;
	int status = lookahead_read(
	        input, item * SEGMENT_BYTES + at, segment->payload + at, n, &segment->stored, &segment->last);

	segment->stored += at;
	if (status != GPUCRYPT_OK || !segment->last)
		return status;
	if (segment->stored == 0 && item > 0) /* the segment before was the last one, and has checked the length */
		return PIPELINE_LAST;
	if (raw->size_bytes != UINT64_MAX && input->read_bytes < raw->size_bytes)
		return fail(GPUCRYPT_IO, "%s: ended after %" PRIu64 " bytes, but the length is %" PRIu64,
		        raw->source->name, input->read_bytes, raw->size_bytes);
	return check_length(raw, input->read_bytes);
}

/* Threads also take segments behind the last one, which the array does not have. */
static bool is_wanted(const struct raw *raw, uint64_t item)
{
	return raw->wanted == NULL || (item + 1) * SEGMENT_BYTES >= raw->size_bytes || raw->wanted[item];
}

static int read_segment(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct raw *raw = job;
	struct group *segment = &raw->groups.group[slot];
	int status = groups_take_slot(&raw->groups, slot);
	size_t piece = raw->by_pieces ? group_piece_bytes(segment) : SEGMENT_BYTES,
	       end = is_wanted(raw, item) ? SEGMENT_BYTES : 0;

	segment->last = false;
	segment->stored = 0;
	for (size_t at = 0; status == GPUCRYPT_OK && at < end && !segment->last; at += piece)
		status = read_bytes(raw, segment, item, at, piece)
		                 ?: (raw->by_pieces ? crypt_bytes(raw, worker, segment, item, at) : GPUCRYPT_OK);
	/* After a failure it is not known how many bytes were read: the whole slot counts as used. */
	ring_use(&raw->groups.ring, slot,
	        status > GPUCRYPT_OK ? SIZE_MAX : PAGE_BYTES + segment->stored + 2 * BLOCK_BYTES);
	return status == GPUCRYPT_OK && segment->last ? PIPELINE_LAST : status;
}

static int crypt_segment(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	const struct raw *raw = job;

	return crypt_bytes(raw, worker, &raw->groups.group[slot], item, 0);
}

static int write_segment(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct raw *raw = job;
	const struct group *segment = &raw->groups.group[slot];

	(void)worker;
	if (segment->stored == 0)
		return GPUCRYPT_OK;
	return raw->sink->write(raw->sink, segment->payload, segment->stored, item << RAW_SEGMENT_LOG2);
}

static int report_segment(void *job, unsigned worker, unsigned slot, uint64_t item)
{
	struct raw *raw = job;

	(void)worker;
	raw->written_bytes = (item << RAW_SEGMENT_LOG2) + raw->groups.group[slot].stored;
	return report_progress(raw->progress, raw->written_bytes, raw->size_bytes);
}

/* XTS: iv_start is a number of sectors of 512 bytes for every size of data units (plain64 of dm-crypt), or of data
 * units with iv_large_sectors. */
static int set_tweaks(struct raw *raw, const struct raw_options *options)
{
	unsigned sector = options->sector_bytes != 0 ? options->sector_bytes : 512;
	unsigned sectors = sector / 512;

	if (sector != 512 && sector != 1024 && sector != 2048 && sector != 4096)
		return fail(GPUCRYPT_USAGE, "unknown sector size %u (choose from: 512, 1024, 2048, 4096)", sector);
	raw->work.unit_log2 = (unsigned)__builtin_ctz(sector);
	raw->work.tweak_step = options->iv_large_sectors ? 1 : sectors;
	if (options->have_iv == options->have_iv_start)
		return fail(GPUCRYPT_USAGE, options->have_iv
		                                    ? "an IV and a first sector number: XTS needs one of them"
		                                    : "XTS needs the number of the first sector or an IV of 32 "
		                                      "hexadecimal digits");
	if (options->have_iv) {
		memcpy(raw->work.iv, options->iv, sizeof raw->work.iv);
		return GPUCRYPT_OK;
	}
	if (options->iv_large_sectors && options->iv_start % sectors != 0)
		return fail(GPUCRYPT_USAGE,
		        "first sector %" PRIu64 ": for data units of %u bytes it must "
		        "be a multiple of %u",
		        options->iv_start, sector, sectors);
	store_le64(raw->work.iv, options->iv_large_sectors ? options->iv_start / sectors : options->iv_start);
	return GPUCRYPT_OK;
}

/* CTR counts from an IV; ECB takes none. */
static int set_iv(struct raw *raw, const struct raw_options *options)
{
	const struct mode *mode = raw->suite.mode;

	if (options->have_iv_start || options->sector_bytes != 0 || options->iv_large_sectors)
		return fail(GPUCRYPT_USAGE, "%s has no sectors", mode->name);
	if (mode->takes_iv && !options->have_iv)
		return fail(GPUCRYPT_USAGE, "%s needs an IV of 32 hexadecimal digits", mode->name);
	if (!mode->takes_iv && options->have_iv)
		return fail(GPUCRYPT_USAGE, "%s takes no IV", mode->name);
	memcpy(raw->work.iv, options->iv, mode->takes_iv ? sizeof raw->work.iv : 0);
	return GPUCRYPT_OK;
}

static int check_key(const struct raw *raw, const struct raw_options *options)
{
	const struct suite *suite = &raw->suite;
	size_t k = suite->key_bytes, needed = k * suite->mode->n_keys;

	if (options->key == NULL || options->key_length != needed)
		return fail(GPUCRYPT_USAGE,
		        "%s-%zu-%s needs a key of %zu bytes (%zu hexadecimal "
		        "digits), not %zu",
		        suite->cipher->name, 8 * k, suite->mode->name, needed, 2 * needed,
		        options->key != NULL ? options->key_length : 0);
	/* IEEE 1619 asks for independent keys; equal ones lose what makes XTS secure. */
	if (suite->mode->n_keys == 2 && suite->direction == ENCRYPT && !options->allow_weak_key &&
	        CRYPTO_memcmp(options->key, options->key + k, k) == 0)
		return fail(GPUCRYPT_USAGE, "both halves of the XTS key are equal: that is weak");
	return GPUCRYPT_OK;
}

static int select_input(struct raw *raw, const struct raw_options *options)
{
	uint64_t size = raw->source->size_bytes, offset = options->offset, length = options->length;

	raw->size_bytes = length;
	raw->wanted = options->wanted;
	if (size != UINT64_MAX) {
		if (offset > size || (length != UINT64_MAX && length > size - offset))
			return fail(GPUCRYPT_USAGE, "%s: offset and length are outside its %" PRIu64 " bytes",
			        raw->source->name, size);
		if (length == UINT64_MAX)
			raw->size_bytes = size - offset;
	}
	raw->input = (struct lookahead){ .source = raw->source,
		.limit_bytes = length,
		.expected_bytes = size != UINT64_MAX ? raw->size_bytes : UINT64_MAX };
	return raw->size_bytes != UINT64_MAX ? check_length(raw, raw->size_bytes) : GPUCRYPT_OK;
}

static int check_options(struct raw *raw, const struct raw_options *options)
{
	const struct mode *mode = raw->suite.mode;
	int status = check_key(raw, options) ?: (mode->has_tweaks ? set_tweaks(raw, options) : set_iv(raw, options));

	if (status == GPUCRYPT_OK && options->no_padding && !mode->pads)
		status = fail(GPUCRYPT_USAGE, "%s has no padding", mode->name);
	raw->padded = mode->pads && !options->no_padding;
	raw->work.key = options->key;
	return status ?: select_input(raw, options);
}

/* Least length of the output; UINT64_MAX: not known.  PKCS#7 adds 1 to 16 bytes. */
static uint64_t output_bytes(const struct raw *raw)
{
	uint64_t n = raw->size_bytes;

	if (!raw->padded || n == UINT64_MAX)
		return n;
	if (raw->suite.direction == ENCRYPT)
		return n / BLOCK_BYTES * BLOCK_BYTES + BLOCK_BYTES;
	return n > BLOCK_BYTES ? n - BLOCK_BYTES : 0;
}

static int crypt_segments(struct raw *raw, const struct gpucrypt_plan *plan, uint64_t offset, struct report *report)
{
	struct engine *engine = raw->groups.engine;
	unsigned readers =
	        lookahead_readers(&raw->input, offset, read_threads(plan, engine_devices(engine), SEGMENT_BYTES));
	bool by_pieces = raw->input.by_pieces && engine_on_cpu(engine);
	const struct stage stages[] = {
		{ "read", by_pieces ? NULL : read_segment, readers },
		{ "engine", by_pieces ? read_segment : crypt_segment, engine->lanes },
		{ "write", write_segment, 1 },
		{ "report", report_segment, 1 },
	};
	struct items all = { .first = 0 };
	/* A second segment for each lane, so that a slow lane does not delay the others. */
	unsigned waiting = by_pieces ? engine->lanes : readers;
	int status = groups_prepare(&raw->groups, waiting + engine->lanes + 1, &segment_sizes, raw->size_bytes, plan);

	raw->by_pieces = by_pieces;
	report_engine(report, engine);
	if (status == GPUCRYPT_OK)
		status = pipeline_run(raw, stages, sizeof stages / sizeof *stages, raw->groups.ring.n_slots, &all);
	report_items(report, &all);
	return status ?: lookahead_finish(&raw->input);
}

int raw_check(struct source *source, const struct suite *suite, const struct raw_options *options)
{
	struct raw raw = { .source = source, .suite = *suite };

	return check_options(&raw, options);
}

static int open_engines(struct raw *raw, const struct gpucrypt_plan *plan, const struct raw_before *before)
{
	struct gpucrypt_plan first;
	struct engine *engine = NULL;
	int status;

	if (before == NULL) {
		status = engine_open(&engine, &raw->suite, plan);
	} else {
		first = plan_before(before->plan, plan);
		status = engine_open(&raw->before, before->suite, &first)
		                 ?: engine_open_after(&engine, &raw->suite, plan, &raw->before);
	}
	raw->groups.engine = engine;
	return status;
}

static int check_before(struct raw *raw, const struct raw_before *before)
{
	struct raw first = { .source = raw->source, .suite = *before->suite };
	int status = check_options(&first, before->options);

	if (status == GPUCRYPT_OK && (raw->padded || first.padded))
		status = fail(GPUCRYPT_USAGE, "padding: not from one key to another");
	raw->decrypt = first.work;
	return status;
}

int raw_crypt(struct source *source, struct sink *sink, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct raw_options *options, const struct gpucrypt_progress *progress, struct report *report)
{
	struct raw raw = { .source = source, .sink = sink, .progress = progress, .suite = *suite };
	struct report unused = { 0 };
	int status = check_options(&raw, options);

	report = report != NULL ? report : &unused;
	*report = (struct report){ 0 };
	if (status == GPUCRYPT_OK && options->before != NULL)
		status = check_before(&raw, options->before);
	if (status == GPUCRYPT_OK)
		status = sink_admits(sink, output_bytes(&raw));
	if (status == GPUCRYPT_OK && options->offset > 0)
		status = source_skip(source, options->offset);
	status = status
	                 ?: open_engines(&raw, plan, options->before)
	                 ?: crypt_segments(&raw, plan, options->offset, report);
	report->plaintext_bytes = raw.suite.direction == ENCRYPT ? raw.input.read_bytes : raw.written_bytes;
	lookahead_close(&raw.input);
	groups_close(&raw.groups);
	engine_close(raw.before);
	return status;
}
