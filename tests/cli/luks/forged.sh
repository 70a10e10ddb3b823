#!/bin/bash
# Forged headers, those of LUKS2 with right checksums: one line and the exit code of a refusal, or an output; no crash,
# and no work without end.  GCRYPT_TEST_ONE_IN: one in N headers of LUKS2, and one for each field of LUKS1.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
bytes 65536 >img
printf 'correct horse' >pass
chmod 600 pass

# check WHAT: dec and info of the file forged.
check() {
	local code=0
	rm -f back
	timeout 20 "$GCRYPT" dec -q --passphrase file:pass -o back forged 2>err || code=$?
	case $code in
	0) ;;
	2 | 4 | 5 | 7)
		refused=$((refused + 1))
		no_file back
		[ "$(failures)" -eq 1 ] || give_up "$1: $(cat err)"
		;;
	*) give_up "$1: exit $code: $(cat err)" ;;
	esac
	code=0
	timeout 20 "$GCRYPT" info forged >said 2>err || code=$?
	[ $code -eq 0 ] || [ $code -eq 4 ] || give_up "$1: info: exit $code: $(cat err)"
}

"$GCRYPT" enc -q --luks2 --cipher aes --kdf-cost 10 --passphrase file:pass -o volume img
cp volume forged
refused=0 one_in=${GCRYPT_TEST_ONE_IN:-1}
for seed in $(seq 0 "$one_in" 79) 4587; do # the last one: a digest of -1 iterations
	python3 -S "$tests/model/luks_forge.py" volume "$seed" forged
	check "LUKS2, seed $seed"
done
[ $refused -ge $((25 / one_in)) ] || give_up "$refused refused"

# LUKS1 has no checksum: a field of 4 bytes with another value.
truncate -s 0 volume
truncate -s 4M volume
cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 --key-file pass volume
RANDOM=1
refused=0
values=(00000000 00000001 00000200 7fffffff 80000000 ffffffff)
for at in 4 8 40 72 104 108 112 132 164 208 212 216 248 252 256 260; do
	tried=(7fffffff "${values[RANDOM % 6]}" "${values[RANDOM % 6]}")
	for value in "${tried[@]:0:one_in == 1 ? 3 : 1}"; do
		cp volume forged
		printf '%b' "\\x${value:0:2}\\x${value:2:2}\\x${value:4:2}\\x${value:6:2}" | put forged $at
		check "LUKS1, $value at $at"
	done
done
[ $refused -ge $((15 / one_in)) ] || give_up "$refused refused"
