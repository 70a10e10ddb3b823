/*
 * The operations on bytes that the scripts of tests/ use most, in one process instead of several;
 * tests/cli/lib.sh calls this program.
 *
 *   tool bytes - N SEED            write N pseudo-random bytes; a seed always gives the same bytes
 *   tool part FILE OFFSET LENGTH   write LENGTH bytes of a file, fewer at its end
 *   tool put FILE OFFSET 0         overwrite a part of a file with standard input
 *   tool flip FILE OFFSET BIT      invert one bit of a byte
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char buffer[65536];

/* Bytes of the next step, when n are left. */
static size_t step(uint64_t n)
{
	return n < sizeof buffer ? (size_t)n : sizeof buffer;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int bytes(int fd, uint64_t n, uint64_t seed)
{
	for (size_t n_now = step(n); n > 0; n -= n_now, n_now = step(n)) {
		for (size_t at = 0; at < n_now; at += sizeof seed)
			memcpy(buffer + at, (uint64_t[]){ next_random(&seed) }, sizeof seed);
		if (write(fd, buffer, n_now) != (ssize_t)n_now)
			return -1;
	}
	return 0;
}

static int part(int fd, uint64_t offset, uint64_t n)
{
	ssize_t got;

	for (; n > 0 && (got = pread(fd, buffer, step(n), (off_t)offset)) != 0;
	        offset += (uint64_t)got, n -= (uint64_t)got)
		if (got < 0 || write(STDOUT_FILENO, buffer, (size_t)got) != got)
			return -1;
	return 0;
}

static int put(int fd, uint64_t offset, uint64_t none)
{
	ssize_t got;

	(void)none;
	for (; (got = read(STDIN_FILENO, buffer, sizeof buffer)) != 0; offset += (uint64_t)got)
		if (got < 0 || pwrite(fd, buffer, (size_t)got, (off_t)offset) != got)
			return -1;
	return 0;
}

static int flip(int fd, uint64_t offset, uint64_t bit)
{
	if (pread(fd, buffer, 1, (off_t)offset) != 1)
		return -1;
	buffer[0] ^= (unsigned char)(1u << bit);
	return pwrite(fd, buffer, 1, (off_t)offset) == 1 ? 0 : -1;
}

static const struct {
	const char *name;
	int flags; /* of open() */
	int (*run)(int fd, uint64_t offset, uint64_t n);
} commands[] = { { "bytes", 0, bytes }, { "part", O_RDONLY, part }, { "put", O_WRONLY | O_CREAT, put },
	{ "flip", O_RDWR, flip } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 5 && i < sizeof commands / sizeof *commands; i++) {
		int fd = STDOUT_FILENO;

		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		if (commands[i].run != bytes)
			fd = open(argv[2], commands[i].flags, 0666);
		if (fd >= 0 && commands[i].run(fd, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10)) == 0)
			return 0;
		perror(argv[2]);
		return 1;
	}
	fputs("tool: see tests/tool.c\n", stderr);
	return 2;
}
