/*
 * Searches a short program of sums of three terms for SC2000's matrix M, and prints it as it stands in
 * kernels/ciphers/sc2000/sc2000_gates.cl:
 *
 *   cc -O2 -I. -o /tmp/linear research/search/linear.c && /tmp/linear [SECONDS]
 *
 * Greedily, the three terms that most outputs have in common become one (after C. Paar, "Optimized
 * arithmetic for Reed-Solomon encoders", ISIT 1997, who joins two), in random order with some noise,
 * and the best result counts.
 * tests/unit/gpucrypt/test_engine.c compares the engines that use it with tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "research/search/random.h"

#define MAX_TERMS 400

/* M[0] belongs to the most significant bit of the input (kernels/ciphers/sc2000/sc2000.c). */
static const uint32_t M[32] = { 0xd0c19225, 0xa5a2240a, 0x1b84d250, 0xb728a4a1, 0x6a704902, 0x85dddbe6, 0x766ff4a4,
	0xecdfe128, 0xafd13e94, 0xdf837d09, 0xbb27fa52, 0x695059ac, 0x52a1bb58, 0xcc322f1d, 0x1844565b, 0xb4a8acf6,
	0x34235438, 0x6847a851, 0xe48c0cbb, 0xcd181136, 0x9a112a0c, 0x43ec6d0e, 0x87d8d27d, 0x487dc995, 0x90fb9b4b,
	0xa1f63697, 0xfc513ed9, 0x78a37d93, 0x8d16c5df, 0x9e0c8bbe, 0x3c381f7c, 0xe9fb0779 };

struct program {
	int n;                  /* terms; the first 32 are the input's bits */
	uint32_t in[MAX_TERMS]; /* outputs that have this term */
	int of[MAX_TERMS][3];   /* the terms it is the sum of */
};

/* The three terms that most outputs have, more or less; 0: no two outputs have three. */
static int join_three(struct program *p, uint32_t noise)
{
	uint32_t most = 0;
	int *of = p->of[p->n];

	for (int i = 2; i < p->n; i++)
		for (int j = 1; j < i; j++)
			for (int k = 0; k < j; k++) {
				uint32_t in = p->in[i] & p->in[j] & p->in[k];
				uint32_t n = 100 * (uint32_t)__builtin_popcount(in) + random_bits() % noise;
				if ((in & (in - 1)) == 0 || n <= most)
					continue;
				most = n;
				of[0] = k, of[1] = j, of[2] = i;
			}
	if (most == 0)
		return 0;
	p->in[p->n] = p->in[of[0]] & p->in[of[1]] & p->in[of[2]];
	for (int i = 0; i < 3; i++)
		p->in[of[i]] ^= p->in[p->n];
	p->n++;
	return 1;
}

static int n_terms(const struct program *p, int bit)
{
	int n = 0;

	for (int i = 0; i < p->n; i++)
		n += (int)(p->in[i] >> bit & 1);
	return n;
}

/* Sums of two or three terms. */
static int search(struct program *p)
{
	uint32_t noise = 1 + random_bits() % 80;
	int sums;

	p->n = 32;
	for (int i = 0; i < 32; i++)
		p->in[i] = M[31 - i];
	while (join_three(p, noise))
		;
	sums = p->n - 32;
	for (int bit = 0; bit < 32; bit++)
		sums += n_terms(p, bit) / 2;
	return sums;
}

static void print_term(int i)
{
	printf(i < 32 ? "x[%d]" : "t%d", i < 32 ? i : i - 32);
}

/* The sum of n terms, the last one innermost. */
static void print_sum(const int *terms, int n)
{
	if (n == 1) {
		print_term(terms[0]);
	} else if (n == 2) {
		print_term(terms[0]);
		printf(" ^ ");
		print_term(terms[1]);
	} else {
		printf("SUM3(");
		print_term(terms[0]);
		printf(", ");
		print_term(terms[1]);
		printf(", ");
		print_sum(terms + 2, n - 2);
		printf(")");
	}
}

static void print(const struct program *p)
{
	for (int i = 32; i < p->n; i++) {
		printf("\tslice t%d = ", i - 32);
		print_sum(p->of[i], 3);
		printf(";\n");
	}
	for (int bit = 0; bit < 32; bit++) {
		int terms[MAX_TERMS], n = 0;

		for (int i = p->n - 1; i >= 0; i--)
			if (p->in[i] >> bit & 1)
				terms[n++] = i;
		printf("\ty[%d] = ", bit);
		print_sum(terms, n);
		printf(";\n");
	}
}

int main(int argc, char **argv)
{
	static struct program best, attempt;
	int least = 1 << 30;
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 60);

	do {
		int n = search(&attempt);
		if (n < least)
			least = n, best = attempt;
	} while (time(NULL) < end);
	printf("/* M: %d sums */\n", least);
	print(&best);
	return 0;
}
