#!/bin/bash
# ppf predict --source: options of the analysis, size of the block, and input that gives no sensible prediction.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
how=(predict --device gtx580 --size 256M)
code=0
"$ppf" analyze --function f - <<<'int f(void) { return 0; }' >out 2>&1 || true
! grep -q 'without libclang' out || skip "$(cat out)"

# The same work for each byte, in blocks of 8, 16 and 32 bytes: so many blocks fewer, and the same cycles.
for words in 2 4 8; do
	cat >$words.c <<-C
		static const unsigned box[256] = { 1 };
		void f(const unsigned *in, unsigned *out, const unsigned *rk)
		{
			for (int i = 0; i < $words; i++)
				out[i] = box[in[i] & 0xff] ^ rk[i];
		}
	C
	"$ppf" "${how[@]}" --source $words.c --function f --json >$words.json
done
for words in 4 8; do
	python3 - $words <<-'PY' || give_up "blocks of $words words"
	import json, sys
	small, large = (json.load(open(f"{n}.json"))["l_enc_total"]["sa"] for n in ("2", sys.argv[1]))
	assert abs(small - large) < 0.01 * small, (small, large)
	PY
done
"$ppf" "${how[@]}" --source 2.c --function f --block 16 --json | field l_enc_total.sa >half
python3 -c 'assert float(open("half").read()) < 0.6 * __import__("json").load(open("2.json"))["l_enc_total"]["sa"]'

# Options of the analysis.
cat >needs.c <<-'C'
	#include "types.h"
	void f(const word *a, const word *b, word *c) { *c = *a; for (int i = 0; i < ROUNDS; i++) *c ^= b[i]; }
C
mkdir headers
echo 'typedef unsigned word;' >headers/types.h
refused() {
	local code=0
	"$ppf" "${how[@]}" "${@:2}" >out 2>err || code=$?
	if [ $code -eq 0 ] || [ "$(wc -l <err)" -ne 1 ] || ! grep -qF -e "$1" err; then
		give_up "$*: exit $code: $(cat out err)"
	fi
}
refused 'types.h' --source needs.c --function f
refused "'a' and 'b' are only read: name the input block by --plain" -I headers -D ROUNDS=4 --source needs.c --function f
"$ppf" "${how[@]}" -I headers -D ROUNDS=4 --plain a --source needs.c --function f | grep -q 'N_key 4 .* N_pt 1 N_ct 1'

# Several sources: the functions of the second one are used by the first one.
cat >caller.c <<-'C'
	unsigned mix(unsigned x, unsigned y);
	void f(const unsigned *in, unsigned *out, const unsigned *rk) { out[0] = mix(in[0], rk[0]); }
C
echo 'unsigned mix(unsigned x, unsigned y) { return (x ^ y) + 3; }' >mix.c
refused "function 'mix' is not defined in the file: name the source that has it, too" --source caller.c --function f
"$ppf" "${how[@]}" --source caller.c --source mix.c --function f | grep -q 'N_key 1 N_inst 2 N_pt 1'
"$ppf" analyze --function f --json caller.c mix.c | field n_inst | grep -qx 2

# Counts that analyze wrote give the same prediction as the source.
"$ppf" analyze --function f --json 4.c >4.counts
for option in '--source 4.c --function f' '--counts 4.counts'; do
	"$ppf" predict --device h200 --size 256M $option --json | grep -v '"counts"' >"${option%% *}.json"
done
cmp -- --source.json --counts.json || give_up "predictions differ"
refused '4.counts: a file of counts: not with --cipher' --counts 4.counts --cipher aes
refused '4.counts: a file of counts: not with --function' --counts 4.counts --function f
refused '4.counts: a file of counts: not with --set' --counts 4.counts --set n=3
refused '4.counts: a file of counts: not with -D' --counts 4.counts -D N=3
refused '--source: not with --counts' --counts 4.counts --source 4.c --function f
refused '--counts core: needs --cipher' --counts core
refused 'nowhere: cannot open: ' --counts nowhere
echo '{ "n_tbl": -1 }' >wrong.counts
refused 'wrong.counts: not a list of counts: n_tbl is not a count' --counts wrong.counts
sed 's/"n_pt": 4/"n_pt": 0/' 4.counts >none.counts
refused 'none.counts: reads no input block' --counts none.counts

# Tables have their own size.
for words in 256 4096; do
	sed "s/box\[256\]/box[$words]/; s/0xff/($words - 1)/" 4.c >table.c
	"$ppf" predict --device h200 --size 256M --source table.c --function f | sed -n 's/^L_ld //p' >loads.$words
	"$ppf" analyze --function f table.c | grep -q "box .* $((4 * words))" || give_up "a table of $words words"
done
! cmp -s loads.256 loads.4096 || give_up 'tables of 256 and of 4096 words cost the same'
sed 's/box\[256\]/box[1048576]/; s/0xff/0xfffff/' 4.c >table.c
refused 'the tables need 4194304' --source table.c --function f
"$ppf" predict --device h200 --size 256M --table-space global --source table.c --function f | grep -q '^estimate' ||
	give_up 'no estimate of a table in global memory'
refused '--copies: 2: only with --table-space local' --table-space constant --copies 2 --cipher aes

# The text begins with the estimate, and JSON has what the text has.
"$ppf" predict --device h200 --size 256M --source 2.c --function f >text
python3 - text <("$ppf" predict --device h200 --size 256M --source 2.c --function f --json) <<-'PY' || give_up "$(cat text)"
import json, re, sys
text, found = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
estimate = re.search(r"^estimate: ([\d,]+) cycles, ([\d.]+) GB/s, bound by (.*)$", text, re.M)
assert estimate.start() < text.index("SA leaves out arithmetic")
assert int(estimate[1].replace(",", "")) == round(found["estimate"]["cycles"])
assert estimate[2] == f'{found["estimate"]["gb_per_s"]:.2f}' and estimate[3] == found["estimate"]["bound"]
for name, cycles in found["estimate"]["resources"].items():
    assert f"{name} {cycles:.1f}" in text, name
bounds = re.search(r"^GB/s +([\d.]+) +([\d.]+)$", text, re.M)
assert bounds.groups() == tuple(f'{found["gb_per_s"][of]:.2f}' for of in ("sa", "si"))
PY
"$ppf" analyze --function f 2.c | grep -qx '  critical path 1 look-ups, 1 operators' || give_up 'no critical path'

cmp <("$ppf" predict --device h200 --cipher aes) <("$ppf" predict --device h200 --cipher aes --size 268435456) ||
	give_up 'another size is the default'

# A note says why the estimate is outside the bounds, or why its bottleneck is.
"$ppf" predict --device h200 --size 256M --cipher aes | grep -q '^note: the estimate is below SA' || give_up 'no note'
"$ppf" predict --device h200 --size 256M --source 2.c --function f | grep -q '^note: .*not a bandwidth' ||
	give_up 'no note of device memory'

cat >arx.c <<-'C'
	void f(const unsigned *in, unsigned *out)
	{
		unsigned x = in[0], y = in[1];
		for (int i = 0; i < 200; i++) { x = (x >> 3 | x << 29) ^ y; y = (y >> 5 | y << 27) + x; }
		out[0] = x, out[1] = y;
	}
C
"$ppf" predict --device h200 --size 256M --plain in --source arx.c --function f | grep -q '^note: SA ignores' ||
	give_up 'no note of arithmetic'

# What does not apply, or makes no sense.
refused '--source: not with --table' --source 2.c --function f --table 4
refused '--cipher: not with --key' --cipher aes --key p
refused '--size: given twice' --size 4 --source 2.c --function f
how=(predict --device gtx580 --size 4)
refused '--size: 4 bytes are less than a block of 8' --source 2.c --function f
how=(predict --device gtx580 --size 256M)
refused 'a compute unit of GeForce GTX 580 holds 1024' --work-items 100000 --cipher aes
echo 'void f(unsigned *out, const unsigned *in) { } int g(int x) { return x + 1; }' >empty.c
refused 'empty.c:f: reads no input block' --source empty.c --function f
! "$ppf" analyze --function f empty.c 2>err || give_up 'an empty function is counted'
grep -q '^ppf: empty.c:f: nothing to count' err || give_up "an empty function: $(cat err)"
refused 'empty.c:g: reads no input block' --source empty.c --function g
echo 'static const unsigned t[1 << 20] = { 1 };
	void f(const unsigned *in, unsigned *out, const unsigned *rk) { out[0] = t[in[0] >> 12] ^ rk[0]; }' >large.c
refused 'bytes of local memory, the tables need 4194304' --source large.c --function f
sed 's/"clock_hz": [0-9.]*/"clock_hz": -1.0/' "$root/ppf/devices/gtx580.json" >negative.json
how=(predict --device negative.json --size 256M)
refused 'clock_hz is not a number, or negative' --cipher aes
how=(predict --device gtx580 --size 256M)

# The spelling of a computation does not change its prediction.
spelled() {
	cat >"$1.c" <<-C
		static const unsigned T[256] = { 0xffffffff };
		$2
		void f(const unsigned *in, unsigned *out, const unsigned *rk)
		{
			unsigned x = in[0], y = in[1];
			for (int i = 0; i < 16; i++) { unsigned t = x ^ rk[i], u = y ^ T[$3]; y = x; x = TURN(u, 5); }
			out[0] = x; out[1] = y;
		}
	C
	"$ppf" "${how[@]}" --source "$1.c" --function f | sed 's/.*: N_tbl/N_tbl/' >"$1.prediction"
}
spelled first '#define TURN(x, n) ((x) << (n) | (x) >> (32 - (n)))' 't >> 16 & 0xff'
spelled second 'static inline unsigned TURN(unsigned x, int n) { return x << n | x >> (32 - n); }' '(unsigned char)(t >> 16)'
cmp first.prediction second.prediction || give_up "two spellings: $(cat first.prediction second.prediction)"
