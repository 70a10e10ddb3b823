#!/bin/bash
# Names in a folder that a wildcard turns into options: an attacker's slot is not added, no command is
# run, no file is removed.
# shellcheck disable=SC2035 # wildcards as careless users write them
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
for owner in anna carl mallory; do "$GCRYPT" keygen --x25519 -o $owner.pem; done
echo secret >a
"$GCRYPT" enc -q --engine cpu --recipient anna.pem.pub a
cp a.gcr kept

mallory_cannot() {
	expect_exit 5 "$GCRYPT" dec -q --engine cpu --identity mallory.pem -o stolen a.gcr
	no_file stolen
}
add=(key add --identity anna.pem --new-recipient carl.pem.pub)

# The first word that the wildcard gives: both the option and the file that it names are there.
cp mallory.pem.pub m.gcr
: >'--new-recipient=m.gcr'
expect 2 "write ./--new-recipient=m.gcr" "$GCRYPT" "${add[@]}" *.gcr
same a.gcr kept
mallory_cannot

# Behind an operand.
expect 2 "write ./--new-recipient=m.gcr" "$GCRYPT" "${add[@]}" a.gcr *.gcr
same a.gcr kept

# Of another folder, by one pattern or two: a name that begins with the folder's is a file.
mkdir dir ./--new-recipient=d
mv -- '--new-recipient=m.gcr' dir
expect_exit 4 "$GCRYPT" "${add[@]}" dir/*
cp mallory.pem.pub ./--new-recipient=d/m.gcr
expect 2 "write ./--new-recipient=d/m.gcr" "$GCRYPT" "${add[@]}" a.gcr */*.gcr
rm -r dir ./--new-recipient=d
same a.gcr kept
mallory_cannot

# The value of the user's own option: it is a file that is there, and further names are operands.
cp a b
expect_exit 6 "$GCRYPT" dec --identity anna.pem a.gcr -o b*
expect 2 '-o: there are 2 inputs' "$GCRYPT" enc --key-file key b -o *.gcr
cp a.gcr b.gcr
expect 2 '-o: there are 3 inputs' "$GCRYPT" dec -f --identity anna.pem a.gcr -o *.gcr
same a.gcr b.gcr
# An option whose value is the next name.
mv b.gcr x.gcr
: >-o
expect 2 'write ./-o' "$GCRYPT" dec -f --identity anna.pem a.gcr *
same a.gcr x.gcr
rm -- x.gcr b -o
same a.gcr kept

# In two words, as a letter, and as a link that leads nowhere.
rm m.gcr
: >--new-recipient
expect_exit 2 "$GCRYPT" "${add[@]}" *
expect_exit 2 "$GCRYPT" "${add[@]}" --new-recipient mallory.pem.pub a.gcr
rm -- --new-recipient
same a.gcr kept
: >-f
expect 2 'write ./-f' "$GCRYPT" enc -f --key-file key a
rm ./-f
: >--rm
expect_exit 2 "$GCRYPT" enc --rm --key-file key a
rm ./--rm
ln -s nowhere ./--rm
expect_exit 2 "$GCRYPT" enc --rm --key-file key a
rm ./--rm
[ -e a ] || give_up "the source was removed"

# A command.
: >'--passphrase=cmd:id>PWNED;echo x #.gcr'
expect_exit 2 "$GCRYPT" verify *.gcr
no_file PWNED
expect_exit 2 "$GCRYPT" verify a.gcr *.gcr
no_file PWNED
rm ./--passphrase*

# With -- and ./ every name is a file's.
cp a.gcr ./--rm.gcr
: >--rm
expect_exit 0 "$GCRYPT" "${add[@]}" -q -- *.gcr
expect 4 '--rm: ' "$GCRYPT" verify --identity carl.pem -- --rm
rm ./--rm
expect_exit 0 "$GCRYPT" verify -q --identity carl.pem ./*.gcr
mallory_cannot

# A secret on the command line is not repeated.
expect_exit 2 "$GCRYPT" enc --raw a --key-hex=00112233445566778899aabbccddeeff
! grep -q 0011 err || give_up "$(cat err)"

# ppf: the same rules.
echo 'void f(void) {}' >f.c
# refused TEXT ARGUMENT…: exit 2 and one line with the text.
refused() {
	local code=0
	"$ppf" "${@:2}" >out 2>err || code=$?
	if [ "$code" -ne 2 ] || [ "$(grep -cF -e "$1" err)" -ne 1 ] || [ "$(wc -l <err)" -ne 1 ]; then
		give_up "ppf ${*:2}: exit $code: $(cat err)"
	fi
}
: >--include=key
refused 'write ./--include=key' analyze --function f --include=key f.c
refused 'write ./--include=key' analyze f.c --function f --include=key
