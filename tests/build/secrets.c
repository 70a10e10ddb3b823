/*
 * usage: secrets [table]   constant-time work of the CPU engine with secrets that valgrind takes for undefined: keys,
 * plaintext and r of the tags.  Under memcheck, a branch or an address that depends on one is an error (as in A.
 * Langley's ctgrind).  Every form of every cipher that the processor has, valgrind's one: it knows AES-NI and AVX2, and
 * no VAES, GFNI or AVX-512.  table: instead, AES with tables, which does depend on secrets: memcheck must find that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"

#define N_BYTES (3 * 4096 + 37 * 16)

static uint8_t bytes[N_BYTES + 16], key[64], tag_r[16], tags[4][16];

static void crypt_secrets(const struct engine_class *class, const struct suite *suite, enum table_id table)
{
	const struct gpucrypt_plan plan = {
		.engine = GPUCRYPT_CPU, .threads = 1, .kernel.table = table, .constant_time = class != &engine_host
	};
	struct work work = { .in = bytes,
		.out = bytes,
		.n_bytes = N_BYTES,
		.key = key,
		.tag_r = class != &engine_host ? tag_r : NULL,
		.tags = tags,
		.chunk_log2 = 12,
		.unit_log2 = suite->mode->has_tweaks ? 12 : 0,
		.tweak_step = suite->mode->has_tweaks };
	struct engine *engine;
	int status = engine_open_tested(&engine, class, suite, &plan, NULL);

	if (status == GPUCRYPT_OK) {
		(void)VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof(key));
		(void)VALGRIND_MAKE_MEM_UNDEFINED(tag_r, sizeof(tag_r));
		(void)VALGRIND_MAKE_MEM_UNDEFINED(bytes, sizeof(bytes));
		status = engine_crypt(engine, 0, &work);
		printf("%s: %s-%u-%s %s\n", engine->description, suite->cipher->name, 8 * suite->key_bytes,
		        suite->mode->name, suite->direction == ENCRYPT ? "enc" : "dec");
		engine_close(engine);
	}
	if (status != GPUCRYPT_OK) {
		fprintf(stderr, "secrets: %s\n", gpucrypt_error());
		exit(1);
	}
}

static void crypt_forms(const struct suite *suite)
{
	const struct cipher *cipher = suite->cipher;

	crypt_secrets(&engine_host, suite, TABLE_BITSLICED);
	crypt_secrets(&engine_cpu, suite, TABLE_OPEN);
	for (unsigned i = 0; i < cipher->n_instructions; i++)
		if (instruction_form_is_available(&cipher->instructions[i]))
			crypt_secrets(&engine_cpu, suite, cipher->instructions[i].id);
}

int main(int argc, char **argv)
{
	(void)argv;
	const struct suite aes = { &cipher_aes, &modes[MODE_CTR], 16, ENCRYPT };
	unsigned n = 0;

	if (argc > 1) {
		crypt_secrets(&engine_host, &aes, TABLE_4);
		return 0;
	}
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (int m = 0; m < N_MODES; m++)
			for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
				struct suite suite = { *c, &modes[m], 16 + 8 * (n++ % 3), d };

				crypt_forms(&suite);
			}
	return 0;
}
