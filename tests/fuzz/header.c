/* The header's parser, without a key and with one.  What decodes encodes to the same bytes. */
#include "tests/fuzz/compact.h"

/* Labels without their slot, and the rest of a slot that is gone, are not written again. */
static bool has_remains(const struct header *header)
{
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (header->slots[i].type == SLOT_LABELS || header->slots[i].type == SLOT_CONTINUED)
			return true;
	return false;
}

static void decode(const uint8_t *copy)
{
	static uint8_t again[HEADER_COPY_BYTES];
	struct header header;

	if (!succeeded(header_decode(&header, copy)) || has_remains(&header))
		return;
	MUST(succeeded(header_encode(again, &header)));
	MUST(memcmp(again, copy, HEADER_MAC) == 0);
	strcpy(header.slots[0].label, "fuzz");
	if (!succeeded(header_encode(again, &header))) /* no slot is free */
		return;
	MUST(succeeded(header_decode(&header, again)));
	MUST(!key_slot_used(&header.slots[0]) || header.slots[0].type == SLOT_SHARED ||
	        strcmp(header.slots[0].label, "fuzz") == 0);
}

static int refuse(struct locked_secret *self, const struct gpucrypt_secret **secret)
{
	(void)secret;
	self->asked = true;
	return fail(GPUCRYPT_NO_KEY, "no answer");
}

static void unlock(const uint8_t *copies, const struct gpucrypt_secret *secret)
{
	struct authenticated_header state;
	struct file_keys keys;

	if (!succeeded(header_unlock(&state, &keys, copies, secret)))
		return;
	MUST(state.slot >= 0 && state.slot < N_KEY_SLOTS &&
	        (!header_needs_repair(&state.copies) || state.copies.note[0] != '\0'));
	if (state.copies.good[0] && state.copies.good[1])
		MUST(header_check_mixed(&state, copies, secret) == GPUCRYPT_OK);
	else
		succeeded(header_check_mixed(&state, copies, secret));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static uint8_t copies[2 * HEADER_COPY_BYTES];
	struct fuzz_input input = { bytes, n_bytes };
	const struct gpucrypt_secret passphrase = {
		.type = GPUCRYPT_PASSPHRASE, .bytes = known_key, .length = 3, .max_kdf_bytes = 1 << 20
	}; /* key derivation without cost */
	/* PKCS#8 of X25519 (RFC 8410). */
	static const uint8_t x25519[48] = { 0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20, 7 };
	const struct gpucrypt_secret other = { .type = GPUCRYPT_P256, .bytes = x25519, .length = sizeof x25519 };
	struct locked_secret locked = { .public = { .type = GPUCRYPT_X25519, .bytes = x25519, .length = sizeof x25519 },
		.open = refuse };
	struct gpucrypt_derived derived = { .locked = &locked };
	const struct gpucrypt_secret identity = {
		.type = GPUCRYPT_X25519, .bytes = x25519, .length = sizeof x25519, .next = &other, .derived = &derived
	}; /* and one that is no key of its type */
	struct examined_header examined;

	compact_copy(&input, copies);
	compact_copy(&input, copies + HEADER_COPY_BYTES);
	if (input.n_bytes == 0 && n_bytes > 0 && (bytes[n_bytes - 1] & 1) != 0)
		memcpy(copies + HEADER_COPY_BYTES, copies, HEADER_COPY_BYTES);
	decode(copies);
	decode(copies + HEADER_COPY_BYTES);
	if (succeeded(header_examine(&examined, copies)))
		MUST(examined.copies.good[0] || examined.copies.good[1]);
	unlock(copies, &known_secret);
	unlock(copies, &passphrase);
	unlock(copies, &identity);
	return 0;
}
