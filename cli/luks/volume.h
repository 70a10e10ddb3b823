/*
 * LUKS volumes: headers and key slots, which libcryptsetup reads and writes, without device-mapper.  Reading and
 * writing the payload is the caller's part.  In a build without libcryptsetup all functions but luks_found() fail with
 * GPUCRYPT_UNKNOWN.
 */
#ifndef CLI_LUKS_VOLUME_H
#define CLI_LUKS_VOLUME_H

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/gpucrypt.h"
#include "gpucrypt/pipeline/source.h"

#define LUKS_HEADER_BYTES  (UINT64_C(16) << 20) /* of a new volume: where its payload starts */
#define LUKS_MIN_KEY_BYTES 16
#define LUKS_MAX_KEY_BYTES 64
#define LUKS_LABEL_BYTES   47 /* longer ones are cut by libcryptsetup */

struct crypt_device; /* <libcryptsetup.h> */

struct luks_volume {
	struct crypt_device *device; /* owned */
	const char *name;            /* for messages; not owned */
	int fd;                      /* of the header; not owned */
	int header_fd;               /* owned: a header that is not in the input, or that is made in memory; or 0 */
	int data_fd;                 /* owned: in place of the image while the header is made; or 0 */
	unsigned version;            /* 1 or 2 */
	const char *cipher, *mode;   /* these four: of a volume that was opened, from its header; the device's */
	const char *uuid, *label;    /* "": none */
	unsigned key_bytes;          /* of the volume key */
	struct suite suite;          /* the direction is the caller's */
	unsigned sector_bytes;       /* of a data unit */
	uint64_t payload;            /* where the payload starts, in bytes */
	uint64_t iv_start;           /* number of its first sector of 512 bytes */
	unsigned digest_iterations;  /* maximum over the digests; set by luks_check_payload() */
	int slot;                    /* that opened the volume */
	uint8_t *key;                /* LUKS_MAX_KEY_BYTES; owned; locked memory */
	char error[256];             /* what libcryptsetup said last */
};

#define LUKS_NONE ((struct luks_volume){ 0 }) /* no open descriptor: program_start() keeps 0 to 2 for other uses */

/* A new volume. */
struct luks_terms {
	struct suite suite;
	unsigned sector_bytes;
	uint64_t image_bytes;
	bool detached;     /* the header is a file of its own, and the payload starts at 0 */
	const char *kdf;   /* "argon2id" or "pbkdf2"; NULL: argon2id */
	unsigned kdf_cost; /* log2 of Argon2's memory in KiB, or of PBKDF2's iterations; 0: about two seconds here */
	const char *label, *uuid; /* NULL: none, randomly chosen */
};

/* Load libcryptsetup.  luks_open() and luks_format() load it too; this is for a caller that must know early whether it
 * is there.  GPUCRYPT_UNKNOWN; the message starts with `needed_by`, a file or an option. */
int luks_load(const char *needed_by);

/* *found: the file or device begins with a LUKS header; false for a pipe, of which nothing is read. */
int luks_found(bool *found, const struct source *source);

/* Make a volume key, and a LUKS2 header of LUKS_HEADER_BYTES bytes in volume->header_fd with one key slot. */
int luks_format(struct luks_volume *volume, const char *name, const struct luks_terms *terms,
        const struct gpucrypt_secret *secret);

/* Read the header of a file, whose descriptor stays open until luks_close(); nothing is written to the file.
 * GPUCRYPT_CORRUPT. */
int luks_open(struct luks_volume *volume, int fd, const char *name);

/* Set the suite.  GPUCRYPT_UNKNOWN for a cipher, mode or state whose payload cannot be read here. */
int luks_check_payload(struct luks_volume *volume);

/* A key slot, which nothing authenticates. */
struct luks_slot {
	bool taken;       /* also by a key that is not the volume's (an unbound slot), or of an unknown type */
	bool used;        /* for the volume key */
	const char *kdf;  /* "argon2id", "argon2i" or "pbkdf2" */
	const char *hash; /* of PBKDF2 */
	unsigned iterations, memory_kib, threads;
	const char *area_cipher; /* of the slot's area, with mode; NULL: none */
	size_t area_key_bytes;
	unsigned key_bytes; /* of the key in the slot */
};

/* False if the version has no slot of that number. */
bool luks_slot(const struct luks_volume *volume, int number, struct luks_slot *slot);

/* Are both copies of the header intact?  GPUCRYPT_CORRUPT.  LUKS1 has one, which luks_open() checked. */
int luks_verify_header(const struct luks_volume *volume);

/*
 * The cost of unlocking a volume, computed before the first derivation: nothing authenticates a header, so it can ask
 * for any amount of memory and time.
 */

/* Budget of all key slots and digests that are tried, in iterations of PBKDF2: about a minute. */
#define LUKS_BUDGET (1u << 27)
/* Cost of a pass of Argon2 over all the memory that is allowed, in iterations of PBKDF2. */
#define LUKS_PASS (1u << 20)

struct luks_cost {
	uint64_t max_bytes;  /* for one derivation; set by the caller */
	double iterations;   /* of PBKDF2, sum over the slots that are tried */
	uint64_t memory_kib; /* maximum over these slots */
	uint32_t slots;      /* bit i: slot i is tried */
	unsigned n_skipped;
};

/* Maximum cost of luks_unlock().  Precondition: luks_check_payload() accepted the volume. */
struct luks_cost luks_unlock_cost(const struct luks_volume *volume, uint64_t max_kdf_bytes);

/* Get the volume key, which its digest proves.  GPUCRYPT_NO_KEY. */
int luks_unlock(struct luks_volume *volume, const struct gpucrypt_secret *secret);

/* GB/s of the kernel's cipher in XTS on one CPU, as `cryptsetup benchmark` measures them; false: the kernel does not
 * offer it to programs. */
struct luks_speed {
	double encrypt, decrypt;
};
bool luks_kernel_speed(struct luks_speed *speed, const struct suite *suite);

void luks_close(struct luks_volume *volume);

/* Shall the next slot be tried?  If so, its cost is added.  Precondition: the slot is used.  A slot is skipped if its
 * area has no real cipher, if its key has another size than the volume key, or if it exceeds budget or memory. */
bool luks_slot_is_tried(struct luks_cost *cost, const struct luks_volume *volume, const struct luks_slot *slot);

/* For volume.c.  A LUKS2 header has two copies, each with a JSON text (LUKS2 On-Disk Format Specification, 2 and 3). */

/* Replace the payload's cipher, in both copies; the mode stays.  The file is in memory, and nobody else uses it. */
int luks_set_cipher(int fd, const char *cipher);

/* GPUCRYPT_CORRUPT if the checksum of a copy is wrong, or the copies are of different ages. */
int luks_check_copies(int fd, const char *name);

/* GPUCRYPT_UNKNOWN unless one segment reaches to the volume's end, which is all that libcryptsetup's functions tell,
 * no digest takes more than LUKS_BUDGET, and the areas of key slots have keys of 16 to 64 bytes.  *digest_iterations:
 * the maximum over the digests. */
int luks_check_text(unsigned *digest_iterations, const char *text, const char *name);

#endif
