/* The key hierarchy of the container (gcrypt(5), "Keys"): secret → KEK → file key → group keys. */
#ifndef GPUCRYPT_CRYPTO_KEYS_H
#define GPUCRYPT_CRYPTO_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/gpucrypt.h"

#define FILE_KEY_BYTES   32
#define SALT_BYTES       32
#define HEADER_P_BYTES   64 /* P: the header's bytes 0 to 63 */
#define HEADER_P_LAYOUT  10 /* offsets in P */
#define HEADER_P_SALT    32
#define GROUP_SALT_BYTES 16
#define LAYOUT_INLINE    0
#define LAYOUT_DETACHED  1
#define MAC_BYTES        32
#define WRAPPED_BYTES    (FILE_KEY_BYTES + 8)
#define SCRYPT_R         8

/* The file key and the keys derived from it once per file. */
struct file_keys {
	uint8_t file[FILE_KEY_BYTES]; /* for key slots */
	uint8_t header[32], root[32], group[32];
	bool detached;      /* one cipher key for all groups: */
	uint8_t volume[64]; /* XTS: K1 ‖ K2 in the first 2k bytes */
};

/* Derived once a group: 144 bytes of HKDF output, in this order. */
struct group_keys {
	uint8_t cipher[64]; /* XTS: K1 ‖ K2 in the first 2k bytes; detached: that of the volume */
	uint8_t r[16];      /* Poly1305 */
	uint8_t tag[32];    /* AES-256 key of the Poly1305 masks */
	uint8_t page[32];   /* HMAC-SHA-256 of the page */
};

int file_keys_derive(struct file_keys *keys, const uint8_t file_key[FILE_KEY_BYTES], const uint8_t p[HEADER_P_BYTES]);
int group_keys_derive(
        struct group_keys *keys, const struct file_keys *file, uint64_t group, const uint8_t salt[GROUP_SALT_BYTES]);

/* Key-encryption keys by slot type.  scrypt: r = 8, N = 2^log2_n. */
int kek_from_passphrase(uint8_t kek[32], const uint8_t *passphrase, size_t n_bytes, const uint8_t salt[SALT_BYTES],
        unsigned log2_n, unsigned p);
int kek_from_key_file(uint8_t kek[32], const uint8_t key_file[32], const uint8_t salt[SALT_BYTES],
        const uint8_t file_salt[SALT_BYTES]);
/* label: of the kind of agreement, at most 32 characters. */
int kek_from_agreement(uint8_t kek[32], const uint8_t shared[32], const uint8_t ephemeral[32],
        const uint8_t recipient[32], const char *label, const uint8_t file_salt[SALT_BYTES]);

/* Of X25519 and ML-KEM: the KEK that X25519 alone gives, the ML-KEM secret, and the SHA-256 digest of ciphertext and
 * encapsulation key. */
int kek_from_hybrid(uint8_t kek[32], const uint8_t x25519_kek[32], const uint8_t shared[32], const uint8_t digest[32],
        const uint8_t file_salt[SALT_BYTES]);

/* The key of start records or manifests, from the KEK of a passphrase or a key file. */
#define LABEL_START    "gcrypt/1 start"
#define LABEL_MANIFEST "gcrypt/1 manifest"
int bound_key_derive(uint8_t key[32], const uint8_t kek[32], const char *label);

/* AES-256 key wrap (RFC 3394).  Unwrapping under a wrong KEK is GPUCRYPT_NO_KEY. */
int key_wrap(uint8_t wrapped[WRAPPED_BYTES], const uint8_t key[FILE_KEY_BYTES], const uint8_t kek[32]);
int key_unwrap(uint8_t key[FILE_KEY_BYTES], const uint8_t wrapped[WRAPPED_BYTES], const uint8_t kek[32]);

/* bcrypt_pbkdf, OpenBSD's key derivation for private keys in OpenSSH's format: a form of PBKDF2 whose function is
 * bcrypt (N. Provos and D. Mazieres, "A Future-Adaptable Password Scheme", USENIX 1999) over SHA-512 digests. */
#define BCRYPT_MAX_KEY_BYTES 64

/* n_key: 1 to BCRYPT_MAX_KEY_BYTES; rounds: from 1. A round takes about 7 ms for 33 to 64 bytes. Time and memory
 * accesses depend on the passphrase, as bcrypt defines. */
int bcrypt_pbkdf(uint8_t *key, size_t n_key, const uint8_t *passphrase, size_t n_passphrase, const uint8_t *salt,
        size_t n_salt, unsigned rounds);

/* One-shot HMAC-SHA-256 (RFC 2104). */
int hmac_sha256(uint8_t mac[MAC_BYTES], const uint8_t key[32], const uint8_t *bytes, size_t n_bytes);

/* The same over bytes that come one after the other; freed by the caller, zeroed is fine. */
struct running_hmac {
	struct evp_mac_ctx_st *context; /* owned */
};

int running_hmac_start(struct running_hmac *hmac, const uint8_t key[32]);
int running_hmac_add(struct running_hmac *hmac, const uint8_t *bytes, size_t n_bytes);
int running_hmac_finish(struct running_hmac *hmac, uint8_t mac[MAC_BYTES]);
void running_hmac_free(struct running_hmac *hmac);

int random_bytes(uint8_t *bytes, size_t n_bytes);
void wipe(void *bytes, size_t n_bytes); /* not optimised away; NULL is fine */

/* GPUCRYPT_OTHER for a failure of libcrypto, whose own error queue is cleared. */
int libcrypto_failed(const char *what);
#ifdef __clang_analyzer__ /* see status.h */
#define libcrypto_failed(what) (libcrypto_failed(what), (int)GPUCRYPT_OTHER)
#endif
static inline int libcrypto_check(bool good, const char *what)
{
	return good ? GPUCRYPT_OK : libcrypto_failed(what);
}

#endif
