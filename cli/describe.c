#include "describe.h"

#include "gpucrypt/cipher.h"
#include "gpucrypt/container.h"
#include "gpucrypt/status.h"
#include "input.h"

static const char *const layouts[] = { "inline", "detached" };
static const char *const contents[] = { "bytes", "pax", "pax in zstd" };
static const char *const tags[] = { "none", "poly1305-aes" };
static const char *const slot_types[] = { "unused", "passphrase", "key file", "x25519",
	"rsa-oaep" };

#define NAMED(names, number)                                                                       \
	((number) < sizeof(names) / sizeof *(names) ? (names)[number] : "unknown")

int describe_read(struct header_state *state, const char *name)
{
	struct input input;
	int status = input_open(&input, name);

	if (status == GPUCRYPT_OK)
		status = container_examine(&input.source, state);
	input_close(&input);
	return status;
}

static const char *cipher_name(const struct header *header)
{
	const struct cipher *cipher = cipher_by_id(header->cipher_id);

	return cipher ? cipher->name : "unknown";
}

static const char *mode_name(const struct header *header)
{
	const struct mode *mode = mode_by_id(header->mode_id);

	return mode ? mode->name : "unknown";
}

static const char *copy_state(const struct header_state *state, int copy)
{
	return !state->copy_good[copy] ? "damaged" : state->copy_older[copy] ? "older" : "good";
}

void describe_header(FILE *stream, const struct header_state *state)
{
	const struct header *header = &state->header;

	fprintf(stream, "version: %u\n", header->version);
	fprintf(stream, "layout: %s\n", NAMED(layouts, header->layout));
	fprintf(stream, "content: %s\n", NAMED(contents, header->content));
	fprintf(stream, "cipher: %s\n", cipher_name(header));
	fprintf(stream, "bits: %u\n", 8 * header->key_bytes);
	fprintf(stream, "mode: %s\n", mode_name(header));
	fprintf(stream, "tag: %s\n", NAMED(tags, header->tag_id));
	fprintf(stream, "chunk: %lu bytes\n", 1ul << header->chunk_log2);
	fprintf(stream, "group: %lu bytes\n", 1ul << header->group_log2);
	if (header->plaintext_bytes == LENGTH_UNKNOWN)
		fprintf(stream, "plaintext: length not known when the header was written\n");
	else
		fprintf(stream, "plaintext: %llu bytes\n",
		        (unsigned long long)header->plaintext_bytes);
	fprintf(stream, "sequence: %llu\n", (unsigned long long)header->sequence);
	fprintf(stream, "header copies: %s, %s\n", copy_state(state, 0), copy_state(state, 1));
}

void describe_slots(FILE *stream, const struct header *header)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++) {
		const struct key_slot *slot = &header->slots[i];

		if (slot->type == SLOT_UNUSED)
			continue;
		fprintf(stream, "slot %u: %s", i, NAMED(slot_types, slot->type));
		if (slot->type == SLOT_PASSPHRASE)
			fprintf(stream, ", scrypt N = 2^%u, r = %u, p = %u", slot->log2_n, SCRYPT_R,
			        slot->p);
		if (slot->type == SLOT_X25519 || slot->type == SLOT_RSA_OAEP) {
			fputs(", key id ", stream);
			for (size_t j = 0; j < sizeof slot->key_id; j++)
				fprintf(stream, "%02x", slot->key_id[j]);
		}
		fputc('\n', stream);
	}
}

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

void describe_header_json(json_t *object, const struct header_state *state)
{
	const struct header *header = &state->header;
	bool unknown = header->plaintext_bytes == LENGTH_UNKNOWN;
	json_t *copies = json_array();

	for (int i = 0; i < 2; i++)
		json_array_append_new(copies, json_string(copy_state(state, i)));
	set(object, "version", json_integer(header->version));
	set(object, "layout", json_string(NAMED(layouts, header->layout)));
	set(object, "content", json_string(NAMED(contents, header->content)));
	set(object, "cipher", json_string(cipher_name(header)));
	set(object, "bits", json_integer(8 * header->key_bytes));
	set(object, "mode", json_string(mode_name(header)));
	set(object, "tag", json_string(NAMED(tags, header->tag_id)));
	set(object, "chunk_bytes", json_count(UINT64_C(1) << header->chunk_log2));
	set(object, "group_bytes", json_count(UINT64_C(1) << header->group_log2));
	set(object, "plaintext_bytes", unknown ? json_null() : json_count(header->plaintext_bytes));
	set(object, "file_salt", json_hex(header->file_salt, sizeof header->file_salt));
	set(object, "sequence", json_count(header->sequence));
	set(object, "header_copies", copies);
}

static json_t *slot_json(unsigned number, const struct key_slot *slot)
{
	json_t *object = json_object();

	set(object, "slot", json_integer(number));
	set(object, "type", json_string(NAMED(slot_types, slot->type)));
	if (slot->type == SLOT_PASSPHRASE) {
		set(object, "log2_n", json_integer(slot->log2_n));
		set(object, "r", json_integer(SCRYPT_R));
		set(object, "p", json_integer(slot->p));
	}
	if (slot->type == SLOT_X25519 || slot->type == SLOT_RSA_OAEP)
		set(object, "key_id", json_hex(slot->key_id, sizeof slot->key_id));
	return object;
}

json_t *describe_slots_json(const struct header *header)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (header->slots[i].type != SLOT_UNUSED)
			json_array_append_new(array, slot_json(i, &header->slots[i]));
	return array;
}
