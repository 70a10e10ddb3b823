/*
 * Searches gate circuits for small S-boxes without known structure, as functions of three inputs (one
 * instruction each on many devices), and prints them as they stand in kernels/ciphers/sc2000/sc2000_gates.cl, but for
 * S5 and S6, which three.py has made smaller:
 *
 *   cc -O2 -I. -o /tmp/lookup research/search/lookup.c && /tmp/lookup [SECONDS]
 *
 * After M. Kwan, "Reducing the gate count of bitslice DES" (IACR ePrint 2000/051): a target is a gate
 * that there is, or one function of two or three of them on the inputs that matter (mask), or else a
 * choice by an input bit between two targets on half as many.  Random orders, and the best result
 * counts.  tests/unit/gpucrypt/test_engine.c compares the engines that use the results with tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "research/search/random.h"

#define MAX_GATES 120

struct gate {
	uint64_t table;
	int in[3];
	uint8_t function; /* bit 4·a + 2·b + c */
};

struct circuit {
	int n, inputs;
	struct gate gate[MAX_GATES];
	int output[6];
};

/* Expressions: the cheapest one of every function of a, b, c. */

static char expression[256][64];
static int cost[256], tight[256]; /* operators; binds as tightly as a name */

static int offer(int f, int price, const char *text, int is_tight)
{
	if (price >= cost[f])
		return 0;
	cost[f] = price;
	tight[f] = is_tight;
	snprintf(expression[f], sizeof(expression[f]), "%s", text);
	return 1;
}

static int join(int f, int g, char op)
{
	const char *l = tight[f] ? "" : "(", *r = tight[f] ? "" : ")", *m = tight[g] ? "" : "(",
	           *s = tight[g] ? "" : ")";
	int result = op == '&' ? f & g : op == '|' ? f | g : f ^ g;
	char text[160];

	snprintf(text, sizeof(text), "%s%.60s%s %c %s%.60s%s", l, expression[f], r, op, m, expression[g], s);
	return strlen(text) < 64 && offer(result, cost[f] + cost[g] + 10, text, 0);
}

static void make_expressions(void)
{
	int changed = 1;

	for (int f = 0; f < 256; f++)
		cost[f] = 1000;
	offer(0xf0, 0, "a", 1), offer(0xcc, 0, "b", 1), offer(0xaa, 0, "c", 1);
	while (changed) {
		changed = 0;
		for (int f = 0; f < 256; f++) {
			char text[80];
			if (cost[f] == 1000)
				continue;
			snprintf(text, sizeof(text), tight[f] ? "~%s" : "~(%s)", expression[f]);
			changed |= strlen(text) < 64 && offer(~f & 255, cost[f] + 1, text, 1);
			for (int g = 0; g < 256; g++)
				if (cost[g] < 1000 && f != g)
					changed |= join(f, g, '&') | join(f, g, '|') | join(f, g, '^');
		}
	}
}

/* The function of three tables that is the target on the mask; -1: none. */
static int function_of(uint64_t a, uint64_t b, uint64_t c, uint64_t target, uint64_t mask)
{
	int best = 0, open = 0, f = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t cell = mask & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
		uint64_t ones = cell & target;
		if (cell == 0)
			open |= 1 << i;
		else if (ones == cell)
			f |= 1 << i;
		else if (ones != 0)
			return -1;
	}
	best = f;
	for (int o = open; o != 0; o = (o - 1) & open) /* what does not matter makes it cheaper */
		if (cost[f | o] < cost[best])
			best = f | o;
	return best;
}

static int add_gate(struct circuit *c, int a, int b, int d, int function)
{
	struct gate *g = &c->gate[c->n];
	uint64_t ta = c->gate[a].table, tb = c->gate[b].table, td = c->gate[d].table;

	if (c->n >= MAX_GATES - 1)
		return -1;
	*g = (struct gate){ 0, { a, b, d }, (uint8_t)function };
	for (int i = 0; i < 8; i++)
		if (function >> i & 1)
			g->table |= (i & 4 ? ta : ~ta) & (i & 2 ? tb : ~tb) & (i & 1 ? td : ~td);
	return c->n++;
}

static int total_cost(const struct circuit *c)
{
	int sum = 0;

	for (int i = c->inputs; i < c->n; i++)
		sum += 20 + cost[c->gate[i].function];
	return sum;
}

static int find(struct circuit *c, uint64_t target, uint64_t mask, uint32_t unused)
{
	int order[MAX_GATES], n = c->n, best_price = 1 << 30;
	struct circuit best = *c;
	int best_gate = -1, found_a = 0, found_b = 0, found_d = 0, function = -1, price = 1 << 30;

	shuffle(order, n);
	for (int i = 0; i < n; i++)
		if (((c->gate[i].table ^ target) & mask) == 0)
			return i;
	for (int inputs = 2; inputs <= 3; inputs++) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < i; j++)
				for (int k = inputs == 2 ? j : 0; k < j + (inputs == 2); k++) {
					int a = order[i], b = order[j], d = order[k],
					    f = function_of(
					            c->gate[a].table, c->gate[b].table, c->gate[d].table, target, mask);
					if (f >= 0 && cost[f] < price)
						price = cost[f], function = f, found_a = a, found_b = b, found_d = d;
				}
		if (function >= 0)
			return add_gate(c, found_a, found_b, found_d, function);
	}
	for (int bit = 0; bit < c->inputs; bit++) {
		struct circuit attempt = *c;
		uint64_t x = c->gate[bit].table;
		int first = (int)(random_bits() & 1), one, two, gate;
		if (!(unused >> bit & 1))
			continue;
		one = find(&attempt, target, mask & (first ? x : ~x), unused & ~(1u << bit));
		two = one < 0 ? -1 : find(&attempt, target, mask & (first ? ~x : x), unused & ~(1u << bit));
		if (two < 0)
			continue;
		/* Perhaps something better than the choice itself will do. */
		function = function_of(x, attempt.gate[one].table, attempt.gate[two].table, target, mask);
		gate = add_gate(&attempt, bit, one, two, function);
		if (gate >= 0 && total_cost(&attempt) < best_price)
			best_price = total_cost(&attempt), best = attempt, best_gate = gate;
	}
	*c = best;
	return best_gate;
}

static int make(struct circuit *c, const uint8_t *sbox, int bits)
{
	uint64_t mask = bits == 6 ? ~UINT64_C(0) : (UINT64_C(1) << (1 << bits)) - 1;
	int order[6];

	memset(c, 0, sizeof(*c));
	c->n = c->inputs = bits;
	shuffle(order, bits);
	for (int i = 0; i < bits; i++) {
		for (int x = 0; x < 1 << bits; x++)
			c->gate[i].table |= (uint64_t)(x >> i & 1) << x;
	}
	for (int i = 0; i < bits; i++) {
		uint64_t target = 0;
		for (int x = 0; x < 1 << bits; x++)
			target |= (uint64_t)(sbox[x] >> order[i] & 1) << x;
		c->output[order[i]] = find(c, target, mask, (1u << bits) - 1);
		if (c->output[order[i]] < 0)
			return 1 << 30;
	}
	return total_cost(c);
}

static void print_name(const struct circuit *c, int gate)
{
	if (gate < c->inputs)
		printf("x[%d]", gate);
	else
		printf("t%d", gate - c->inputs);
}

static void print(const struct circuit *c, const char *name)
{
	int operators = 0, used[MAX_GATES] = { 0 };

	for (int i = 0; i < c->inputs; i++)
		used[c->output[i]] = 1;
	for (int i = c->n - 1; i >= c->inputs; i--)
		for (int j = 0; j < 3 && used[i]; j++)
			used[c->gate[i].in[j]] = 1;
	for (int i = c->inputs; i < c->n; i++)
		operators += cost[c->gate[i].function] / 10;
	printf("/* %s: %d functions of three inputs, %d operators */\n", name, c->n - c->inputs, operators);
	for (int i = c->inputs; i < c->n; i++) {
		if (!used[i])
			continue;
		printf("\tslice t%d = ", i - c->inputs);
		for (const char *e = expression[c->gate[i].function]; *e != '\0'; e++)
			if (*e >= 'a' && *e <= 'c')
				print_name(c, c->gate[i].in[*e - 'a']);
			else
				putchar(*e);
		printf(";\n");
	}
	for (int i = 0; i < c->inputs; i++) {
		printf("\ts[%d] = ", i);
		print_name(c, c->output[i]);
		printf(";\n");
	}
	fflush(stdout);
}

static void search(const char *name, const uint8_t *sbox, int bits, int seconds)
{
	static struct circuit best, attempt;
	int least = 1 << 30, runs = 0;
	time_t end = time(NULL) + seconds;

	do {
		int price = make(&attempt, sbox, bits);
		if (price < least)
			least = price, best = attempt;
		runs++;
	} while (time(NULL) < end);
	fprintf(stderr, "%s: %d runs, %d functions\n", name, runs, best.n - best.inputs);
	print(&best, name);
}

/* SC2000 (kernels/ciphers/sc2000/sc2000.c). */
static const uint8_t S6[64] = { 47, 59, 25, 42, 15, 23, 28, 39, 26, 38, 36, 19, 60, 24, 29, 56, 37, 63, 20, 61, 55, 2,
	30, 44, 9, 10, 6, 22, 53, 48, 51, 11, 62, 52, 35, 18, 14, 46, 0, 54, 17, 40, 27, 4, 31, 8, 5, 12, 3, 16, 41, 34,
	33, 7, 45, 49, 50, 58, 1, 21, 43, 57, 32, 13 };
static const uint8_t S5[32] = { 20, 26, 7, 31, 19, 12, 10, 15, 22, 30, 13, 14, 4, 24, 9, 18, 27, 11, 1, 21, 6, 16, 2,
	28, 23, 5, 8, 3, 0, 17, 29, 25 };
static const uint8_t S4_INVERSE[16] = { 10, 6, 0, 14, 12, 1, 9, 4, 13, 11, 2, 7, 3, 8, 15, 5 };

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 60;

	make_expressions();
	search("S4 inverse", S4_INVERSE, 4, seconds / 10);
	search("S5", S5, 5, seconds);
	search("S6", S6, 6, 2 * seconds);
	return 0;
}
