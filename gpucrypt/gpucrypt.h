/*
 * gpucrypt: bulk encryption of files with AES, Camellia and SC2000 on any OpenCL device, or on the
 * CPU.  gcrypt(5) describes the container.
 *
 * ERRORS.  A function that can fail returns an enum gpucrypt_status; after a failure
 * gpucrypt_error() has one line of text.  The library neither prints nor exits.  An argument that is NULL where that is
 * not mentioned is GPUCRYPT_USAGE.
 *
 * THREADS.  Functions may be called from several threads at once; exceptions are stated where they are declared.  Each
 * thread has an error text of its own.  Options, secrets, sources, sinks and progress are the caller's: while a
 * function uses them, no other thread may change or free them, nor use the same sink or the same in-order source.
 * Several functions may read the same options and secrets at the same time.  A calling thread has a stack of 512 KiB
 * or more.
 *
 * CALLBACKS run in threads of the library, or in the calling thread.  They return normally, without exceptions and
 * longjmp(3).  They may call the library for other objects, but not gpucrypt_release().
 *
 * PROCESSES.  After fork(2) a child may go on with the CPU: read the files that its parent had open, unless another
 * thread of the parent was in the library, and call everything else.  Device contexts belong to the parent; a parent
 * that forks children which use devices calls gpucrypt_release() before.
 *
 * SIDE EFFECTS.  gpucrypt_encrypt(), gpucrypt_decrypt(), gpucrypt_decrypt_range() and gpucrypt_verify() start threads,
 * all of which have ended when the function returns.  They load OpenCL drivers, which read environment variables and
 * may write to their own caches; the context of each device stays open until gpucrypt_release().  Memory that holds
 * keys is locked as far as RLIMIT_MEMLOCK permits, kept out of core files, and wiped.  Signal handlers, the locale and
 * the umask are left alone; threads of the library have the signal mask of the calling thread, and handlers may run in
 * them.
 */
#ifndef GPUCRYPT_H
#define GPUCRYPT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GPUCRYPT_API __attribute__((visibility("default")))
#else
#define GPUCRYPT_API
#endif

/* Also the exit codes of the gcrypt program. */
enum gpucrypt_status {
	GPUCRYPT_OK = 0,
	GPUCRYPT_OTHER = 1,    /* out of memory and the like */
	GPUCRYPT_USAGE = 2,    /* an argument that is invalid, or that contradicts another one */
	GPUCRYPT_IO = 3,       /* reading or writing failed */
	GPUCRYPT_CORRUPT = 4,  /* authentication failed, damaged, or not a container */
	GPUCRYPT_NO_KEY = 5,   /* no key slot matches this secret */
	GPUCRYPT_EXISTS = 6,   /* would overwrite, or input and output are the same */
	GPUCRYPT_UNKNOWN = 7,  /* a version, cipher or layout that this release does not know */
	GPUCRYPT_DEVICE = 8,   /* a device failed or computed something wrong */
	GPUCRYPT_CANCELLED = 9 /* the progress report asked to stop; no exit code */
};

/* Text of the first failure since the calling thread last entered the library; "" if none.  Owned
 * by the library and valid until the thread's next call. */
GPUCRYPT_API const char *gpucrypt_error(void);

/* Options.
 *
 * 0 leaves a choice to the library.  The other numbers of ciphers and modes are those of a
 * container's header (gcrypt(5)). */
enum gpucrypt_cipher { GPUCRYPT_CIPHER_AUTO, GPUCRYPT_AES, GPUCRYPT_CAMELLIA, GPUCRYPT_SC2000 };
enum gpucrypt_mode { GPUCRYPT_MODE_DEFAULT, GPUCRYPT_ECB, GPUCRYPT_CTR, GPUCRYPT_XTS };

/* GPUCRYPT_HYBRID: several devices, and threads of the CPU. */
enum gpucrypt_engine { GPUCRYPT_ENGINE_AUTO, GPUCRYPT_OPENCL, GPUCRYPT_CPU, GPUCRYPT_HYBRID };

struct gpucrypt_options;

/* All options have their defaults.  The caller frees the object.  NULL: out of memory. */
GPUCRYPT_API struct gpucrypt_options *gpucrypt_options_create(void);

/* options may be NULL. */
GPUCRYPT_API void gpucrypt_options_free(struct gpucrypt_options *options);

/* Each setter changes one option and returns GPUCRYPT_OK; for a value that is out of range it
 * changes nothing and returns GPUCRYPT_USAGE.  Whether options fit each other and the machine is
 * known only when they are used.  Cipher, mode, key size, chunk and group size belong to a
 * container: decryption takes them from there. */

/* Default: AES. */
GPUCRYPT_API int gpucrypt_options_set_cipher(struct gpucrypt_options *options, enum gpucrypt_cipher cipher);

/* Default: CTR.  ECB shows equal blocks. */
GPUCRYPT_API int gpucrypt_options_set_mode(struct gpucrypt_options *options, enum gpucrypt_mode mode);

/* 128, 192 or 256 (the default). */
GPUCRYPT_API int gpucrypt_options_set_key_bits(struct gpucrypt_options *options, unsigned key_bits);

/* Default: OpenCL if there is a GPU or accelerator, else the CPU. */
GPUCRYPT_API int gpucrypt_options_set_engine(struct gpucrypt_options *options, enum gpucrypt_engine engine);

/* The number that `gcrypt devices` prints.  Default: the best device, or with GPUCRYPT_HYBRID all. */
GPUCRYPT_API int gpucrypt_options_set_device(struct gpucrypt_options *options, unsigned number);

/* Threads of the CPU engine, 1 to 4096.  Default: as many as processors. */
GPUCRYPT_API int gpucrypt_options_set_threads(struct gpucrypt_options *options, unsigned threads);

/* Not 0: no operation's time depends on keys or data. Default: 0. */
GPUCRYPT_API int gpucrypt_options_set_constant_time(struct gpucrypt_options *options, int constant_time);

/* log2 of the bytes under one tag, 12 to 20 (default 17), and of the bytes in a group, chunk_log2 to
 * chunk_log2 + 7, at most 26 (default 23).  0: the default. */
GPUCRYPT_API int gpucrypt_options_set_sizes(struct gpucrypt_options *options, unsigned chunk_log2, unsigned group_log2);

/* Not 0: store chunks of zeros as holes, which reveals their positions. Default: 0. */
GPUCRYPT_API int gpucrypt_options_set_sparse(struct gpucrypt_options *options, int sparse);

/* Of one group in one_in the CPU computes a chunk again; a difference is GPUCRYPT_DEVICE.  0: of no
 * group.  Default: 64. */
GPUCRYPT_API int gpucrypt_options_set_recheck(struct gpucrypt_options *options, unsigned one_in);

/* For the buffers of all groups together.  Default: 640 MiB at most. */
GPUCRYPT_API int gpucrypt_options_set_memory(struct gpucrypt_options *options, uint64_t n_bytes);

/* Any option by its name, as text; libgpucrypt(3) lists the names, among them those that tune
 * kernels.  GPUCRYPT_USAGE for a name or a value that this release does not know. */
GPUCRYPT_API int gpucrypt_options_set(struct gpucrypt_options *options, const char *name, const char *value);

/* Secrets. */

enum gpucrypt_secret_type {
	GPUCRYPT_PASSPHRASE = 1,
	GPUCRYPT_KEY_FILE = 2,
	GPUCRYPT_X25519 = 3,
	GPUCRYPT_RSA = 4,
	GPUCRYPT_P256 = 5,
	GPUCRYPT_X25519_ML_KEM = 6 /* X25519 and ML-KEM-768: the DER of both keys, one after the other */
};

struct gpucrypt_derived;
struct evp_pkey_st;

/* Owned by the caller, who wipes the bytes; fields that are not named are 0. */
struct gpucrypt_secret {
	enum gpucrypt_secret_type type;
	/* Passphrase as given; or the 32 bytes of a key file; or in DER the SubjectPublicKeyInfo of a
	 * public key, which only encrypts, or a private key (PKCS#8). */
	const uint8_t *bytes;
	size_t length;
	/* When encrypting, another secret that unlocks the container, up to 8 in all, or 144 X25519 or P-256 keys; when
	 * decrypting, another private key to try. */
	const struct gpucrypt_secret *next;
	struct gpucrypt_derived *derived; /* NULL, or of the library */
	/* For passphrases. When encrypting, scrypt's log2 N: 10 to 20; ~0u: as much as takes one second here; 0: 17.
	 * When decrypting, the memory that a slot may need, in bytes; 0: 1 GiB. Slots that need more memory are
	 * skipped, and so are slots that together need more than twice the time. */
	unsigned scrypt_log2_n;
	uint64_t max_kdf_bytes;
	/* When encrypting, a name for the key slot, of at most 96 bytes, which anyone can read; NULL: none. */
	const char *label;
	/* When encrypting with a public key: store no key id, so that nobody sees whose slot it is.  Its owner tries
	 * all private keys. */
	int anonymous;
	/* The private key that belongs to the public one in bytes, where it does not leave a token: an EVP_PKEY of
	 * libcrypto, which stays the caller's; NULL: none. */
	struct evp_pkey_st *held;
};

/* Called after each group, by one thread at a time: bytes of input done, and their total (UINT64_MAX: unknown).  A
 * result other than 0 stops the call, which returns GPUCRYPT_CANCELLED unless it had failed. */
struct gpucrypt_progress {
	int (*report)(void *self, uint64_t done_bytes, uint64_t total_bytes);
	void *self;
};

/* Input and output.
 *
 * Fields that are not named are 0.  Callbacks are those that are not NULL; without one the buffer is used if bytes is
 * not NULL, and else the descriptor, which stays the caller's and is not closed.  A callback returns what the system
 * call of its name returns, with the reason in errno if that is -1. */

/* Input: of several kinds the first one. */
struct gpucrypt_source {
	/* Read at an offset; several threads call it at the same time.  size is the length of the whole input. */
	ssize_t (*pread)(void *self, void *bytes, size_t n_bytes, uint64_t offset);
	/* Read in order to the end; one thread at a time calls it.  The size is not known: no random access. */
	ssize_t (*read)(void *self, void *bytes, size_t n_bytes);
	void *self; /* passed to callbacks */
	const void *bytes;
	uint64_t size; /* of bytes, or of what pread reads */
	/* Encryption, decryption and verification read a descriptor from where it is positioned; other functions, and
	 * all functions if there is an image, read it from its start and need a file or block device. */
	int fd;
	/* The source is a detached header, and this its image; NULL: the source is a whole container. */
	const struct gpucrypt_source *image;
};

/* Output: of several kinds the first one.  Written in order from where a descriptor is positioned. */
struct gpucrypt_sink {
	ssize_t (*write)(void *self, const void *bytes, size_t n_bytes); /* one thread at a time calls it */
	void *self;                                                      /* passed to the callback */
	void *bytes;
	size_t size;    /* of bytes: GPUCRYPT_IO if the output does not fit */
	size_t written; /* set by the library: how many of them were written */
	int fd;
	struct gpucrypt_sink *image; /* with the option sector-log2: receives the image, and the sink the header */
};

/* Containers.
 *
 * options NULL: all defaults.  progress may be NULL.  After a failure, or when cancelled, the caller must discard the
 * output. */

/* Encrypt all bytes of a source into a container; the option content says what they are. Errors: GPUCRYPT_USAGE if
 * options contradict each other or the output, there is no secret, a secret is malformed, or an RSA key is weak;
 * GPUCRYPT_IO if reading or writing failed; GPUCRYPT_EXISTS if input and output are one file, or share memory;
 * GPUCRYPT_DEVICE if the requested engine cannot be opened or computed a wrong result; GPUCRYPT_CANCELLED;
 * GPUCRYPT_OTHER if there is no memory. */
GPUCRYPT_API int gpucrypt_encrypt(const struct gpucrypt_source *source, struct gpucrypt_sink *sink,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress);

/* Length of the container of so many plaintext bytes by these options, of both parts if it is detached; a sparse one
 * may be shorter. UINT64_MAX if plaintext_bytes is. Error: GPUCRYPT_USAGE if options contradict each other, or no
 * container is so long. */
GPUCRYPT_API int gpucrypt_container_size(
        uint64_t *size, const struct gpucrypt_options *options, uint64_t plaintext_bytes);

/* Decrypt a container. Every byte is authenticated before it is written; after a failure the sink has received whole
 * groups from the start of the plaintext. Plaintext is shorter than its container. Errors: those of gpucrypt_encrypt(),
 * and GPUCRYPT_CORRUPT if authentication failed or the input is no container; GPUCRYPT_NO_KEY if no key slot matches
 * the secret; GPUCRYPT_UNKNOWN if a later release made the container. */
GPUCRYPT_API int gpucrypt_decrypt(const struct gpucrypt_source *source, struct gpucrypt_sink *sink,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress);

/* Decrypt n_bytes of the plaintext from offset on; UINT64_MAX: to its end. Only the header, the final metadata page and
 * the groups of the range are read and authenticated. Errors: those of gpucrypt_decrypt(), and GPUCRYPT_USAGE if the
 * plaintext does not have the range, or the source has no positions. */
GPUCRYPT_API int gpucrypt_decrypt_range(const struct gpucrypt_source *source, struct gpucrypt_sink *sink,
        uint64_t offset, uint64_t n_bytes, const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress);

/* Authenticate a container and write nothing.  Errors: those of gpucrypt_decrypt(). */
GPUCRYPT_API int gpucrypt_verify(const struct gpucrypt_source *source, const struct gpucrypt_options *options,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress);

/* Reading any part of a container, by any number of threads at once; the CPU decrypts. */
struct gpucrypt_file;

/* Open a container. The header, all metadata pages, the root and the length are authenticated; *file is NULL after a
 * failure. What the source refers to is read until gpucrypt_close(); the source itself, options and secret are used by
 * this call only. Errors: those of gpucrypt_decrypt(), GPUCRYPT_USAGE if the source has no positions, and
 * GPUCRYPT_UNKNOWN if the content is compressed. */
GPUCRYPT_API int gpucrypt_open(struct gpucrypt_file **file, const struct gpucrypt_source *source,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret);

/* Length of the plaintext in bytes; 0 for NULL. */
GPUCRYPT_API uint64_t gpucrypt_size(const struct gpucrypt_file *file);

/*
 * Read n_bytes of the plaintext from offset on. Every chunk is authenticated before a byte of it is returned. Errors:
 * GPUCRYPT_USAGE if the plaintext does not have these bytes; GPUCRYPT_IO if the source cannot be read; GPUCRYPT_CORRUPT
 * if it is damaged there or was changed since it was opened. Then bytes are undefined, and other reads still succeed.
 */
GPUCRYPT_API int gpucrypt_pread(struct gpucrypt_file *file, void *bytes, size_t n_bytes, uint64_t offset);

/* Wipe and free; no thread may be reading.  file may be NULL. */
GPUCRYPT_API void gpucrypt_close(struct gpucrypt_file *file);

/* Key slots. */
#define GPUCRYPT_SLOTS        144 /* that a container has at most */
#define GPUCRYPT_LABEL_BYTES  96
#define GPUCRYPT_KEY_ID_BYTES 8

struct gpucrypt_slot {
	unsigned number;                       /* from 0 on; recipients that share a slot have one number */
	enum gpucrypt_secret_type type;        /* 0: of a later release */
	unsigned scrypt_log2_n;                /* of a passphrase; else 0 */
	int anonymous;                         /* is for a public key, and does not have its id */
	int opened;                            /* the secret has opened this slot */
	uint8_t key_id[GPUCRYPT_KEY_ID_BYTES]; /* of a public key; else 0 */
	char label[GPUCRYPT_LABEL_BYTES + 1];  /* "": none; may have control characters */
	uint8_t member;                        /* among the recipients that share the slot, from 0 on */
};

/* Slot `number` as a whole is its number; this is one of the recipients that share it. */
#define GPUCRYPT_SLOT_MEMBER(number, member) ((int)((number) + ((unsigned)(member) + 1) * 256))

/* Describe the slots in use. *n_slots is the room of the array, and becomes their number; of more slots than there is
 * room for the first ones are described. Without a secret (NULL) the slots are not authenticated: display them
 * only. Errors: GPUCRYPT_IO, GPUCRYPT_CORRUPT, GPUCRYPT_UNKNOWN, GPUCRYPT_NO_KEY as gpucrypt_decrypt(); GPUCRYPT_USAGE
 * for a malformed secret; GPUCRYPT_DEVICE if a token does not compute. */
GPUCRYPT_API int gpucrypt_slots_read(struct gpucrypt_slot *slots, unsigned *n_slots,
        const struct gpucrypt_source *source, const struct gpucrypt_secret *secret);

/* Add a slot for each secret of the list `add`, or none if it is NULL, and remove the slot with the number `remove`,
 * or the recipient GPUCRYPT_SLOT_MEMBER(number, member), or none if that is -1; a slot that several recipients share is
 * not removed as a whole. The secret unlocks the container, or detached header, in the file fd, which is open for
 * reading and writing, and is locked during the call (flock(2)). At each moment one copy of the header is whole, and it
 * is on storage when this returns. A removed secret still opens older copies of the file. Errors: those of
 * gpucrypt_slots_read(), with nothing changed; GPUCRYPT_USAGE also if no slot is free, the slot to remove is unused or
 * the last one, or a secret to add has a slot already; GPUCRYPT_IO also if another process has locked the file;
 * GPUCRYPT_EXISTS if the container is not complete. */
GPUCRYPT_API int gpucrypt_slots_change(
        int fd, const struct gpucrypt_secret *secret, const struct gpucrypt_secret *add, int remove);

/* Public keys. */
#define GPUCRYPT_KEY_BYTES 4096 /* a key in DER is not longer */
#define GPUCRYPT_PEM_BYTES 4096 /* neither is a text of gpucrypt_key_generate() */

/* Make a key pair of GPUCRYPT_X25519 or GPUCRYPT_X25519_ML_KEM in PEM, each part with a terminator.  Errors:
 * GPUCRYPT_USAGE for another type, or if libcrypto has no ML-KEM; GPUCRYPT_OTHER. */
GPUCRYPT_API int gpucrypt_key_generate(
        char private_pem[GPUCRYPT_PEM_BYTES], char public_pem[GPUCRYPT_PEM_BYTES], enum gpucrypt_secret_type type);

/* The private or public key in a text of PEM (two blocks if it has ML-KEM), of OpenSSH's private format, or of a line
 * of authorized_keys becomes a secret whose bytes are in der; the caller wipes them. passphrase NULL: none. Errors:
 * GPUCRYPT_USAGE for other text or another type of key, and for a weak RSA key; GPUCRYPT_NO_KEY if a passphrase is
 * missing or wrong. */
GPUCRYPT_API int gpucrypt_key_read(struct gpucrypt_secret *secret, uint8_t der[GPUCRYPT_KEY_BYTES], const char *text,
        size_t length, const struct gpucrypt_secret *passphrase);

/* The id that slots have of a key, public or private.  Error: GPUCRYPT_USAGE for another secret. */
GPUCRYPT_API int gpucrypt_key_id(uint8_t id[GPUCRYPT_KEY_ID_BYTES], const struct gpucrypt_secret *secret);

/* Close the contexts of OpenCL devices, and free what the library keeps between calls; the next call that needs it
 * makes it again.  No other thread may be in the library, and no file may be open. */
GPUCRYPT_API void gpucrypt_release(void);

#ifdef __cplusplus
}
#endif
#endif
