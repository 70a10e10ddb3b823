/*
 * usage: arm FILE.vec…   every implementation of the ciphers that this processor has, without libcrypto and without an
 * engine, so that it can be linked for another processor than this machine's and run under an emulator: the vectors of
 * the files in both directions, then each instruction form against the bitsliced implementation on random work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"

#define CASES     2000
#define MAX_BYTES 8192
#define ROOM      (MAX_BYTES + BLOCK_BYTES)

struct job {
	const struct cipher *cipher;
	const struct mode *mode;
	unsigned key_bytes, unit_log2;
	enum direction direction;
	uint8_t key[64], iv[16];
	size_t n_bytes;
};

static unsigned n_runs, n_wrong;

/* In place of the one in gpucrypt/crypto/keys.c, which needs libcrypto; these keys are not secret. */
void wipe(void *bytes, size_t n_bytes)
{
	memset(bytes, 0, n_bytes);
}

static struct span span_of_job(const struct job *job)
{
	bool xts = job->mode->has_tweaks;
	struct span span = { .n_blocks = (job->n_bytes + (xts ? 0 : 15)) / BLOCK_BYTES,
		.high = xts ? load_le64(job->iv + 8) : load_be64(job->iv),
		.low = xts ? load_le64(job->iv) : load_be64(job->iv + 8),
		.decrypt = job->direction == DECRYPT && !job->mode->encrypts_only };

	if (xts) {
		span.tail_bytes = job->n_bytes % BLOCK_BYTES;
		span.n_blocks -= span.tail_bytes != 0;
		span.unit_log2 = job->unit_log2 - 4;
		span.step = 1;
	}
	return span;
}

static void crypt_job(const struct host_core *core, const uint32_t *const tables[2], const struct job *job,
        const uint8_t *in, uint8_t *out)
{
	static block tweaks[MAX_BYTES / BLOCK_BYTES + TWEAKS_SPARE];
	struct span span = span_of_job(job);
	enum direction direction = span.decrypt ? DECRYPT : ENCRYPT;
	struct core_keys keys;

	if (job->mode->has_tweaks) {
		core_keys_set(&keys, core, job->cipher, job->key + job->key_bytes, job->key_bytes, ENCRYPT);
		core->tweaks(tweaks, (job->n_bytes + (1u << job->unit_log2) - 1) >> job->unit_log2, &span, &keys,
		        tables[ENCRYPT]);
		span.tweaks = tweaks;
	}
	core_keys_set(&keys, core, job->cipher, job->key, job->key_bytes, direction);
	host_core_crypt(core, job->mode->number, in, out, &span, &keys, tables[direction]);
}

static void count_run(bool good, const char *form, const struct job *job)
{
	n_runs++;
	n_wrong += !good;
	if (!good)
		printf("wrong: %s-%u-%s %s, form %s, %zu bytes\n", job->cipher->name, 8 * job->key_bytes,
		        job->mode->name, job->direction == ENCRYPT ? "encryption" : "decryption", form, job->n_bytes);
}

/* Vectors. */

static void unhex(uint8_t *bytes, const char *hex)
{
	for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		*bytes++ = (uint8_t)byte;
}

static void check_vector(const struct host_core *core, const uint32_t *const tables[2], const char *form,
        const struct job *job, const char *plain, const char *text)
{
	uint8_t b[ROOM] = { 0 }, want[ROOM] = { 0 };

	unhex(b, job->direction == ENCRYPT ? plain : text);
	unhex(want, job->direction == ENCRYPT ? text : plain);
	crypt_job(core, tables, job, b, b);
	count_run(memcmp(b, want, job->n_bytes) == 0, form, job);
}

static void check_forms(const struct job *job, const char *plain, const char *text)
{
	static const uint32_t *const no_tables[2] = { NULL, NULL };
	const struct cipher *cipher = job->cipher;

	for (unsigned i = 0; i < cipher->n_forms; i++)
		check_vector(
		        cipher->forms[i].host_core, cipher->forms[i].table, cipher->forms[i].name, job, plain, text);
	for (unsigned i = 0; i < cipher->n_instructions; i++)
		if (instruction_form_is_available(&cipher->instructions[i]))
			check_vector(cipher->instructions[i].core, no_tables, cipher->instructions[i].name, job, plain,
			        text);
}

/* A line of tests/vectors/convert.py; longer texts and repeated encryption are left out. */
static void check_line(char *line)
{
	struct job job = { 0 };
	char *field[8];

	for (int i = 0; i < 8; i++)
		if ((field[i] = strtok(i == 0 ? line : NULL, " \n")) == NULL)
			return;
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		if (strcmp((*c)->name, field[0]) == 0)
			job.cipher = *c;
	for (unsigned m = 0; m < N_MODES; m++)
		if (strcmp(modes[m].name, field[1]) == 0)
			job.mode = &modes[m];
	job.n_bytes = strlen(field[6]) / 2;
	if (job.cipher == NULL || job.mode == NULL || job.n_bytes > MAX_BYTES || atoi(field[5]) != 1)
		return;
	job.key_bytes = (unsigned)strlen(field[2]) / 2 / job.mode->n_keys;
	unhex(job.key, field[2]);
	unhex(job.iv, field[3]);
	while (atoi(field[4]) >> job.unit_log2 > 1)
		job.unit_log2++;
	check_forms(&job, field[6], field[7]);
	job.direction = DECRYPT;
	check_forms(&job, field[6], field[7]);
}

static void check_file(const char *path)
{
	static char line[8 * MAX_BYTES];
	FILE *file = fopen(path, "r");

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), file) != NULL)
		if (line[0] != '#')
			check_line(line);
	fclose(file);
}

/* Random work. */

static void fill_random(uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes-- > 0)
		*bytes++ = (uint8_t)(random() >> 8);
}

static struct job random_job(const struct cipher *cipher)
{
	struct job job = { .cipher = cipher,
		.mode = &modes[random() % N_MODES],
		.key_bytes = 16 + 8 * (unsigned)(random() % 3),
		.unit_log2 = 9 + (unsigned)(random() % 4),
		.direction = random() % 2 ? DECRYPT : ENCRYPT };
	size_t rest;

	job.n_bytes = 16 + (size_t)random() % (random() % 4 ? 600 : MAX_BYTES - 16);
	rest = job.n_bytes % ((size_t)1 << job.unit_log2);
	if (job.mode->number == MODE_ECB)
		job.n_bytes -= job.n_bytes % 16;
	else if (job.mode->has_tweaks && rest < 16)
		job.n_bytes -= rest;
	fill_random(job.key, sizeof(job.key));
	fill_random(job.iv, sizeof(job.iv));
	if (random() % 3 == 0)
		memset(job.iv + (job.mode->has_tweaks ? 0 : 1), 0xff, 15);
	return job;
}

static void compare_form(const struct cipher *cipher, const struct instruction_form *form)
{
	static uint8_t in[ROOM], out[ROOM], want[ROOM];
	const struct table_form *sliced = cipher_form(cipher, TABLE_BITSLICED);
	static const uint32_t *const no_tables[2] = { NULL, NULL };

	for (unsigned i = 0; i < CASES; i++) {
		struct job job = random_job(cipher);

		fill_random(in, sizeof(in));
		crypt_job(sliced->host_core, sliced->table, &job, in, want);
		crypt_job(form->core, no_tables, &job, in, out);
		count_run(memcmp(out, want, job.n_bytes) == 0, form->name, &job);
	}
	printf("%s, form %s: %u random cases\n", cipher->name, form->name, CASES);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		check_file(argv[i]);
	printf("vectors: %u runs\n", n_runs);
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (unsigned i = 0; i < (*c)->n_instructions; i++)
			if (instruction_form_is_available(&(*c)->instructions[i]))
				compare_form(*c, &(*c)->instructions[i]);
	printf("arm: %u runs, %u wrong\n", n_runs, n_wrong);
	return n_wrong > 0;
}
