/*
 * usage: compare_forms [ROUNDS]   each instruction form beside the bitsliced core, libcrypto and libgcrypt on one
 * thread, in memory, on 128 KiB and on 64 MiB; and with a tag for every 128 KiB, beside what the CPU engine did before
 * there were forms (libcrypto's AES or the bitsliced core a chunk at a time, and libcrypto's Poly1305 over it).
 * All are timed by turns, ROUNDS times (15), in CPU time of the thread, which other programs disturb less; printed are
 * medians in GB/s and ratios of medians.
 * Run it on one core: make compare-forms
 */
#include <openssl/evp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench/engine_libgcrypt.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/status.h"

#define MAX_BYTES  ((size_t)64 << 20)
#define CHUNK_LOG2 17
#define CHUNK      ((size_t)1 << CHUNK_LOG2)
#define TURN_S     0.01
#define MAX_ROUNDS 101
#define MAX_WAYS   8

/* One way to do the same work. */
struct way {
	char name[32];
	struct engine *engine; /* owned; of "before": libcrypto, or NULL for the bitsliced core */
	bool before;
	double gigabytes_per_s[MAX_ROUNDS];
};

static uint8_t *buffer, key[64], tag_r[16], tags[MAX_BYTES / CHUNK][16];
static EVP_MAC_CTX *poly1305;

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char *what)
{
	fprintf(stderr, "compare_forms: %s: %s\n", what, gpucrypt_error());
	exit(1);
}

/* Before: a chunk at a time, then its tag by libcrypto. */
static void crypt_as_before(const struct suite *suite, struct engine *library, struct work work)
{
	const struct table_form *sliced = cipher_form(suite->cipher, TABLE_BITSLICED);
	uint8_t one_time_key[32] = { 0 };
	size_t n_bytes = work.n_bytes, n_tag;

	work.tag_r = NULL;
	work.n_bytes = CHUNK;
	memcpy(one_time_key, tag_r, sizeof(tag_r));
	for (size_t i = 0; i * CHUNK < n_bytes; i++) {
		if (library != NULL ? engine_crypt(library, 0, &work) : host_crypt(suite, sliced, &work))
			give_up("before");
		EVP_MAC_init(poly1305, one_time_key, sizeof(one_time_key), NULL);
		EVP_MAC_update(poly1305, work.out, CHUNK);
		EVP_MAC_final(poly1305, tags[i], &n_tag, 16);
		work.in += CHUNK;
		work.out += CHUNK;
		work.first_block += CHUNK / BLOCK_BYTES;
	}
}

static void crypt_once(const struct suite *suite, const struct way *way, size_t n_bytes, bool tagged)
{
	struct work work = { .in = buffer,
		.out = buffer,
		.n_bytes = n_bytes,
		.key = key,
		.tags = tags,
		.chunk_log2 = CHUNK_LOG2,
		.unit_log2 = suite->mode->has_tweaks ? 12 : 0,
		.tweak_step = suite->mode->has_tweaks };

	work.tag_r = tagged ? tag_r : NULL;
	if (way->before)
		crypt_as_before(suite, way->engine, work);
	else if (engine_crypt(way->engine, 0, &work))
		give_up(way->name);
}

/* GB/s over at least one pass and TURN_S. */
static double time_way(const struct suite *suite, const struct way *way, size_t n_bytes, bool tagged)
{
	double start = cpu_s(), seconds;
	unsigned n = 0;

	do {
		crypt_once(suite, way, n_bytes, tagged);
		n++;
		seconds = cpu_s() - start;
	} while (seconds < TURN_S);
	return 1e-9 * (double)n_bytes * n / seconds;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_way(struct way *ways, unsigned *n, const char *name, const struct engine_class *class,
        const struct suite *suite, enum table_id table)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1, .kernel.table = table };
	struct way *way = &ways[(*n)++];

	*way = (struct way){ 0 };
	snprintf(way->name, sizeof(way->name), "%s", name);
	if (class != NULL && engine_open_class(&way->engine, class, suite, &plan))
		give_up(name);
}

static unsigned set_ways(struct way *ways, const struct suite *suite, bool tagged)
{
	unsigned n = 0;

	for (unsigned i = 0; i < suite->cipher->n_instructions; i++) {
		const struct instruction_form *form = &suite->cipher->instructions[i];

		if (instruction_form_is_available(form))
			add_way(ways, &n, form->name, &engine_cpu, suite, form->id);
	}
	if (tagged) {
		bool library = suite->cipher->has_instructions;

		add_way(ways, &n, "before", library ? &engine_libcrypto : NULL, suite, TABLE_OPEN);
		ways[n - 1].before = true;
		return n;
	}
	add_way(ways, &n, "bitsliced", &engine_host, suite, TABLE_BITSLICED);
	if (libcrypto_has(suite))
		add_way(ways, &n, "libcrypto", &engine_libcrypto, suite, TABLE_OPEN);
	if (libgcrypt_has(suite))
		add_way(ways, &n, "libgcrypt", &engine_libgcrypt, suite, TABLE_OPEN);
	return n;
}

/* A line: every way's median, and the first one's over each of the others. */
static void compare_suite(const struct suite *suite, size_t n_bytes, bool tagged, unsigned rounds)
{
	struct way ways[MAX_WAYS];
	unsigned n = set_ways(ways, suite, tagged);
	double first = 0;

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < n; i++)
			ways[i].gigabytes_per_s[round] = time_way(suite, &ways[i], n_bytes, tagged);
	printf("| %s-%u-%s %s%s | %zu KiB |", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        suite->direction == ENCRYPT ? "enc" : "dec", tagged ? ", tags" : "", n_bytes >> 10);
	for (unsigned i = 0; i < n; i++) {
		double median;

		qsort(ways[i].gigabytes_per_s, rounds, sizeof(double), compare_doubles);
		median = ways[i].gigabytes_per_s[rounds / 2];
		if (i == 0)
			first = median;
		printf(" %s %.3g%s", ways[i].name, median, i + 1 < n ? "," : " |");
		engine_close(ways[i].engine);
		ways[i].gigabytes_per_s[0] = median;
	}
	for (unsigned i = 1; i < n; i++)
		printf(" %.2f x %s%s", first / ways[i].gigabytes_per_s[0], ways[i].name, i + 1 < n ? "," : " |");
	putchar('\n');
	fflush(stdout);
}

/* Tags alone, as `verify` makes them. */
static void compare_tags(size_t n_bytes, unsigned rounds)
{
	double ours[MAX_ROUNDS], library[MAX_ROUNDS];
	uint8_t one_time_key[32] = { 0 };
	size_t n_tag;

	memcpy(one_time_key, tag_r, sizeof(tag_r));
	for (unsigned round = 0; round < rounds; round++) {
		double start = cpu_s(), middle;

		for (size_t i = 0; i < n_bytes; i += CHUNK)
			chunk_tag(tags[i / CHUNK], tag_r, buffer + i, CHUNK);
		middle = cpu_s();
		for (size_t i = 0; i < n_bytes; i += CHUNK) {
			EVP_MAC_init(poly1305, one_time_key, sizeof(one_time_key), NULL);
			EVP_MAC_update(poly1305, buffer + i, CHUNK);
			EVP_MAC_final(poly1305, tags[i / CHUNK], &n_tag, 16);
		}
		library[round] = 1e-9 * (double)n_bytes / (cpu_s() - middle);
		ours[round] = 1e-9 * (double)n_bytes / (middle - start);
	}
	qsort(ours, rounds, sizeof(double), compare_doubles);
	qsort(library, rounds, sizeof(double), compare_doubles);
	printf("| tags alone | %zu KiB | here %.3g, libcrypto %.3g | %.2f x libcrypto |\n", n_bytes >> 10,
	        ours[rounds / 2], library[rounds / 2], ours[rounds / 2] / library[rounds / 2]);
}

static void print_processor(void)
{
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "r");
	cpu_set_t set;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu MHz", 7) == 0) {
			printf("%s", line);
			if (line[0] == 'c')
				break;
		}
	if (file != NULL)
		fclose(file);
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		printf("on %d processor%s, libcrypto %s, libgcrypt %s\n\n", CPU_COUNT(&set),
		        CPU_COUNT(&set) == 1 ? "" : "s (taskset -c N pins it to one)",
		        OpenSSL_version(OPENSSL_VERSION_STRING),
		        libgcrypt_version() != NULL ? libgcrypt_version() : "-");
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { CHUNK, MAX_BYTES };
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 15;
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);

	if (rounds < 1 || rounds > MAX_ROUNDS)
		rounds = 15;
	poly1305 = EVP_MAC_CTX_new(mac);
	buffer = aligned_alloc(4096, MAX_BYTES);
	memset(buffer, 0x5a, MAX_BYTES);
	random_bytes(key, sizeof(key));
	random_bytes(tag_r, sizeof(tag_r));
	print_processor();
	printf("| | buffer | GB/s | ratios |\n|---|---|---|---|\n");
	for (int s = 0; s < 2; s++) {
		for (const struct cipher *const *c = ciphers; *c != NULL; c++)
			for (unsigned m = MODE_CTR; m <= MODE_XTS; m++)
				for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
					const struct suite suite = { *c, &modes[m], 32, d };

					if (modes[m].encrypts_only && d == DECRYPT)
						continue;
					compare_suite(&suite, sizes[s], false, rounds);
					compare_suite(&suite, sizes[s], true, rounds);
				}
		compare_tags(sizes[s], rounds);
	}
	free(buffer);
	EVP_MAC_CTX_free(poly1305);
	EVP_MAC_free(mac);
	return 0;
}
