
#include <stdio.h>

#include "gpucrypt/crypto/cipher.h"
#include "cli/files/input.h"
#include "cli/secrets/secret.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "command/message.h"

static const char *const layouts[] = { "inline", "detached" };
static const char *const contents[] = { "bytes", "pax", "pax in zstd", "bytes in zstd", "manifest" };
static const char *const tags[] = { "none", "poly1305-aes" };

#define NAMED(names, number) ((number) < sizeof(names) / sizeof *(names) ? (names)[number] : "unknown")

/* Of the public key: an RSA slot is as long as the modulus, to whole bytes; of ML-KEM its parameter set. */
static unsigned slot_bits(const struct key_slot *slot)
{
	if (slot->type == SLOT_X25519_ML_KEM)
		return 768;
	return slot->type == SLOT_RSA_OAEP ? 8u * slot->body_bytes : 256;
}

/* What the given secret, or private keys, open. */
struct opened {
	bool authenticated;
	/* By the number of the recipient: the file of its private key, or what the secret is; or NULL. */
	const char *by[MAX_RECIPIENT_SLOTS];
};

static void note_key(
        struct opened *opened, const struct header *header, const struct gpucrypt_secret *key, const char *file)
{
	struct recipient_set set = { 0 };

	recipient_set_add_key(&set, header, key, true);
	for (unsigned i = 0; i < MAX_RECIPIENT_SLOTS; i++)
		if (set.has[i])
			opened->by[i] = file;
}

/* Authenticate the header, which then takes the place of the examined one; try all private keys on all slots. */
static int open_slots(
        struct opened *opened, struct examined_header *examined, struct source *source, const struct secret *secret)
{
	struct authenticated_header header;
	struct file_keys keys;
	int status = source_rewind(source) ?: container_unlock(source, &header, &keys, &secret->secret);

	wipe(&keys, sizeof keys);
	if (status != GPUCRYPT_OK)
		return status;
	opened->authenticated = true;
	opened->by[header.opened] = "the given secret";
	examined->unauthenticated = header.header;
	examined->copies = header.copies;
	for (unsigned k = 0; k < secret->identities.n; k++)
		note_key(opened, &header.header, &secret->identities.keys[k].secret, secret->identities.keys[k].file);
	for (const struct locked_secret *locked = secret->derived.locked; locked != NULL; locked = locked->next)
		if (!locked->asked && locked->public.type != 0)
			note_key(opened, &header.header, &locked->public, locked->name);
	return GPUCRYPT_OK;
}

static void add_header(json_t *object, const struct examined_header *examined)
{
	const struct header *header = &examined->unauthenticated;
	const struct header_copies *state = &examined->copies;
	const struct cipher *cipher = cipher_by_id(header->cipher_id);
	const struct mode *mode = mode_by_id(header->mode_id);
	bool unknown = header->plaintext_bytes == LENGTH_UNKNOWN;
	json_t *copies = json_array();

	for (int i = 0; i < 2; i++)
		json_array_append_new(copies, json_string(!state->good[i]   ? "damaged"
		                                          : state->older[i] ? "older"
		                                                            : "good"));
	json_set(object, "version", json_integer(header->version));
	json_set(object, "layout", json_string(NAMED(layouts, header->layout)));
	json_set(object, "content", json_string(NAMED(contents, header->content)));
	json_set(object, "cipher", json_string(cipher ? cipher->name : "unknown"));
	json_set(object, "bits", json_integer(8 * header->key_bytes));
	json_set(object, "mode", json_string(mode ? mode->name : "unknown"));
	json_set(object, "tag", json_string(NAMED(tags, header->tag_id)));
	json_set(object, "chunk_bytes", json_count(UINT64_C(1) << header->chunk_log2));
	json_set(object, "group_bytes", json_count(UINT64_C(1) << header->group_log2));
	if (header->layout == LAYOUT_DETACHED)
		json_set(object, "sector_bytes", json_integer(1 << header->sector_log2));
	json_set(object, "plaintext_bytes", unknown ? json_null() : json_count(header->plaintext_bytes));
	json_set(object, "file_salt", json_hex(header->file_salt, sizeof header->file_salt));
	json_set(object, "sequence", json_count(header->sequence));
	json_set(object, "header_copies", copies);
}

static json_t *recipient_json(const struct recipient *recipient)
{
	const struct key_slot *key = &recipient->key;
	const struct slot_type *type = slot_type_of(key->type);
	json_t *object = json_object();

	json_set(object, "slot", json_integer(recipient->slot));
	if (recipient->shared)
		json_set(object, "member", json_integer(recipient->member));
	json_set(object, "type", json_string(type ? type->name : "unknown"));
	if (key->incomplete)
		json_set(object, "incomplete", json_true());
	if (key->type == SLOT_PASSPHRASE) {
		json_set(object, "log2_n", json_integer(key->log2_n));
		json_set(object, "r", json_integer(SCRYPT_R));
		json_set(object, "p", json_integer(key->p));
	}
	if (slot_names_key(key->type)) {
		json_set(object, "bits", json_integer(slot_bits(key)));
		json_set(object, "key_id",
		        key_slot_anonymous(key) ? json_null() : json_hex(key->key_id, sizeof key->key_id));
	}
	if (key->label[0])
		json_set(object, "label", json_text(key->label));
	return object;
}

static json_t *slots_json(const struct header *header, const struct opened *opened)
{
	json_t *array = json_array();
	struct recipient recipient;

	for (unsigned i = 0; recipient_read(&recipient, header->slots, i); i++) {
		json_t *object = recipient_json(&recipient);

		if (opened->authenticated)
			json_set(object, "opened_by", json_text_or_null(opened->by[i]));
		json_array_append_new(array, object);
	}
	return array;
}

/* Text. */

static const char *const header_lines[] = { "version: {version}", "layout: {layout}", "content: {content}",
	"cipher: {cipher}", "bits: {bits}", "mode: {mode}", "tag: {tag}", "chunk: {chunk_bytes} bytes",
	"group: {group_bytes} bytes", "sector: {sector_bytes} bytes",
	"plaintext: [{plaintext_bytes} bytes|length not known when the header was written]", "sequence: {sequence}",
	"header copies: {header_copies.0}, {header_copies.1}", NULL };

static const char *const slot_lines[] = {
	"slot {slot}[.{member}]: {type}[{?incomplete}, incomplete][, scrypt N = 2^{log2_n}, r = {r}, p = {p}]"
	"[, {bits} bits, [key id {key_id}|anonymous]][, label \"{label}\"][, opened by {opened_by}]",
	NULL
};

void describe_recipient(char text[SLOT_TEXT], const struct recipient *recipient)
{
	json_t *object = recipient_json(recipient);

	pattern_fill(text, slot_lines[0], object, NULL);
	json_decref(object);
}

static void print_text(char *name, const json_t *object, bool header)
{
	bool authenticated = json_is_true(json_object_get(object, "authenticated"));
	message_clean(name, true);
	if (header) {
		printf("file: %s\n", name);
		patterns_print(stdout, header_lines, object);
	}
	patterns_print(stdout, slot_lines, json_object_get(object, "slots"));
	if (authenticated && header)
		puts("anyone can read: all of the above but who opens a slot");
	puts(authenticated ? "authenticated" : "not authenticated: no key was used");
}

static int examine(
        struct examined_header *examined, struct opened *opened, struct input *input, const struct options *options)
{
	const struct key_files keys = key_files_of(options);
	struct secret secret = { 0 };
	int status = key_files_check_input(options, &keys, input) ?: container_examine(&input->source, examined);

	if (status != GPUCRYPT_OK || !secret_given(&options->opening))
		return status;
	status = secret_read(&secret, options, &options->opening, KEY_FILE_BYTES, input->name, false)
	                 ?: open_slots(opened, examined, &input->source, &secret);
	secret_wipe(&secret);
	return status;
}

int container_describe(char *name, const struct options *options, bool header)
{
	struct examined_header examined;
	struct opened opened = { 0 };
	struct input input;
	json_t *object;
	int status = input_open(&input, name) ?: examine(&examined, &opened, &input, options);

	input_close(&input);
	if (status != GPUCRYPT_OK)
		return status;
	object = json_object();
	json_set_name(object, "file", name);
	json_set(object, "authenticated", json_boolean(opened.authenticated));
	if (header)
		add_header(object, &examined);
	json_set(object, "slots", slots_json(&examined.unauthenticated, &opened));
	if (options->json)
		return json_print(object);
	print_text(name, object, header);
	json_decref(object);
	return GPUCRYPT_OK;
}
