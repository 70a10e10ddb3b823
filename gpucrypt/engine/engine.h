/*
 * Engines: what turns a buffer into its encryption.  One interface for OpenCL devices and the CPU.
 * An engine is opened for one suite and direction and has lanes that work at the same time, each
 * driven by one thread of the caller.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/engine/plan.h"
#include "gpucrypt/crypto/mode.h"

struct span;
struct recryption;

/* What is computed. */
struct suite {
	const struct cipher *cipher;
	const struct mode *mode;
	unsigned key_bytes; /* 16, 24, 32; of one of the mode's keys */
	enum direction direction;
};

/*
 * One buffer of work.  in and out may be the same; both can be read and written up to the next
 * multiple of 16 bytes.  ECB: bytes is a multiple of 16.  XTS: the buffer starts at a unit's start,
 * and every unit but the last is whole; a last unit that is no multiple of 16 (but over 16) uses
 * ciphertext stealing.
 */
struct work {
	const uint8_t *in;
	uint8_t *out;
	size_t n_bytes;
	uint64_t first_block; /* number of the buffer's first block in the stream that iv belongs to */
	const uint8_t *key;   /* mode->n_keys × key_bytes; not owned */
	uint8_t iv[16];       /* CTR: counter of block 0, big-endian; XTS: tweak of unit 0, little-endian */
	unsigned unit_log2;   /* XTS: bytes in a unit, 9 to 12; 0 elsewhere */
	uint32_t tweak_step;  /* XTS: from one unit's tweak to the next */
	/* Where engine->tags: Poly1305 with s = 0 of every 2^chunk_log2 bytes of the ciphertext, the
	 * last of which may be fewer. */
	const uint8_t *tag_r; /* 16 bytes, not owned; NULL: none is wanted */
	uint8_t (*tags)[16];
	bool tag_room; /* behind out's last block there is room for all of them, which is overwritten */
	unsigned chunk_log2;
};

/* Memory of the host, page aligned. */
struct host_buffer {
	uint8_t *bytes;
	void *handle; /* the engine's; NULL: it is not page-locked */
	bool asked;   /* the engine was, to page-lock it */
};

#define ENGINE_TEXT 512

struct engine {
	const struct engine_class *class;
	struct suite suite;
	unsigned lanes;
	unsigned devices;              /* that work for it; 0: only the CPU does */
	bool tags;                     /* crypt() can do work->tags beside */
	uint64_t pass_blocks;          /* in one pass over the device's grid; 0: there is no grid */
	unsigned spare_slots;          /* fast lanes want so many more while a slow one has its buffer */
	struct engine *before;         /* recrypt.h: whose results this one goes on with; not owned; or NULL */
	char description[ENGINE_TEXT]; /* "NVIDIA H200 (OpenCL), table 4, local, …" */
	char note[256];                /* why the engine asked for first was not used; "" if it was */
};

struct engine_class {
	const char *name;
	enum gpucrypt_engine id; /* GPUCRYPT_ENGINE_AUTO: no plan can name it */
	/* Open for plan->…; on success *engine is owned by the caller.  GPUCRYPT_DEVICE: not possible. */
	int (*open)(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan);
	int (*crypt)(struct engine *engine, unsigned lane, const struct work *work);
	void (*close)(struct engine *engine);
	/* Page-lock memory, so that transfers from and to it are fastest, and set its handle; and let go
	 * of it.  Both NULL: any memory is as good. */
	int (*lock)(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);
	void (*unlock)(struct engine *engine, struct host_buffer *buffer);
	/* recrypt.h; both NULL: by two engines of this class that do not know each other. */
	int (*open_after)(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan,
	        struct engine *before);
	int (*recrypt)(struct engine *engine, unsigned lane, struct recryption *recryption);
};

/* engine_host: the host core alone, in the table form of the plan: the reference, on one lane.
 * engine_libcrypto: the CPU engine held to libcrypto, where it has the suite: to be compared with. */
extern const struct engine_class engine_cpu, engine_opencl, engine_all, engine_host, engine_libcrypto;

/* NULL: there is no engine. */
static inline unsigned engine_devices(const struct engine *engine)
{
	return engine != NULL ? engine->devices : 0;
}

/* Are its lanes threads of the CPU, which do all work themselves?  NULL: no. */
static inline bool engine_on_cpu(const struct engine *engine)
{
	return engine != NULL && engine->class == &engine_cpu;
}

/* Has libcrypto this suite; and does the CPU engine leave it to libcrypto?  Else the host core works,
 * bitsliced if that is faster or has to be. */
bool libcrypto_has(const struct suite *suite);
bool cpu_takes_libcrypto(const struct suite *suite, bool constant_time);

/* The CPU engine's description before it is opened (the other one: opencl_describe()). */
void cpu_describe(char *text, size_t n, const struct suite *suite, unsigned threads, bool constant_time);

/*
 * Open the engine a plan names and check its known answers before any data: a wrong answer is
 * GPUCRYPT_DEVICE.  With "auto", OpenCL on a GPU or accelerator if there is one, else the CPU; when
 * OpenCL cannot be opened and plan_gives_way(), the CPU is used and engine->note says why.  A plan that
 * names a device and no engine means OpenCL.  Options no device could follow are GPUCRYPT_USAGE with
 * every engine.
 */
int engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan);
int engine_open_class(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan);

/* The CPU engine in place of another one: why goes into engine->note; "": nothing else was tried. */
int engine_open_cpu(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, const char *why);

int engine_crypt(struct engine *engine, unsigned lane, const struct work *work);
void engine_close(struct engine *engine); /* NULL is fine */

/* Memory to work in; engine may be NULL.  Released before the engine is closed; zeroed is fine. */
int engine_allocate(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);

/* Page-lock memory of n_bytes that is there, for another engine than it was asked of, if that has a use
 * for it; what it holds is lost.  That it cannot be done is no failure: it is slower, and no worse. */
void engine_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);
void engine_release(struct engine *engine, struct host_buffer *buffer);

/* What the cipher does: CTR decrypts by encrypting. */
static inline enum direction suite_direction(const struct suite *suite)
{
	return suite->mode->encrypts_only ? ENCRYPT : suite->direction;
}

/* The common part of a launch: block counts, first number, unit size.  tweaks is left NULL. */
void span_of_work(struct span *span, const struct suite *suite, const struct work *work);

/* The number of a span's block or unit n as 16 bytes: big-endian for CTR, little-endian for XTS. */
void iv_of_number(uint8_t iv[16], const struct span *span, uint64_t n, bool little);

/* Units of a buffer of XTS (the last may be short), and the tweaks that the pre-pass makes. */
uint64_t units_of_work(const struct work *work);
uint64_t tweaks_of_work(const struct work *work);

/* GPUCRYPT_USAGE for a number that is none.  Defaults: AES, CTR (XTS if detached), 256 bits. */
int suite_of_plan(struct suite *suite, const struct gpucrypt_plan *plan, enum direction direction);

#endif
