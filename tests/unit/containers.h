/* Containers in memory, for tests: descriptors of memory files as sources, a buffer as sink. */
#ifndef TESTS_UNIT_CONTAINERS_H
#define TESTS_UNIT_CONTAINERS_H

#include "tests/unit/values.h"
#include "tests/unit/cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/container/rekey.h"

/* Output that is kept; insists on ascending, adjacent ranges. */
struct buffer {
	struct sink sink;
	uint8_t *bytes; /* of the test */
	size_t n_bytes;
};

static inline int buffer_write(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct buffer *buffer = (struct buffer *)self;

	if (offset != buffer->n_bytes)
		return fail(GPUCRYPT_OTHER, "test: written at %llu", (unsigned long long)offset);
	buffer->bytes = kept_reallocate(buffer->bytes, buffer->n_bytes + n_bytes + 1);
	memcpy(buffer->bytes + buffer->n_bytes, bytes, n_bytes);
	buffer->n_bytes += n_bytes;
	return GPUCRYPT_OK;
}

static inline struct buffer buffer_make(void)
{
	return (struct buffer){ .sink = { .write = buffer_write } };
}

static inline void buffer_free(struct buffer *buffer)
{
	kept_free(buffer->bytes);
	*buffer = buffer_make();
}

/* A file in memory, positioned at its start. */
static inline int memory_file(const uint8_t *bytes, size_t n_bytes)
{
	int fd = kept_fd(memfd_create("container", 0));

	assert_int_equal(pwrite(fd, bytes, n_bytes, 0), n_bytes);
	return fd;
}

/* The reading end of a pipe with these bytes. */
static inline int filled_pipe(const void *bytes, size_t n_bytes)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, n_bytes), n_bytes);
	close(ends[1]);
	return kept_fd(ends[0]);
}

static inline uint8_t *plaintext_make(size_t n_bytes)
{
	uint8_t *bytes = kept_allocate(n_bytes + 1);
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < n_bytes; i += sizeof x) {
		x ^= x << 13; /* xorshift (Marsaglia 2003) */
		x ^= x >> 17;
		x ^= x << 5;
		memcpy(bytes + i, &x, n_bytes - i < sizeof x ? n_bytes - i : sizeof x);
	}
	return bytes;
}

/* A descriptor as input and as output of the public functions. */
#define FROM(descriptor) (&(const struct gpucrypt_source){ .fd = (descriptor) })
#define TO(descriptor)   (&(struct gpucrypt_sink){ .fd = (descriptor) })

static const uint8_t a_key[32] = { 1, 2, 3 };
static const struct gpucrypt_secret a_secret = { .type = GPUCRYPT_KEY_FILE, .bytes = a_key, .length = 32 };

static inline struct gpucrypt_plan plan_make(const char *cipher, const char *mode)
{
	return (struct gpucrypt_plan){ .cipher = value_of(&cipher_names, cipher),
		.mode = value_of(&mode_names, mode),
		.engine = GPUCRYPT_CPU,
		.threads = 1,
		.chunk_log2 = 12,
		.group_log2 = 12 };
}

static inline struct buffer bytes_of(const uint8_t *bytes, size_t n_bytes)
{
	return (struct buffer){ .bytes = (uint8_t *)(uintptr_t)bytes, .n_bytes = n_bytes };
}

static inline void assert_bytes(const struct buffer *buffer, const uint8_t *bytes, size_t n_bytes)
{
	assert_int_equal(buffer->n_bytes, n_bytes);
	if (n_bytes > 0)
		assert_memory_equal(buffer->bytes, bytes, n_bytes);
}

/* From one buffer to another, which begins anew. */
enum command { ENC, DEC, REKEY };

static inline int run_command(
        enum command command, const struct gpucrypt_plan *plan, const struct buffer *in, struct buffer *out)
{
	int fd = memory_file(in->bytes, in->n_bytes), status;
	struct authenticated_header old;
	struct source source;
	const struct rekey rekey = { .source = &source,
		.sink = &out->sink,
		.decrypt = plan,
		.encrypt = plan,
		.secret = &a_secret,
		.secrets = &a_secret };

	*out = buffer_make();
	assert_ok(source_open(&source, fd, command == ENC ? "plain" : "x.gcr"));
	if (command == ENC)
		status = container_encrypt(&source, &out->sink, plan, &a_secret, NULL, NULL);
	else if (command == DEC)
		status = container_decrypt(&source, &out->sink, plan, &a_secret, NULL, NULL);
	else
		status = container_rekey(&rekey, &old, NULL);
	kept_close(fd);
	return status;
}

static inline struct buffer encrypt_bytes(const struct gpucrypt_plan *plan, const uint8_t *bytes, size_t n_bytes)
{
	const struct buffer plain = bytes_of(bytes, n_bytes);
	struct buffer container;

	assert_ok(run_command(ENC, plan, &plain, &container));
	return container;
}

/* Decrypt what a descriptor has, a file from its start; without a buffer, only authenticate. */
static inline int decrypt_fd(int fd, struct buffer *plain, const struct gpucrypt_secret *secret, struct report *report)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct source source;

	if (plain != NULL)
		plain->n_bytes = 0;
	lseek(fd, 0, SEEK_SET);
	assert_ok(source_open(&source, fd, "x.gcr"));
	return container_decrypt(&source, plain != NULL ? &plain->sink : NULL, &plan, secret, NULL, report);
}

/* The container in fd decrypts to the plaintext, and verifies. */
static inline void assert_holds(int fd, const uint8_t *plaintext, size_t n_bytes)
{
	struct buffer plain = buffer_make();

	assert_ok(decrypt_fd(fd, &plain, &a_secret, NULL));
	assert_bytes(&plain, plaintext, n_bytes);
	assert_ok(decrypt_fd(fd, NULL, &a_secret, NULL));
	buffer_free(&plain);
}

static inline int decrypt(const uint8_t *bytes, size_t n_bytes, struct buffer *plain)
{
	int fd = memory_file(bytes, n_bytes), status = decrypt_fd(fd, plain, &a_secret, NULL);

	kept_close(fd);
	return status;
}

static inline int verify(const uint8_t *bytes, size_t n_bytes)
{
	return decrypt(bytes, n_bytes, NULL);
}

/* An owner of the file key can forge any container: these functions take a container apart and sign it again. */
struct forge {
	struct buffer container;
	struct authenticated_header state;
	struct file_keys keys;
	uint8_t file_key[FILE_KEY_BYTES];
};

static inline void forge_open(struct forge *forge, struct buffer container)
{
	const struct key_slot *slot = &forge->state.header.slots[0];

	forge->container = container;
	assert_ok(header_unlock(&forge->state, &forge->keys, container.bytes, &a_secret));
	assert_int_equal(key_slot_open(forge->file_key, slot, &a_secret, forge->state.header.file_salt, NULL), 0);
}

static inline uint8_t *forge_page_bytes(const struct forge *forge, uint64_t group)
{
	return forge->container.bytes + 16384 + group * (4096 + (1u << forge->state.header.group_log2));
}

static inline void forge_load(const struct forge *forge, uint64_t group, struct page *page, struct group_keys *keys)
{
	const struct header *header = &forge->state.header;
	uint8_t *bytes = forge_page_bytes(forge, group);

	assert_ok(group_keys_derive(keys, &forge->keys, group, bytes + 32));
	assert_int_equal(page_open(page, bytes, keys, group, header->group_log2, header->chunk_log2), 0);
}

static inline void forge_store(
        const struct forge *forge, uint64_t group, const struct page *page, const struct group_keys *keys)
{
	page_encode(forge_page_bytes(forge, group), page);
	assert_ok(page_seal(forge_page_bytes(forge, group), keys));
}

/* A chunk of group 0, of so many stored bytes, becomes a hole. */
static inline void forge_hole(const struct forge *forge, unsigned chunk, size_t n_bytes)
{
	struct group_keys keys;
	struct page page;

	forge_load(forge, 0, &page, &keys);
	page.flags |= PAGE_HOLES;
	page.holes[0] |= (uint8_t)(1 << chunk);
	memset(page.tags[chunk], 0, TAG_BYTES);
	memset(forge_page_bytes(forge, 0) + PAGE_BYTES + chunk * 4096, 0, n_bytes);
	forge_store(forge, 0, &page, &keys);
}

/* A right root in the final page. */
static inline void forge_root(const struct forge *forge, uint64_t final)
{
	struct running_hmac root = { NULL };
	struct group_keys keys;
	struct page page;

	assert_ok(running_hmac_start(&root, forge->keys.root));
	for (uint64_t group = 0; group < final; group++)
		running_hmac_add(&root, forge_page_bytes(forge, group) + 4064, 32);
	forge_load(forge, final, &page, &keys);
	running_hmac_finish(&root, page.root);
	running_hmac_free(&root);
	forge_store(forge, final, &page, &keys);
}

/* Both header copies, with state.header as it is now. */
static inline void forge_header(struct forge *forge)
{
	uint8_t *copies = forge->container.bytes;

	assert_ok(header_encode(copies, &forge->state.header));
	assert_ok(file_keys_derive(&forge->keys, forge->file_key, copies));
	assert_ok(header_seal(copies, &forge->keys));
	memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
}

#endif
