/*
 * gpucrypt: bulk encryption of files with AES, Camellia and SC2000 on any OpenCL device, or on the
 * CPU.  The container is described in gcrypt(5).
 *
 * Every function returns a gpucrypt_status; after a failure gpucrypt_error() has one line of text
 * for people.  The library neither prints nor exits.  Functions may be called from several threads
 * at once; the error text belongs to the calling thread.
 */
#ifndef GPUCRYPT_H
#define GPUCRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	GPUCRYPT_OTHER = 1,   /* out of memory and the like */
	GPUCRYPT_USAGE = 2,   /* the caller asked for something impossible */
	GPUCRYPT_IO = 3,      /* reading or writing failed */
	GPUCRYPT_CORRUPT = 4, /* authentication failed, damaged, or not a container */
	GPUCRYPT_NO_KEY = 5,  /* no key slot opens with this secret */
	GPUCRYPT_EXISTS = 6,  /* would overwrite, or input and output are the same */
	GPUCRYPT_UNKNOWN = 7, /* a version, cipher or layout this release does not know */
	GPUCRYPT_DEVICE = 8   /* a device failed or computed something wrong */
};

/* Text of the first failure since the calling thread last entered the library; "" if none. */
GPUCRYPT_API const char *gpucrypt_error(void);

/* 0 leaves the choice to the library: the cipher is AES, the mode is CTR.  The other numbers of ciphers and modes are
 * those of a container's header (gcrypt(5)). */
enum gpucrypt_cipher { GPUCRYPT_CIPHER_AUTO, GPUCRYPT_AES, GPUCRYPT_CAMELLIA, GPUCRYPT_SC2000 };
enum gpucrypt_mode { GPUCRYPT_MODE_DEFAULT, GPUCRYPT_ECB, GPUCRYPT_CTR, GPUCRYPT_XTS };

/* GPUCRYPT_HYBRID: all GPUs and threads of the CPU at the same time. */
enum gpucrypt_engine { GPUCRYPT_ENGINE_AUTO, GPUCRYPT_OPENCL, GPUCRYPT_CPU, GPUCRYPT_HYBRID };

/* Layouts of a cipher's substitution tables, by the input bits of each table; not every cipher has each of them. */
enum table_id {
	TABLE_OPEN,
	TABLE_4,
	TABLE_1,
	TABLE_BITSLICED, /* no table: constant-time */
	TABLE_11_10_11,
	TABLE_6_5_5_5_5_6,
	TABLE_6_10_10_6,
	TABLE_16_16,
	N_TABLES
};

/* Where a kernel has its table or its round keys: OpenCL's address spaces, or a kernel argument by value. */
enum memory_space { MEMORY_OPEN, MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL, MEMORY_ARGUMENT, N_MEMORY_SPACES };

/* Who computes chunk tags; open: devices that are no CPU. */
enum tag_place { TAGS_OPEN, TAGS_ON_DEVICE, TAGS_ON_HOST };

/* How a cipher's kernels are built and launched; 0 in a field leaves it open. */
struct kernel_config {
	enum table_id table;
	enum memory_space table_space, key_space;
	unsigned replicas;        /* interleaved, of the table in local memory; a power of 2 */
	unsigned blocks_per_item; /* CTR: of 256 neighbouring blocks, whose first rounds' common part a
	                             work-item computes once; a power of 2 */
	unsigned work_items;      /* per work-group */
	unsigned work_groups;     /* per launch */
	bool portable;            /* OpenCL C only, where a vendor's assembly would be used */
};

/* One engine of the hybrid engine. */
struct gpucrypt_part {
	unsigned device;  /* as in a plan; 0: the CPU */
	unsigned threads; /* of the CPU */
	struct kernel_config kernel;
};

#define GPUCRYPT_MAX_PARTS  17
#define GPUCRYPT_NO_RECHECK (~0u) /* recheck: of no group */

/* What to compute and how; 0 in a field leaves it open. */
struct gpucrypt_plan {
	enum gpucrypt_cipher cipher;
	enum gpucrypt_mode mode;
	unsigned key_bits; /* 128, 192, 256; default 256 */
	enum gpucrypt_engine engine;
	unsigned device; /* 1 + the number `gcrypt devices` prints; 0: the best one, or all */
	bool or_cpu;     /* the CPU works where a device cannot be opened */
	/* Hybrid: who takes part; none: every GPU and accelerator (or the device), and threads of the
	 * CPU: as many as given, else a quarter of them for a cipher that processors have instructions
	 * for. */
	struct gpucrypt_part parts[GPUCRYPT_MAX_PARTS];
	unsigned n_parts;
	unsigned cpu_first; /* hybrid, if a device may take part: threads of the CPU that work on a
	                       container until the devices are open; default: threads */
	bool constant_time; /* no step takes a time that depends on keys or data */
	struct kernel_config kernel;
	enum tag_place tags;
	unsigned threads;      /* CPU threads; default: all */
	unsigned chunk_log2;   /* bytes under one tag, 12 to 20; default 17 */
	unsigned group_log2;   /* bytes under one page, chunk_log2 to chunk_log2 + 7; default 23 */
	unsigned sector_log2;  /* of the detached layout, which the functions below do not write: 0 */
	uint64_t memory_bytes; /* for all buffers of groups together; default: 640 MiB at most */
	bool sparse;           /* store chunks of zeros as holes, which shows where they are */
	unsigned recheck;      /* of one group in so many a chunk is computed again by the CPU, and
	                          a difference is GPUCRYPT_DEVICE; default 64 */
};

enum gpucrypt_secret_type { GPUCRYPT_PASSPHRASE = 1, GPUCRYPT_KEY_FILE = 2, GPUCRYPT_X25519 = 3, GPUCRYPT_RSA = 4 };

struct gpucrypt_derived;

struct gpucrypt_secret {
	enum gpucrypt_secret_type type;
	/* Passphrase as given; or the 32 bytes of a key file; or in DER the SubjectPublicKeyInfo of a
	 * public key, which only encrypts, or a private key (PKCS#8). */
	const uint8_t *bytes;
	size_t length;
	/* Another that is to open what is encrypted, up to 8 in all; when decrypting, another private key
	 * to try. */
	const struct gpucrypt_secret *next;
	struct gpucrypt_derived *derived; /* NULL, or of the library */
	/* Of a passphrase: scrypt's log2 N when encrypting, 10 to 20, ~0u: what takes a second here, 0: 17;
	 * and the memory a slot may ask for when decrypting, in bytes, 0: 1 GiB.  Slots that need more, or
	 * all together more than twice the time, are passed over. */
	unsigned scrypt_log2_n;
	uint64_t max_kdf_bytes;
};

/* Called now and then, by one thread at a time: bytes of input done, and their total (UINT64_MAX: unknown). */
struct gpucrypt_progress {
	void (*report)(void *self, uint64_t done_bytes, uint64_t total_bytes);
	void *self;
};

/*
 * Encrypt everything from in_fd into a container on out_fd, decrypt a container, or only
 * authenticate one.  Output starts where out_fd stands; regular files are written by position,
 * everything else in order.  On failure what was written to out_fd must be discarded: for decryption it consists of
 * whole authenticated groups from the start.  plan NULL: everything is chosen.  progress may be NULL.
 */
GPUCRYPT_API int gpucrypt_encrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress);
GPUCRYPT_API int gpucrypt_decrypt(int in_fd, int out_fd, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress);
GPUCRYPT_API int gpucrypt_verify(int in_fd, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress);

#ifdef __cplusplus
}
#endif
#endif
