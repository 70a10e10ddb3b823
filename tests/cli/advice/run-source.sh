#!/bin/bash
# ppf run: ciphers of all kinds give the host's results on a device, and a source gets no rights.  With GCRYPT_TEST_ONE_IN
# three ciphers and one placement.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
examples=$(realpath "$root/examples/ciphers")
code=0
"$ppf" analyze --function f - <<<'int f(void) { return 0; }' >out 2>&1 || true
! grep -q 'without libclang' out || skip "$(cat out)"

# run NAME ARGUMENT…: the example's results are those of the host, or ppf would fail.
run() {
	"$ppf" run --source "$examples/$1.c" --size 512KiB "${@:2}" >out 2>err || give_up "$1: $(cat err)"
	grep -q '^local .*local ' out || give_up "$1: no row: $(cat out)"
}
run speck128 --function speck128_encrypt
run sm4 --function sm4_encrypt
run misty1 --function misty1_encrypt --prepare 'misty1_expand_key(context, random)'
spaces=(global)
if [ -z "${GCRYPT_TEST_ONE_IN-}" ]; then
	run chacha20 --function chacha20_encrypt
	run clefia --function clefia_encrypt
	run hight --function hight_encrypt
	run present80 --function present80_encrypt
	run feistel64 --function feistel64_encrypt --set rounds=16
	spaces+=(local constant)
fi

# AES by FIPS-197: the counted function computes the example of appendix C.1.
cat >aes.c <<'C'
static unsigned char sbox[256];
static unsigned char twice(unsigned char x) { return x << 1 ^ (x & 0x80 ? 0x1b : 0); }
static unsigned char turn(unsigned char x, int n) { return x << n | x >> (8 - n); }
void expand(unsigned char rk[176], const unsigned char *key)
{
	unsigned char p = 1, q = 1, c = 1;
	do {
		p ^= twice(p);
		q ^= q << 1, q ^= q << 2, q ^= q << 4, q ^= q & 0x80 ? 0x09 : 0;
		sbox[p] = q ^ turn(q, 1) ^ turn(q, 2) ^ turn(q, 3) ^ turn(q, 4) ^ 0x63;
	} while (p != 1);
	sbox[0] = 0x63;
	for (int i = 0; i < 16; i++) rk[i] = key[i];
	for (int i = 16; i < 176; i++) {
		unsigned char t = rk[i - 4];
		if (i % 16 < 4) t = sbox[rk[i % 16 == 3 ? i - 7 : i - 3]] ^ (i % 16 ? 0 : c);
		if (i % 16 == 3) c = twice(c);
		rk[i] = rk[i - 16] ^ t;
	}
}
void aes(const unsigned char in[16], unsigned char out[16], const unsigned char rk[176])
{
	unsigned char s[16], t[16];
	for (int i = 0; i < 16; i++) s[i] = in[i] ^ rk[i];
	for (int r = 1; r <= 10; r++) {
		for (int i = 0; i < 16; i++) t[i] = sbox[s[(i + i % 4 * 4) % 16]];
		for (int i = 0; i < 16; i++) {
			const unsigned char *c = t + i / 4 * 4, next = c[(i + 1) % 4];
			s[i] = rk[16 * r + i] ^ (r == 10 ? t[i] : twice(t[i] ^ next) ^ next ^ c[(i + 2) % 4] ^ c[(i + 3) % 4]);
		}
	}
	for (int i = 0; i < 16; i++) out[i] = s[i];
}
C
"$ppf" run --source aes.c --function aes --prepare 'expand((unsigned char *)rk, random)' \
	--key-bytes 000102030405060708090a0b0c0d0e0f --print-block 00112233445566778899aabbccddeeff >out
grep -qx 'output block: 69c4e0d86a7b0430d8cdb78070b4c55a' out || give_up "AES: $(cat out)"
grep -q 'N_tbl 160 N_key 176 .* N_pt 4 N_ct 4$' out || give_up "AES: $(cat out)"

# The placements; JSON; a shape of one's own.
for space in "${spaces[@]}"; do
	"$ppf" run --source "$examples/sm4.c" --function sm4_encrypt --size 512KiB --json --table-space "$space" \
		--key-space constant --work-groups 3 --work-items 32 >json
	[ "$(field rows.0.tables <json)" = "$space" ] || give_up "$space: $(cat json)"
	[ "$(field rows.0.work_groups <json)" = 3 ] || give_up "work-groups: $(cat json)"
	[ "$(field blocks_compared <json)" = 32768 ] || give_up "blocks: $(cat json)"
	python3 - <<-'PY' || give_up "a row lacks what the text or ppf predict has: $(cat json)"
		import json
		row = json.load(open("json"))["rows"][0]
		assert abs(row["measured"]["gb_per_s"] * row["measured"]["seconds"] / (512 * 1024 / 1e9) - 1) < 1e-9
		error = 100 * (row["measured"]["gb_per_s"] / row["estimate"]["gb_per_s"] - 1)
		assert abs(row["error_percent"] - error) < 1e-6 and len(row["estimate"]["resources"]) == 6
		assert row["operations"] == dict(n_tbl=128, n_key=32, n_inst=804, n_pt=4, n_ct=4)
	PY
done
"$ppf" run --source "$examples/speck128.c" --function speck128_encrypt --size 64KiB --sweep --work-items 64 \
	--key-space constant >out
[ "$(grep -c constant out)" -eq 6 ] || give_up "five shapes and the fastest: $(cat out)"

# Keys in front of the place that a pointer gives, an array of structures, a block of two members, and a context of which
# nothing is used but what --set gives.
cat >source.c <<'C'
struct c { int unused, rounds; };
struct b { unsigned l, r; };
void f(const struct c *c, const struct b *in, struct b *out, const unsigned *key, const struct b *rk)
{
	*out = *in;
	for (int i = 0; i < c->rounds; i++) {
		out->l = (out->l << 3 | out->l >> 29) + *key-- + rk++->r;
		out->r ^= out->l;
	}
}
C
"$ppf" run --size 64KiB --source source.c --function f --set 'c->rounds=70' >out 2>err || give_up "backwards: $(cat err)"

# A structure by value, the offset of a parameter that is an array, rotations of compilers, memory that is no output, and
# input and output blocks of different sizes: 1 is rotated three times by 5, the last word of the key.
cat >source.c <<'C'
struct c { unsigned rk[4]; int rounds; };
static unsigned word(const unsigned char p[4]) { return p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24; }
void f(struct c c, const unsigned char key[8], const unsigned char in[4], unsigned *t, unsigned out[2])
{
	t[0] = word(key + 4), t[1] = word(in);
	for (int i = 0; i < c.rounds; i++) t[1] = __builtin_rotateright32(t[1], -t[0]) ^ c.rk[i];
	out[0] = __builtin_rotateleft32(t[1], 8), out[1] = t[0] + t[1];
}
C
how=(--source source.c --function f --set c.rounds=3 --ciphertext out)
"$ppf" run "${how[@]}" --print-block 01000000 --key-bytes "$(printf '%040d%s' 0 0000000005000000)" >out
grep -qx 'output block: 0000800005800000' out || give_up "by value: $(cat out)"
"$ppf" run --size 64KiB "${how[@]}" --json >json 2>err || give_up "by value: $(cat err)"
[ "$(field block_bytes <json) $(field blocks_compared <json)" = '8 8192' ] || give_up "blocks: $(cat json)"
"$ppf" analyze "${how[@]:2}" source.c --json | field counts_note | grep -q '^1 words of input, and 2 of output' ||
	give_up 'no note of different blocks'

# fails CODE TEXT ARGUMENT…: exit code and one line.
fails() {
	code=0
	"$ppf" run --size 64KiB "${@:3}" >out 2>err || code=$?
	[ "$code" -eq "$1" ] || give_up "exit $code instead of $1: ${*:3}: $(cat err)"
	[ "$(grep -c '^ppf: ' err)" -eq 1 ] || give_up "messages: $(cat err)"
	says "$2"
}
# refused CODE TEXT: the function f of source.c, from standard input.
refused() {
	cat >source.c
	fails "$1" "$2" --source source.c --function f
}
refused 7 "'open' is not defined" <<'C'
int open(const char *, int, ...);
void f(const unsigned in[1], unsigned out[1]) { out[0] = in[0] ^ open("/etc/passwd", 0); }
C
refused 7 "" <<'C'
void f(const unsigned in[1], unsigned out[1]) { out[0] = in[0] + 1; __asm__("nop"); }
C
refused 7 "'t' is an array of variable length" <<'C'
void f(const unsigned in[1], unsigned out[1]) { int n = 2; unsigned t[n]; t[1] = in[0] + 1; out[0] = t[1]; }
C
refused 7 "source.c:2: a pointer to a compound literal" <<'C'
static unsigned g(const unsigned *p) { return p[0] + p[1]; }
void f(const unsigned *rk, unsigned *x) { x[0] = g((unsigned[]){ x[0], rk[0] }); }
C
refused 7 "source.c:2: a pointer lies in the memory of a table or key" <<'C'
struct c { const unsigned *rk; };
void f(const struct c *c, unsigned *x) { x[0] ^= c->rk[1]; }
C
refused 7 "source.c:1: function 'rotl32' is counted by its name, but not defined in the file" <<'C'
void f(const unsigned *rk, unsigned *x) { x[0] = rotl32(x[0], 3) ^ rk[0]; }
C
refused 7 "'t': its size is not known, or is too large: name the source that defines it by --source" <<'C'
extern const unsigned char t[];
void f(const unsigned *rk, unsigned *x) { x[0] = t[x[0] & 255] ^ rk[0]; }
C
refused 7 "source.c:2: index 4294967295 is outside 'table', which has 1 elements" <<'C'
static unsigned table[1];
void f(const unsigned in[1], unsigned out[1]) { out[0] = in[0] + table[in[0]]; }
C
refused 7 "" <<'C'
void f(const unsigned in[1], unsigned out[1]) { for (;;) out[0] = in[0] + 1; }
C
# What the analysis cannot know, the host finds before the device reads there.
echo 'static const unsigned char first[256] = { [0 ... 255] = 199 }, second[100] = { 1 };' >table.h
refused 4 "source.c:3: index 199 is outside an array of 100 elements" <<'C'
#include "table.h"
void f(const unsigned in[1], unsigned out[1], const unsigned *rk)
{ out[0] = second[first[in[0] & 255]] ^ rk[0]; }
C
echo 'static unsigned look(const unsigned *table, unsigned i) { return table[i]; }' >look.h
refused 4 "look.h:1: a pointer is outside the function's memory" <<'C'
#include "look.h"
static const unsigned box[256] = { [0 ... 255] = 1u << 20 };
void f(const unsigned in[1], unsigned out[1], const unsigned *rk) { out[0] = look(box, look(box, in[0] & 255)) ^ rk[0]; }
C
speck=(--source "$examples/speck128.c" --function speck128_encrypt)
fails 2 "choose from" "${speck[@]}" --key-space argument
fails 8 "" "${speck[@]}" --device 99
# No text of the source gets to the compiler: assembly at file level is not there, and a statement cannot add any.  What
# else the function does not need is left out: bit fields, function pointers, and counters beside the tables.
cat >source.c <<'C'
__asm__(".macro syscall\n.endm");
static struct { unsigned head, box[256], tail; } tables = { 0, { 1, 2, 3 }, 0 };
static const struct { struct { unsigned box[4]; }; } more = { { { 5, 6, 7, 8 } } };
struct context { unsigned mode : 3; void (*other)(void); int rounds; struct { unsigned k[4]; }; };
#define ADD(x, y) __extension__({ unsigned x_ = (x); x_ + (y); })
void f(struct context *c, const unsigned in[1], unsigned out[1])
{
	unsigned x = in[0];
	tables.head++;
	tables.tail++;
	for (int i = 0; i < c->rounds; i++)
		x = ADD(tables.box[x & 255] ^ more.box[x >> 8 & 3], x << 8 | x >> 24) ^ c->k[i];
	out[0] = x;
}
C
"$ppf" run --source source.c --function f --set rounds=4 --size 64KiB --table-space constant >out 2>err ||
	give_up "a source with more than OpenCL C has: $(cat err)"
grep -q 'N_tbl 8 N_key 4' out || give_up "counts: $(cat out)"
fails 7 "assembler" "${speck[@]}" --prepare '__asm__("syscall")'
fails 4 "crashes" "${speck[@]}" --prepare 'ppf_call(2, (long)"/etc/passwd", 0, 0)'
fails 4 "crashes" "${speck[@]}" --prepare 'void no_such_function(void); no_such_function()'
fails 4 "prepare:1: does not parse" "${speck[@]}" --prepare "1 +"
fails 7 "but a block has 12" "${speck[@]}" --block 12
fails 2 "--print-block: 2 bytes: a block of " "${speck[@]}" --print-block abcd
