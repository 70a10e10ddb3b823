/* What the memory of this machine lets through (docs/results/cpu-path.md): threads read pieces of a file, encrypt each
 * twice in place by AES-256-CTR, and write it to /dev/null.  The second pass stands for a tag.  usage: cpu_probe FILE
 * THREADS [KIB]; prints seconds and GB/s.
 *
 * cc -O3 -o build/cpu_probe tests/measure/cpu_probe.c -pthread */
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 14
#define AHEAD  8 /* registers of 4 blocks in work at a time */

static int input, output;
static size_t piece_bytes, share;

/* In place, under a key of zeros: only the time matters. */
__attribute__((target("vaes,avx512f"))) static void encrypt(uint8_t *bytes, size_t n_bytes)
{
	const __m512i key = _mm512_setzero_si512(), step = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
	__m512i counter = _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0), block[AHEAD];

	for (__m512i *at = (__m512i *)bytes; (uint8_t *)at < bytes + n_bytes; at += AHEAD) {
		for (int i = 0; i < AHEAD; i++, counter = _mm512_add_epi64(counter, step))
			block[i] = counter;
		for (int round = 1; round < ROUNDS; round++)
			for (int i = 0; i < AHEAD; i++)
				block[i] = _mm512_aesenc_epi128(block[i], key);
		for (int i = 0; i < AHEAD; i++)
			at[i] = _mm512_aesenclast_epi128(block[i], at[i]);
	}
}

static void *work(void *number)
{
	uint8_t *piece = aligned_alloc(2 << 20, (piece_bytes + (2 << 20) - 1) >> 21 << 21);

	for (size_t done = 0; piece && done < share; done += piece_bytes) {
		if (pread(input, piece, piece_bytes, (off_t)((size_t)number * share + done)) != (ssize_t)piece_bytes)
			exit(1);
		encrypt(piece, piece_bytes);
		encrypt(piece, piece_bytes);
		if (write(output, piece, piece_bytes) != (ssize_t)piece_bytes)
			exit(1);
	}
	free(piece);
	return NULL;
}

int main(int n, char **arguments)
{
	size_t threads = n > 2 ? (size_t)atoi(arguments[2]) : 0;
	pthread_t thread[256];
	struct timespec start, end;
	struct stat file;
	double seconds;

	if (threads == 0 || threads > 256 || (input = open(arguments[1], O_RDONLY)) < 0 || fstat(input, &file) != 0)
		return 2;
	output = open("/dev/null", O_WRONLY);
	piece_bytes = (size_t)(n > 3 ? atoi(arguments[3]) : 512) << 10;
	share = (size_t)file.st_size / threads / piece_bytes * piece_bytes;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (size_t i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (size_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
	printf("%.3f s, %.1f GB/s\n", seconds, (double)(share * threads) / seconds * 1e-9);
	return 0;
}
