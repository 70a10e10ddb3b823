/*
 * Searches circuits of two-input gates for S-boxes that are an inversion in GF(2^8) between linear maps,
 * and prints what three.py makes those of kernels/ciphers/aes/aes_gates.cl and
 * kernels/ciphers/camellia/camellia_gates.cl from:
 *
 *   cc -O2 -I. -o /tmp/inversion research/search/inversion.c && /tmp/inversion [RESTARTS]
 *
 * The non-linear middle and its 22 linear inputs and 18 products are those of J. Boyar and R. Peralta,
 * "A new combinational logic minimization technique with applications to cryptology" (SEA 2010).
 * Since inv(x) = (a · inv(a · x^(2^k)))^(1 / 2^k), there are 2040 pairs of linear maps around it; for
 * each a randomised greedy search in the manner of the same paper makes short programs of XORs.
 * tests/unit/gpucrypt/test_engine.c compares the engines that use the results with tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "research/search/field.h"
#include "research/search/random.h"

#define INPUTS   22 /* linear functions that the middle takes */
#define PRODUCTS 18
#define MAX_OPS  80

/* The affine map of SubBytes without its constant (FIPS 197, 5.1.1). */
static struct matrix aes_affine(void)
{
	struct matrix m;

	for (int i = 0; i < 8; i++) {
		m.column[i] = 0;
		for (int j = 0; j < 5; j++)
			m.column[i] ^= (uint8_t)(1 << (i + j) % 8);
	}
	return m;
}

/* Camellia's maps f and h (tables.c has where from) and its field, as maps into that of AES. */
static struct matrix by_rows(const uint8_t rows[8][3])
{
	struct matrix m = { { 0 } };

	for (int row = 0; row < 8; row++)
		for (int i = 0; i < 3 && rows[row][i] != 0; i++)
			m.column[8 - rows[row][i]] |= (uint8_t)(1 << (7 - row));
	return m;
}

static struct matrix camellia_field(uint8_t beta)
{
	uint8_t alpha = power(beta, 6) ^ power(beta, 5) ^ power(beta, 3) ^ power(beta, 2);
	struct matrix m;

	for (int i = 0; i < 8; i++)
		m.column[i] = multiply(power(alpha, i % 4), i < 4 ? 1 : beta);
	return m;
}

static uint8_t camellia_beta(void)
{
	for (int b = 2; b < 256; b++) {
		uint8_t x = (uint8_t)b;
		if ((power(x, 8) ^ power(x, 6) ^ power(x, 5) ^ power(x, 3) ^ 1) == 0)
			return x;
	}
	return 0;
}

/* The middle's inputs as functions of SubBytes' input bits, and its outputs of the products. */

static void middle_inputs(uint8_t f[INPUTS])
{
	uint8_t x[8], t0, t1, y[22];

	for (int i = 0; i < 8; i++)
		x[i] = (uint8_t)(1 << (7 - i));
	y[0] = x[7], y[14] = x[3] ^ x[5], y[13] = x[0] ^ x[6], y[9] = x[0] ^ x[3];
	y[8] = x[0] ^ x[5], t0 = x[1] ^ x[2], y[1] = t0 ^ x[7], y[4] = y[1] ^ x[3];
	y[12] = y[13] ^ y[14], y[2] = y[1] ^ x[0], y[5] = y[1] ^ x[6], y[3] = y[5] ^ y[8];
	t1 = x[4] ^ y[12], y[15] = t1 ^ x[5], y[20] = t1 ^ x[1], y[6] = y[15] ^ x[7];
	y[10] = y[15] ^ t0, y[11] = y[20] ^ y[9], y[7] = x[7] ^ y[11], y[17] = y[10] ^ y[11];
	y[19] = y[10] ^ y[8], y[16] = t0 ^ y[11], y[21] = y[13] ^ y[16], y[18] = x[0] ^ y[16];
	memcpy(f, y, INPUTS);
}

static void middle_outputs(uint32_t s[8])
{
	uint32_t z[18], t[68];

	for (int i = 0; i < 18; i++)
		z[i] = 1u << i;
	t[46] = z[15] ^ z[16], t[47] = z[10] ^ z[11], t[48] = z[5] ^ z[13], t[49] = z[9] ^ z[10];
	t[50] = z[2] ^ z[12], t[51] = z[2] ^ z[5], t[52] = z[7] ^ z[8], t[53] = z[0] ^ z[3];
	t[54] = z[6] ^ z[7], t[55] = z[16] ^ z[17], t[56] = z[12] ^ t[48], t[57] = t[50] ^ t[53];
	t[58] = z[4] ^ t[46], t[59] = z[3] ^ t[54], t[60] = t[46] ^ t[57], t[61] = z[14] ^ t[57];
	t[62] = t[52] ^ t[58], t[63] = t[49] ^ t[58], t[64] = z[4] ^ t[59], t[65] = t[61] ^ t[62];
	t[66] = z[1] ^ t[63], t[67] = t[64] ^ t[65];
	s[7] = t[59] ^ t[63], s[1] = t[56] ^ t[62], s[0] = t[48] ^ t[60];
	s[4] = t[53] ^ t[66], s[3] = t[51] ^ t[66], s[2] = t[47] ^ t[65];
	s[6] = t[64] ^ s[4], s[5] = t[55] ^ t[67];
}

/* Linear functions of eight bits by few XORs. */

struct program {
	int n; /* additions; their results are numbered from 8 */
	uint8_t left[MAX_OPS], right[MAX_OPS];
	uint8_t value[8 + MAX_OPS];
};

/* With e also at hand: how far the targets are, and how unequally. */
static int distance(const uint8_t *d, const uint8_t *targets, int n, uint8_t e, int *squares)
{
	int sum = 0;

	*squares = 0;
	for (int i = 0; i < n; i++) {
		int near = d[targets[i]], by_e = d[targets[i] ^ e] + 1;
		near = (by_e < near ? by_e : near) - 1;
		sum += near;
		*squares += near * near;
	}
	return sum;
}

static void add_step(struct program *p, uint8_t d[256], uint8_t e)
{
	uint8_t old[256];
	int m = 8 + p->n;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < i; j++)
			if ((p->value[i] ^ p->value[j]) == e)
				p->left[p->n] = (uint8_t)j, p->right[p->n] = (uint8_t)i;
	p->value[m] = e;
	p->n++;
	memcpy(old, d, 256);
	for (int v = 0; v < 256; v++)
		if (old[v ^ e] + 1 < d[v])
			d[v] = old[v ^ e] + 1;
}

static int choose_step(const uint8_t d[256], const uint8_t *targets, int n)
{
	int best = 0, best_sum = 1 << 30, best_squares = 0, ties = 0;

	for (int e = 1; e < 256; e++) {
		int squares, sum;
		if (d[e] != 2)
			continue;
		sum = distance(d, targets, n, (uint8_t)e, &squares);
		for (int i = 0; i < n; i++) /* a target itself comes first */
			if (targets[i] == e)
				sum -= 1000;
		if (sum < best_sum || (sum == best_sum && squares > best_squares))
			best = e, best_sum = sum, best_squares = squares, ties = 1;
		else if (sum == best_sum && squares == best_squares && random_bits() % (uint32_t)++ties == 0)
			best = e;
	}
	return best;
}

static void search(struct program *p, const uint8_t *targets, int n)
{
	uint8_t d[256];
	int squares;

	p->n = 0;
	for (int v = 0; v < 256; v++)
		d[v] = (uint8_t)__builtin_popcount((unsigned)v);
	for (int i = 0; i < 8; i++)
		p->value[i] = (uint8_t)(1 << i);
	while (distance(d, targets, n, 0, &squares) > 0 && p->n < MAX_OPS)
		add_step(p, d, (uint8_t)choose_step(d, targets, n));
}

/* Printing.  Bits are numbered from the least significant one. */

static void print_top(const struct program *p, const uint8_t forms[INPUTS])
{
	char name[8 + MAX_OPS][16];
	int extra = 0;

	for (int i = 0; i < 8 + p->n; i++) {
		int form = -1;
		for (int f = 0; f < INPUTS; f++)
			if (forms[f] == p->value[i])
				form = f;
		if (i < 8)
			snprintf(name[i], 16, "x[%d]", i);
		else if (form >= 0)
			snprintf(name[i], 16, "y[%d]", form);
		else
			snprintf(name[i], 16, "a%d", extra++);
		if (i < 8 && form >= 0)
			printf("\ty[%d] = x[%d];\n", form, i);
		if (i >= 8)
			printf("\t%s%s = %s ^ %s;\n", form >= 0 ? "" : "slice ", name[i], name[p->left[i - 8]],
			        name[p->right[i - 8]]);
	}
}

/* The transposed program: sums flow the other way.  Node i gets everything that it was added into,
 * and its products. */

struct sums {
	int part[8 + MAX_OPS][MAX_OPS], n[8 + MAX_OPS]; /* parts: nodes, and -1 - products */
	char name[8 + MAX_OPS][24];
	int additions, extra;
};

static void add_part(struct sums *sums, int node, int part)
{
	sums->part[node][sums->n[node]++] = part;
}

static void print_sum(struct sums *sums, int node, int print)
{
	char *name = sums->name[node];
	int n = sums->n[node], first = sums->part[node][0];

	if (node >= 8 && n == 1) { /* only another name */
		if (first < 0)
			snprintf(name, 24, "z[%d]", -1 - first);
		else
			memcpy(name, sums->name[first], 24);
		return;
	}
	snprintf(name, 24, node < 8 ? "s[%d]" : "b%d", node < 8 ? node : sums->extra++);
	sums->additions += n - 1;
	if (print)
		printf("\t%s%s =", node < 8 ? "" : "slice ", name);
	for (int i = 0; i < n && print; i++) {
		int part = sums->part[node][i];
		if (part < 0)
			printf("%s z[%d]", i > 0 ? " ^" : "", -1 - part);
		else
			printf("%s %s", i > 0 ? " ^" : "", sums->name[part]);
	}
	if (print)
		printf(";\n");
}

static int print_bottom(const struct program *p, const uint8_t targets[PRODUCTS], int print)
{
	static struct sums sums;

	memset(&sums, 0, sizeof(sums));
	for (int i = 0; i < PRODUCTS; i++)
		for (int j = 0; j < 8 + p->n; j++)
			if (targets[i] == p->value[j]) {
				add_part(&sums, j, -1 - i);
				break;
			}
	for (int i = 7 + p->n; i >= 0; i--) {
		print_sum(&sums, i, print);
		if (i >= 8) {
			add_part(&sums, p->left[i - 8], i);
			add_part(&sums, p->right[i - 8], i);
		}
	}
	return sums.additions;
}

/* One S-box: out · inv(in · x). */

/* A pair of linear maps: the bits of the input for the middle part, and the contribution of each product to the output;
 * with programs for both. */
struct candidate {
	uint8_t forms[INPUTS], targets[PRODUCTS];
	struct program top, bottom;
};

/* With a · x^(2^k) before the inversion, and what undoes it behind. */
static void place_maps(struct candidate *c, const struct matrix *in, const struct matrix *out, uint8_t a, int k)
{
	struct matrix affine = aes_affine(), unaffine = inverse(&affine);
	struct matrix scale = scaled_power(a, k), before = product(&scale, in);
	struct matrix times = scaled_power(a, 0), root = scaled_power(1, (8 - k) % 8);
	struct matrix after = product(&root, &times);
	uint8_t forms[INPUTS];
	uint32_t outputs[8];

	middle_inputs(forms);
	middle_outputs(outputs);
	after = product(out, &after);
	after = product(&after, &unaffine);
	for (int i = 0; i < INPUTS; i++) {
		c->forms[i] = 0;
		for (int b = 0; b < 8; b++)
			c->forms[i] |= (uint8_t)(__builtin_parity(forms[i] & before.column[b]) << b);
	}
	for (int z = 0; z < PRODUCTS; z++) {
		uint8_t s = 0;
		for (int b = 0; b < 8; b++)
			s |= (uint8_t)((outputs[b] >> z & 1) << b);
		c->targets[z] = apply(&after, s);
	}
}

static void find_programs(struct candidate *c, int restarts)
{
	struct program p;

	c->top.n = c->bottom.n = MAX_OPS + 1;
	for (int i = 0; i < restarts; i++) {
		search(&p, c->forms, INPUTS);
		if (p.n < c->top.n)
			c->top = p;
		search(&p, c->targets, PRODUCTS);
		if (p.n < c->bottom.n)
			c->bottom = p;
	}
}

static void sbox(const char *name, const struct matrix *in, const struct matrix *out, int restarts)
{
	static struct candidate best, c;
	int least = 1000;

	for (int a = 1; a < 256; a++)
		for (int k = 0; k < 8; k++) {
			place_maps(&c, in, out, (uint8_t)a, k);
			find_programs(&c, restarts);
			if (c.top.n + c.bottom.n < least) {
				least = c.top.n + c.bottom.n;
				best = c;
			}
		}
	printf("/* %s: %d and %d additions */\n", name, best.top.n, print_bottom(&best.bottom, best.targets, 0));
	print_top(&best.top, best.forms);
	printf("\t...\n");
	print_bottom(&best.bottom, best.targets, 1);
}

int main(int argc, char **argv)
{
	static const uint8_t f[8][3] = { { 6, 2 }, { 7, 1 }, { 8, 5, 3 }, { 8, 3 }, { 7, 4 }, { 5, 2 }, { 8, 1 },
		{ 6, 4 } };
	static const uint8_t h[8][3] = { { 5, 6, 2 }, { 6, 2 }, { 7, 4 }, { 8, 2 }, { 7, 3 }, { 8, 1 }, { 5, 1 },
		{ 6, 3 } };
	struct matrix identity = scaled_power(1, 0), affine = aes_affine(), unaffine = inverse(&affine);
	struct matrix field = camellia_field(camellia_beta()), unfield = inverse(&field);
	struct matrix in = by_rows(f), out = by_rows(h);
	int restarts = argc > 1 ? atoi(argv[1]) : 3;

	sbox("SubBytes", &identity, &affine, restarts);
	sbox("InvSubBytes", &unaffine, &identity, restarts);
	in = product(&field, &in);
	out = product(&out, &unfield);
	sbox("s1", &in, &out, restarts);
	return 0;
}
