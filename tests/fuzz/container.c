/* Decrypting, authenticating and salvaging whole containers under a known key.  MACs, tags and
 * roots are made right where the input says so, so that what only they keep out is tried too. */
#include "tests/fuzz/compact.h"

#include "gpucrypt/container/container.h"

#define MAX_BYTES ((size_t)1 << 17)

/* Flags of a group, beside those of its page. */
#define TAGGED 4 /* its chunks have right tags */
#define ROOTED 8 /* its root is that of the groups before */

struct counted {
	struct sink sink;
	uint64_t n_bytes;
};

static int count(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct counted *counted = (struct counted *)self;

	(void)bytes;
	MUST(offset == counted->n_bytes && n_bytes > 0);
	counted->n_bytes += n_bytes;
	return GPUCRYPT_OK;
}

/* A container on its way. */
struct draft {
	uint8_t *bytes; /* MAX_BYTES */
	size_t n_bytes;
	struct file_keys keys;
	struct running_hmac root;
};

static void put_tags(
        uint8_t *page, const struct group_keys *keys, const uint8_t *payload, size_t n_bytes, unsigned chunk_log2)
{
	uint8_t tags[MAX_CHUNKS][TAG_BYTES] = { 0 };

	if (n_bytes <= (size_t)MAX_CHUNKS << chunk_log2 &&
	        tags_compute(tags, keys, payload, n_bytes, chunk_log2) == GPUCRYPT_OK)
		memcpy(page + 128, tags, sizeof tags);
	fail_clear();
}

/* A page, the length of its payload, and of that the first 16 bytes. */
static void add_group(struct draft *draft, struct fuzz_input *input, uint64_t number)
{
	uint8_t *page = draft->bytes + draft->n_bytes, *payload = page + PAGE_BYTES;
	unsigned flags, chunk_log2 = draft->bytes[16] % 32;
	struct group_keys keys;
	size_t n_bytes;

	compact_page(input, page, &flags);
	n_bytes = take_pair(input) % 20000;
	take(input, payload, 16);
	memset(payload + 16, payload[15], n_bytes);
	MUST(group_keys_derive(&keys, &draft->keys, number, page + PAGE_SALT) == GPUCRYPT_OK);
	if ((flags & TAGGED) != 0)
		put_tags(page, &keys, payload, n_bytes, chunk_log2);
	if ((flags & ROOTED) != 0)
		MUST(running_hmac_finish(&draft->root, page + 64) == GPUCRYPT_OK);
	if ((flags & COMPACT_SEALED) != 0)
		MUST(page_seal(page, &keys) == GPUCRYPT_OK);
	if ((flags & ROOTED) == 0)
		MUST(running_hmac_add(&draft->root, page + PAGE_MAC, MAC_BYTES) == GPUCRYPT_OK);
	draft->n_bytes += PAGE_BYTES + n_bytes;
}

static void make(struct draft *draft, struct fuzz_input *input)
{
	unsigned n_groups = 1 + take_byte(input) % 4;
	bool two = (take_byte(input) & 1) != 0;
	uint64_t number = 0;

	compact_copy(input, draft->bytes);
	if (two)
		compact_copy(input, draft->bytes + HEADER_COPY_BYTES);
	else
		memcpy(draft->bytes + HEADER_COPY_BYTES, draft->bytes, HEADER_COPY_BYTES);
	draft->n_bytes = PAGES_START;
	MUST(file_keys_derive(&draft->keys, known_file_key, draft->bytes) == GPUCRYPT_OK);
	MUST(running_hmac_start(&draft->root, draft->keys.root) == GPUCRYPT_OK);
	while (number < n_groups)
		add_group(draft, input, number++);
	running_hmac_free(&draft->root);
	draft->n_bytes -= input->n_bytes < draft->n_bytes ? input->n_bytes % 4100 : 0; /* cut */
}

static int visit(void *self, const struct group_report *group)
{
	(void)self;
	MUST(group->key_bytes >= 16 && group->key_bytes <= sizeof group->key);
	return GPUCRYPT_OK;
}

static void visit_damage(void *self, const struct damage *damage)
{
	(void)self;
	MUST(damage->reason != NULL && damage->reason[0] != '\0');
}

static void as_file(struct source *source, int fd)
{
	MUST(lseek(fd, 0, SEEK_SET) == 0 && source_open(source, fd, "x.gcr") == GPUCRYPT_OK);
}

static void as_pipe(struct source *source, const struct draft *draft)
{
	source_open_memory(source, draft->bytes, draft->n_bytes, draft->n_bytes);
}

/* In one way and another: what decrypts verifies, but for header copies, and is whole to salvage.
 */
static void read_all(const struct draft *draft, int fd)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct counted out = { .sink.write = count }, kept = { .sink.write = count };
	struct salvaged salvaged = { 0 };
	struct report report;
	struct examined_header state;
	struct source source;
	bool decrypts, salvages;

	as_pipe(&source, draft);
	succeeded(container_examine(&source, &state));
	as_pipe(&source, draft);
	decrypts = succeeded(container_decrypt(&source, &out.sink, &plan, &known_secret, NULL, NULL));
	as_pipe(&source, draft);
	if (succeeded(container_decrypt(&source, NULL, &plan, &known_secret, NULL, NULL)))
		MUST(decrypts);
	as_file(&source, fd);
	succeeded(container_groups(&source, &known_secret, UINT64_MAX, visit, NULL));
	as_file(&source, fd);
	salvages = succeeded(container_salvage(
	        &source, &kept.sink, &plan, &known_secret, NULL, &report, &salvaged, visit_damage, NULL));
	MUST(!decrypts || salvages);
	MUST(!decrypts || (salvaged.n_damages == 0 && kept.n_bytes == out.n_bytes));
	MUST(salvaged.good_bytes <= salvaged.plaintext_bytes);
	MUST(kept.n_bytes <= draft->n_bytes);
}

#define MAX_GROUP_LOG2 18

static bool small(const uint8_t copy[HEADER_COPY_BYTES])
{
	return copy[17] <= MAX_GROUP_LOG2;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t memory[MAX_BYTES + 4096];
	struct fuzz_input input = { bytes, n_bytes };
	struct draft draft = { .bytes = memory };
	char name[32];
	int fd;

	make(&draft, &input);
	if (!small(memory) || !small(memory + HEADER_COPY_BYTES))
		return 0;
	fd = memory_file(memory, draft.n_bytes, name);
	read_all(&draft, fd);
	close(fd);
	return 0;
}
