/*
 * Searches a short program of XORs for SC2000's matrix M, and prints it as it stands in
 * kernels/sc2000_gates.cl:
 *
 *   cc -O2 -o /tmp/linear kernels/search/linear.c && /tmp/linear [SECONDS]
 *
 * Greedily, the two terms that most outputs have in common become one (C. Paar, "Optimized arithmetic
 * for Reed-Solomon encoders", ISIT 1997), in random order, and the best result counts.
 * tests/test_slices.c checks it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TERMS 400

/* M[0] belongs to the most significant bit of the input (kernels/gen/sc2000.c). */
static const uint32_t M[32] = { 0xd0c19225, 0xa5a2240a, 0x1b84d250, 0xb728a4a1, 0x6a704902,
	0x85dddbe6, 0x766ff4a4, 0xecdfe128, 0xafd13e94, 0xdf837d09, 0xbb27fa52, 0x695059ac,
	0x52a1bb58, 0xcc322f1d, 0x1844565b, 0xb4a8acf6, 0x34235438, 0x6847a851, 0xe48c0cbb,
	0xcd181136, 0x9a112a0c, 0x43ec6d0e, 0x87d8d27d, 0x487dc995, 0x90fb9b4b, 0xa1f63697,
	0xfc513ed9, 0x78a37d93, 0x8d16c5df, 0x9e0c8bbe, 0x3c381f7c, 0xe9fb0779 };

struct program {
	int n;                      /* terms; the first 32 are the input's bits */
	uint32_t in[MAX_TERMS];     /* outputs that have this term */
	int left[MAX_TERMS], right[MAX_TERMS];
};

static uint32_t random_bits(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* The pair that most outputs have; false: no two outputs have one. */
static int join_pair(struct program *p)
{
	int most = 1, ties = 0, left = 0, right = 0;

	for (int i = 0; i < p->n; i++)
		for (int j = 0; j < i; j++) {
			int n = __builtin_popcount(p->in[i] & p->in[j]);
			if (n < most || n < 2)
				continue;
			if (n > most)
				most = n, ties = 0;
			if (random_bits() % (uint32_t)++ties == 0)
				left = j, right = i;
		}
	if (most < 2)
		return 0;
	p->left[p->n] = left, p->right[p->n] = right;
	p->in[p->n] = p->in[left] & p->in[right];
	p->in[left] ^= p->in[p->n];
	p->in[right] ^= p->in[p->n];
	p->n++;
	return 1;
}

/* Operations of two inputs. */
static int search(struct program *p)
{
	int additions = 0;

	p->n = 32;
	for (int i = 0; i < 32; i++)
		p->in[i] = M[31 - i];
	while (join_pair(p))
		;
	for (int i = 0; i < p->n; i++)
		additions += __builtin_popcount(p->in[i]);
	return additions - 32 + p->n - 32;
}

static void print_term(int i)
{
	printf(i < 32 ? "x[%d]" : "t%d", i < 32 ? i : i - 32);
}

static void print(const struct program *p)
{
	for (int i = 32; i < p->n; i++) {
		printf("\tslice t%d = ", i - 32);
		print_term(p->left[i]);
		printf(" ^ ");
		print_term(p->right[i]);
		printf(";\n");
	}
	for (int bit = 0; bit < 32; bit++) {
		int terms = 0;
		printf("\ty[%d] =", bit);
		for (int i = 0; i < p->n; i++)
			if (p->in[i] >> bit & 1) {
				printf(terms++ ? " ^ " : " ");
				print_term(i);
			}
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
	printf("/* M: %d additions */\n", least);
	print(&best);
	return 0;
}
