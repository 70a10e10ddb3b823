/*
 * Engines encrypt and decrypt buffers: one interface for OpenCL devices and the CPU.  An engine is opened for one suite
 * and direction, and has lanes that work at the same time; each lane is used by one thread of the caller.
 */
#ifndef GPUCRYPT_ENGINE_ENGINE_H
#define GPUCRYPT_ENGINE_ENGINE_H

#include <pthread.h>

#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/engine/plan.h"

struct span;
struct host_core;
struct recryption;
struct host_buffer;

/* Cipher, mode and key size of an engine. */
struct suite {
	const struct cipher *cipher;
	const struct mode *mode;
	unsigned key_bytes; /* length of each of the mode's keys: 16, 24 or 32 */
	enum direction direction;
};

/*
 * One buffer of work.  in and out may be the same; both can be read and written up to the next
 * multiple of 16 bytes.  ECB: n_bytes is a multiple of 16.  XTS: the buffer starts at a data unit's start,
 * and every data unit but the last is whole; a last one that is no multiple of 16 (but over 16) uses
 * ciphertext stealing.
 */
struct work {
	const uint8_t *in;
	uint8_t *out;
	size_t n_bytes;
	uint64_t first_block; /* number of the buffer's first block in the stream that iv belongs to */
	const uint8_t *key;   /* mode->n_keys × key_bytes; not owned */
	uint8_t iv[16];       /* CTR: counter of block 0, big-endian; XTS: tweak of data unit 0, little-endian */
	unsigned unit_log2;   /* XTS: log2 of the bytes in a data unit, 9 to 12; else 0 */
	uint32_t tweak_step;  /* XTS: from one data unit's tweak to the next */
	/* If engine->tags: Poly1305 with s = 0 of every chunk of 2^chunk_log2 bytes of the ciphertext; the
	 * last chunk may be shorter. */
	const uint8_t *tag_r; /* 16 bytes, not owned; NULL: no tags */
	uint8_t (*tags)[16];
	unsigned chunk_log2;
	/* The buffer that in and out are in, with room for a block and twice all tags after out.  An engine may
	 * replace it by another buffer, which has the same bytes before out, the result in the place of out, and no
	 * defined content after the result.  NULL: the result is at out. */
	struct host_buffer *slot;
};

/* Memory of the host, page aligned. */
struct host_buffer {
	uint8_t *bytes;
	void *handle; /* the engine's handle; NULL: not page-locked */
	size_t n_bytes;
	size_t used_bytes; /* from its start; wiped before the memory is released */
};

#define ENGINE_TEXT 512
#define NOTE_BYTES  512

struct engine {
	const struct engine_class *class;
	struct suite suite;
	unsigned lanes;
	unsigned devices;              /* number of OpenCL devices; 0: CPU only */
	bool tags;                     /* crypt() can compute work->tags */
	uint64_t pass_blocks;          /* blocks in one pass over the device's grid; 0: no grid */
	size_t test_bytes;             /* known answers are tested in a buffer of so many at least */
	unsigned spare_slots;          /* buffers that fast lanes need in addition while a slow lane holds one */
	unsigned results;              /* buffers of a slot's size that lanes of devices own */
	const void *code;              /* identifies what computes: equal for equal results; NULL: not known */
	bool no_ecc;                   /* on a GPU whose memory has no error correction */
	bool wrong;                    /* a known answer was wrong */
	bool tested;                   /* known answers were right: from then on the CPU may do the work of a device */
	struct engine *before;         /* of a recryption: the engine that decrypts first; not owned; or NULL */
	struct engine *bare;           /* of engine_opencl: engine_opencl_bare's; not owned */
	double most_bytes_per_s;       /* work at a higher rate is checked; 0: no rate is known */
	char description[ENGINE_TEXT]; /* "NVIDIA H200 (OpenCL), table 4, local, …" */
	char note[NOTE_BYTES];         /* why not all is as the plan says; "" if it is */
};

struct engine_class {
	const char *name;
	enum gpucrypt_engine id; /* GPUCRYPT_ENGINE_AUTO: no plan can name it */
	/* On success *engine is owned by the caller.  before: see struct recryption, or NULL.  GPUCRYPT_DEVICE: this
	 * machine cannot open it. */
	int (*open)(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan,
	        struct engine *before);
	/* Encrypt or decrypt.  NULL: recrypt() does this, with a recryption whose `alone` is set. */
	int (*crypt)(struct engine *engine, unsigned lane, const struct work *work);
	void (*close)(struct engine *engine);
	/* Page-lock memory, so that transfers from and to it are fastest, and set its handle; and unlock it.
	 * Both NULL: page-locking has no use. */
	int (*lock)(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);
	void (*unlock)(struct engine *engine, struct host_buffer *buffer);
	/* See struct recryption; NULL: two independent engines of this class decrypt and encrypt. */
	int (*recrypt)(struct engine *engine, unsigned lane, struct recryption *recryption);
};

/* engine_host: the reference implementation in the table form of the plan, on one lane.
 * engine_libcrypto: the CPU engine with libcrypto only, for comparisons; libcrypto must have the suite. */
extern const struct engine_class engine_cpu, engine_opencl, engine_all, engine_host, engine_libcrypto;

/*
 * engine_opencl waits for a device with a deadline.  A device that misses it, or fails, is left: the CPU does its work,
 * from the group on that the device did not finish.  devices_left(): which were left in this process, and why, for
 * people; NULL: none.
 *
 * Has a device failed in this process, left or not?  No memory that it might use is released then, and no other OpenCL
 * engine is opened.  The process must end by _exit(): a driver's destructors may wait for the device.
 */
const char *devices_left(void);
bool devices_failed(void);
#define FAILED_BEFORE "OpenCL: a device has failed before"

/* engine may be NULL. */
static inline unsigned engine_devices(const struct engine *engine)
{
	return engine != NULL ? engine->devices : 0;
}

/* True if the engine's lanes are CPU threads that do all work themselves.  engine may be NULL. */
static inline bool engine_on_cpu(const struct engine *engine)
{
	return engine != NULL && engine->class == &engine_cpu;
}

bool libcrypto_has(const struct suite *suite);

/* Implementation by which the CPU engine computes a suite on this processor. CODE_INSTRUCTIONS and CODE_BITSLICED are
 * constant-time, and so is CODE_LIBCRYPTO if constant_time is set; with constant_time CODE_TABLES is never chosen. */
enum cpu_code { CODE_INSTRUCTIONS, CODE_BITSLICED, CODE_LIBCRYPTO, CODE_TABLES };
enum cpu_code cpu_code(const struct suite *suite, bool constant_time);

/* The instruction form that the plan names, else the best form of this processor; NULL: the CPU engine uses none. */
const struct instruction_form *cpu_form(const struct suite *suite, const struct gpucrypt_plan *plan);

/*
 * Encrypt or decrypt a buffer by one core of this processor, on the calling thread, with its tags if work->tag_r is
 * set.  Each piece is read once, encrypted and tagged while the first-level cache has it, and written once.  tables:
 * indexed by direction; NULL if the core uses no tables.
 */
int core_crypt(const struct suite *suite, const struct host_core *core, const uint32_t *const *tables,
        const struct work *work);

/* The CPU engine's description, without opening the engine. */
void cpu_describe(char *text, size_t n, const struct suite *suite, const struct gpucrypt_plan *plan, unsigned threads);

/*
 * Open the engine a plan names and test its known answers before any data: a wrong answer is
 * GPUCRYPT_DEVICE.  With GPUCRYPT_ENGINE_AUTO, OpenCL on a GPU or accelerator if there is one, else the CPU; where
 * OpenCL cannot be opened and plan_gives_way(), or a device has been left, the CPU is used and engine->note says why.
 * A plan with a device and no engine means OpenCL.  A kernel configuration that no device can have is GPUCRYPT_USAGE
 * with every engine.
 */
int engine_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan);

/* The same for a class.  before: see struct recryption, or NULL.  If an OpenCL device gives wrong answers with the
 * plan's form of the cipher, it gets another form, unless plan->strict_device is set; engine->note says so. */
int engine_open_tested(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan, struct engine *before);

/* Open the CPU engine in place of another one.  why is copied to engine->note; "" if no other engine was tried. */
int engine_open_cpu(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, const char *why);

/* The CPU engine for the suite of an engine, and for the suite of the one before it, with as many lanes.  Without a
 * self-test. */
int engine_open_cpu_for(struct engine **cpu, const struct engine *engine, bool constant_time);

/* The hybrid engine: several engines as one, whose lanes are all their lanes. */

/* Groups that devices complete while a thread of the CPU works on one. */
#define ALL_SPARE_SLOTS 32

/*
 * Join engines that are open and tested, for the same suite; *all owns them, and on failure they are
 * closed.  Buffers are page-locked by the first engine that can.  Tags that an engine does not compute are
 * computed on the lane, from the same bytes.
 */
int engine_join(struct engine **all, struct engine *const *parts, unsigned n_parts);

/* The plan of one part, for the OpenCL or the CPU engine. */
struct gpucrypt_plan plan_of_part(const struct gpucrypt_plan *plan, const struct gpucrypt_part *part);

/* Threads of the CPU in addition to so many devices, where nothing is predicted. */
unsigned all_threads(const struct suite *suite, const struct gpucrypt_plan *plan, unsigned n_devices);

/* The description of the parts: "A + 2 × (B)". */
void all_describe(char text[ENGINE_TEXT], const char *const *parts, unsigned n_parts);

/* An engine that is opened on a separate thread, while keys are derived or other engines are opened. */
struct opening {
	pthread_t thread;
	bool apart; /* a separate thread was started */
	const struct suite *suite;
	const struct gpucrypt_plan *plan;
	const struct engine_class *class;
	struct engine *engine;
	int status;
	char text[1024]; /* message of the failure */
};

/* Start engine_open(), or engine_open_tested() if there is a class; suite and plan must stay valid until
 * opening_finish(). */
void opening_start(struct opening *opening, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct engine_class *class);

/* Wait for the engine.  Call opening_finish() once after each opening_start(). */
int opening_finish(struct opening *opening, struct engine **engine);

int engine_crypt(struct engine *engine, unsigned lane, const struct work *work);

/* At most n bytes of work from byte start on, a multiple of 16 (XTS: of a data unit), with the tags from the chunk on
 * that contains start. */
struct work work_slice(const struct work *work, size_t start, size_t n);

/* Where the result is: offset is what work_offset() returned before. */
static inline size_t work_offset(const struct work *work)
{
	return work->slot == NULL ? 0 : (size_t)(work->out - work->slot->bytes);
}

static inline uint8_t *work_result(const struct work *work, size_t offset)
{
	return work->slot == NULL ? work->out : work->slot->bytes + offset;
}

void engine_close(struct engine *engine); /* NULL is fine */

/* Memory for the work of an engine, which may be NULL.  Wiped, and released before the engine is closed; a zeroed
 * buffer can be released. */
int engine_allocate(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);

void engine_release(struct engine *engine, struct host_buffer *buffer);

/* The direction of the block cipher: CTR decrypts by encrypting. */
static inline enum direction suite_direction(const struct suite *suite)
{
	return suite->mode->encrypts_only ? ENCRYPT : suite->direction;
}

/* Fill the parameters common to all work-items of a launch: block counts, first number, size of data units.  tweaks
 * stays NULL. */
void span_of_work(struct span *span, const struct suite *suite, const struct work *work);

/* The number of a span's block or data unit n as 16 bytes: big-endian for CTR, little-endian for XTS. */
void iv_of_number(uint8_t iv[16], const struct span *span, uint64_t n, bool little);

/* Data units of a buffer of XTS (the last may be short), and the tweaks that the first pass writes. */
uint64_t units_of_work(const struct work *work);
uint64_t tweaks_of_work(const struct work *work);

/* Errors: GPUCRYPT_USAGE for an unknown cipher, mode or key size.  Defaults: AES, CTR (XTS if detached), 256 bits. */
int suite_of_plan(struct suite *suite, const struct gpucrypt_plan *plan, enum direction direction);

/* Known-answer tests.  An engine must pass these tests before it processes data. */

/* Single blocks from the cipher's standard, then longer buffers against the mode's definition, computed block by
 * block.  GPUCRYPT_DEVICE if an answer is wrong. */
int selftest_engine(struct engine *engine);

struct selftest_result {
	unsigned count[3]; /* number of configurations, by outcome */
};

enum selftest_outcome { SELFTEST_PASSED, SELFTEST_FAILED, SELFTEST_SKIPPED };

/* Called for each configuration, whose plan has the table form if it is of a device; text says why it failed or was
 * skipped ("" if it passed). */
typedef void selftest_report(void *self, const struct gpucrypt_plan *plan, const char *configuration,
        enum selftest_outcome outcome, const char *text);

/*
 * The CPU engine in every instruction form, the reference implementation in every form and every usable OpenCL device,
 * or only the plan's device: cipher × key size × mode × direction in the default form, then every form × placement once
 * (128-bit CTR); with all, the full product.  Devices use the plan's work-items and work-groups.
 * shard of n_shards: only configurations whose number mod n_shards is shard.
 */
int selftest_run(struct selftest_result *result, const struct gpucrypt_plan *plan, bool all, unsigned shard,
        unsigned n_shards, selftest_report *report, void *self);

/*
 * From one suite to another in one pass: an engine encrypts what another one has decrypted, lane by lane, on the same
 * device.  An OpenCL device does both in one buffer, so that plaintext never leaves the device.
 */

/* One buffer of work: both halves are in place and on the same bytes, and start equally many blocks
 * behind a chunk's start.  Each may have padding behind the plaintext, up to whole blocks. */
struct recryption {
	struct work decrypt, encrypt;
	size_t plain_bytes;
	bool alone;                  /* only encrypt */
	uint8_t filler[BLOCK_BYTES]; /* result: the padding that was decrypted; zeros are encrypted in its place */
};

/*
 * Open an engine that encrypts, of the class and on the device of *before, which is open and decrypts, and is
 * closed after *engine.  The plan has the kernel configuration.  GPUCRYPT_DEVICE as with engine_open(): if
 * plan_gives_way(), *before is closed and replaced by the CPU engine for its suite.  GPUCRYPT_USAGE for the hybrid
 * engine.
 */
int engine_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine **before);

/* The plan of the engine that decrypts first: its own table form and work-items, and the device of the other one. */
struct gpucrypt_plan plan_before(const struct gpucrypt_plan *decrypt, const struct gpucrypt_plan *encrypt);

/* Tags are of the ciphertexts before and after, if the engine of that half computes tags. */
int engine_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption);

/* The part of a recryption in n bytes (whole chunks, or blocks if there are no tags) from start on. */
struct recryption recryption_piece(const struct recryption *whole, size_t start, size_t n);

/*
 * Checks of a device while it works: in one group of so many, randomly sampled, the CPU computes one chunk again and
 * compares it with the device's result.
 */

struct recheck {
	struct engine *engine; /* the engine under check; not owned */
	struct engine *cpu;    /* owned; has as many lanes as engine; NULL: no checks */
	unsigned one_in;
	unsigned item_log2, chunk_log2; /* bytes of the input in an item and in a chunk */
	uint64_t seed;
};

/* Compute chunks again as often as plan->recheck says; engine may be NULL. The CPU engine is not rechecked, because the
 * same code would compute the same result. All work with tags must have this chunk_log2. */
int recheck_open(struct recheck *recheck, struct engine *engine, const struct gpucrypt_plan *plan, unsigned item_log2,
        unsigned chunk_log2);
void recheck_close(struct recheck *recheck); /* may be zeroed */

/* engine_crypt() of an item (a group of a container, a segment of raw data).  GPUCRYPT_DEVICE if the
 * CPU computes another result, or another tag of a chunk. */
int recheck_crypt(const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item);

/* The same for engine_recrypt(). */
int recheck_recrypt(const struct recheck *recheck, unsigned lane, struct recryption *recryption, uint64_t item);

#endif
