/* A block cipher as a constant descriptor; everything that varies by cipher is one of its fields. */
#ifndef GPUCRYPT_CRYPTO_CIPHER_H
#define GPUCRYPT_CRYPTO_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/config.h"

#define BLOCK_BYTES         16
#define MAX_ROUND_KEY_WORDS 68

enum direction { ENCRYPT, DECRYPT };

struct round_keys {
	uint32_t word[MAX_ROUND_KEY_WORDS];
	int rounds; /* of the core's loop: what -DROUNDS= says to a device */
};

/* One layout of a cipher's substitution tables; or the bitsliced form, which has none. */
struct table_form {
	enum table_id id;
	const char *name;                  /* as in --table */
	int number;                        /* -DTABLE_FORM= */
	const char *sources;               /* the core's file names in kernels/, separated by spaces */
	unsigned words;                    /* in one direction's table; 0: bitsliced, constant-time */
	const uint32_t *table[2];          /* by direction, generated at build time */
	const struct host_core *host_core; /* the same form, compiled by the C compiler */
};

/* One way to compute a cipher by a processor's instructions: constant-time, without tables. */
struct instruction_form {
	enum table_id id;
	const char *name;             /* as in --table */
	unsigned vector_bits;         /* 512, 256 or 128 */
	unsigned needs;               /* enum cpu_feature, all of them */
	const struct host_core *core; /* takes no table */
};

/* Instruction sets of this processor for which the library has separate forms.  Each is set only if the processor has
 * all its instructions (CPUID; on AArch64 the kernel says so) and the system keeps their registers (XCR0). */
enum cpu_feature {
	CPU_AES = 1,    /* x86-64: AES-NI, PCLMULQDQ, SSSE3; AArch64: AESE and PMULL of ARMv8 */
	CPU_VAES = 2,   /* VAES, VPCLMULQDQ, AVX2 */
	CPU_GFNI = 4,   /* GFNI, VPCLMULQDQ, AVX2 */
	CPU_AVX512 = 8, /* AVX-512 F, BW, VL, DQ */
	CPU_VBMI = 16,  /* AVX-512 VBMI */
	CPU_IFMA = 32,  /* AVX-512 IFMA, VBMI2 */
};

/* Bits of enum cpu_feature; 0 on processors other than x86-64 and AArch64.  Any thread. */
unsigned cpu_features(void);

struct known_answer {
	unsigned key_bytes;
	const char *key, *plaintext, *ciphertext; /* hexadecimal */
};

struct cipher {
	const char *name;
	const char *reference;                  /* the standard */
	uint8_t id;                             /* in the container */
	const char *libcrypto;                  /* libcrypto's name of it, as in NAME-128-CTR; NULL: it has none */
	bool has_instructions;                  /* libcrypto uses processor instructions, which are constant-time */
	bool only_named;                        /* not recommended today: chosen by name, or with --allow */
	unsigned round_key_words[3], rounds[3]; /* by key size: 128, 192, 256 bits */
	/* Expand a key of 16, 24 or 32 bytes; keys->rounds is set.  Called by cipher_expand(). */
	void (*expand)(struct round_keys *keys, const uint8_t *key, unsigned key_bytes, enum direction direction);
	const struct table_form *forms; /* the first one is the default */
	unsigned n_forms;
	const struct instruction_form *instructions; /* the fastest one first */
	unsigned n_instructions;
	unsigned vector_instructions[3]; /* by key size: of a form by AVX-512, those that compute 16 vectors of blocks,
	                                    without loads, counters, tweaks and transpositions */
	struct known_answer known_answers[3]; /* one for each key size, from the standard */
};

#define X(name, ...) extern const struct cipher cipher_##name;
#include "kernels/ciphers.inc"
#undef X
extern const struct cipher *const ciphers[]; /* ends with NULL */

/* Round keys and their number for a direction; the caller wipes them. */
void cipher_expand(const struct cipher *cipher, struct round_keys *keys, const uint8_t *key, unsigned key_bytes,
        enum direction direction);

/* NULL: there is none of that number. */
const struct cipher *cipher_by_id(unsigned id);

/* NULL: the cipher has no such form.  Every cipher has TABLE_BITSLICED, under this name. */
const struct table_form *cipher_form(const struct cipher *cipher, enum table_id id);
#define BITSLICED_NAME "none"

/* NULL: the cipher has no such form; or none that this processor has. */
const struct instruction_form *instruction_form_by_id(const struct cipher *cipher, enum table_id id);
const struct instruction_form *instruction_form_choose(const struct cipher *cipher);

/* "CIPHER FORM, …" for those that have one; else "none". */
void instruction_forms_text(char *text, size_t n_text);
bool instruction_form_is_available(const struct instruction_form *form);

static inline bool form_is_sliced(const struct table_form *form)
{
	return form->words == 0;
}

/* Modes of operation over any cipher. */

#define X(NAME, ...) MODE_##NAME,
enum mode_number {
#include "kernels/modes.inc"
	N_MODES
};
#undef X

struct mode {
	enum mode_number number; /* index into host_core.crypt */
	const char *name;
	const char *reference;
	const char *sources;        /* file names in kernels/, separated by spaces */
	const char *slice_sources;  /* the same for the bitsliced form */
	const char *cached_sources; /* for several blocks per work-item that share rounds; NULL: none */
	uint8_t id;                 /* in the container */
	unsigned n_keys;            /* XTS has two, one after the other */
	bool encrypts_only;         /* decryption is the same operation (CTR) */
	bool whole_blocks;          /* the container pads the last block with zeros */
	bool takes_iv;              /* 16 bytes, the first counter block (CTR) */
	bool pads;                  /* whole blocks only: raw mode pads by PKCS#7 (ECB) */
	bool has_tweaks;            /* one encrypted number per data unit, computed in a first pass */
};

extern const struct mode modes[N_MODES];

/* The mode of this number in a header; NULL: unknown. */
const struct mode *mode_by_id(unsigned id);

#endif
