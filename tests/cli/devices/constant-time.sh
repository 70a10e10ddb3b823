#!/bin/bash
# --constant-time: other code, the same bytes, on the CPU and on the OpenCL device.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 40005 >in
for cipher in aes camellia sc2000; do
	for mode in ctr xts; do
		how=(-q --cipher "$cipher" --mode "$mode" "${small[@]}" --key-file key)
		"$GCRYPT" enc "${how[@]}" --engine cpu --constant-time -o a in
		"$GCRYPT" dec -q --key-file key --engine cpu -o - a | cmp - in
		"$GCRYPT" enc "${how[@]}" --engine cpu -o b in
		"$GCRYPT" dec -q --key-file key --engine cpu --constant-time -o - b | cmp - in
		rm a b
	done
done
key=$(bytes 32 6 | hex -)
raw=(-q --raw --cipher camellia --bits 256 --mode ctr --key-hex "$key")
raw+=(--iv-hex fffffffffffffffffffffffffffffff0)
"$GCRYPT" enc "${raw[@]}" --engine cpu -o a in
"$GCRYPT" enc "${raw[@]}" --engine cpu --constant-time -o b in
same a b
rm b

# The plan says so.
"$GCRYPT" enc --dry-run --engine cpu --constant-time --cipher camellia --key-file key in >plan
grep -qE '^engine: CPU, (gfni512|gfni256|bitsliced), constant-time' plan || give_up "plan: $(cat plan)"

# So are instruction forms, which are the CPU engine's alone; what the processor has not is refused.
aes=(-q --raw --cipher aes --bits 256 --mode ctr --key-hex "$key" --iv-hex fffffffffffffffffffffffffffffff0)
for form in vaes512 vaes256 aesni; do
	code=0
	"$GCRYPT" enc "${aes[@]}" --engine cpu --constant-time --table "$form" -f -o b in 2>err || code=$?
	[ "$code" -eq 8 ] && says 'lacks instructions' && continue
	[ "$code" -eq 0 ] || give_up "form $form: exit $code: $(cat err)"
	[ ! -s err ] || give_up "form $form: $(cat err)"
	"$GCRYPT" dec "${aes[@]}" --engine cpu -o - b | cmp - in
done
rm -f b

"$GCRYPT" enc "${raw[@]}" --engine opencl --table none -o b in 2>err || skip "no OpenCL device: $(cat err)"
same a b
rm b
"$GCRYPT" enc "${raw[@]}" --engine opencl --constant-time -o b in
same a b
"$GCRYPT" dec "${raw[@]}" --engine opencl --constant-time -o - b | cmp - in
"$GCRYPT" enc --dry-run --engine opencl --constant-time --cipher camellia --key-file key in >plan
grep -q '^engine: OpenCL.*table none' plan || give_up "plan: $(cat plan)"

# Vectors that a record has no figures of are not priced as single blocks: no estimate.
record=$root/ppf/devices/cpu.json
predict() { "$ppf" predict --device "$1" --cipher aes --bits 128 --table none --size 1M; }
predict "$record" | grep -q '^estimate: ' || give_up "no estimate of vectors that were measured"
sed 's/"slice_words": [0-9]*/"slice_words": null/' "$record" >unmeasured.json
! predict unmeasured.json | grep '^estimate: ' || give_up "an estimate of vectors that were not measured"
