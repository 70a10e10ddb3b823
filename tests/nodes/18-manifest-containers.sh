#!/bin/bash
# What a run with a manifest may replace: the recorded container of its input, and nothing else.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
make_key
k=(--engine cpu --key-file "$PWD/key")
enc() { "$GCRYPT" enc "${k[@]}" --manifest "$@"; }

# A manifest that is used from another folder finds other files under the recorded names.
mkdir A B
bytes 1000 1 >A/x
bytes 2000 2 >B/precious
bytes 1500 3 >B/x
(cd A && enc ../M -q x)
(cd B && "$GCRYPT" enc -q "${k[@]}" precious && mv precious.gcr x.gcr)
cp B/x.gcr kept.gcr
cd B
expect_exit 6 enc ../M x
says 'x.gcr: exists: not overwritten without -f'
cd ..
same B/x.gcr kept.gcr

# So does one in whose folder the container was exchanged: another one, a file that is none, an empty one, a symbolic link.
bytes 100000 4 >A/x
cp A/x.gcr own.gcr
for other in kept.gcr key /dev/null; do
	cat "$other" >A/x.gcr
	cd A
	expect_exit 6 enc ../M x
	says 'x.gcr: exists: not overwritten without -f'
	cd ..
	same A/x.gcr "$other"
done
rm A/x.gcr
ln -s ../own.gcr A/x.gcr
cd A
expect_exit 6 enc ../M x
[ -L x.gcr ] || give_up "the link was replaced"
rm x.gcr

# The recorded one is replaced, also if it has got another key slot, is compressed, has several groups, or was moved here.
cp ../own.gcr x.gcr
"$GCRYPT" keygen --x25519 -o pair
"$GCRYPT" key add -q "${k[@]:2}" --new-recipient pair.pub x.gcr
expect_exit 0 enc ../M x
"$GCRYPT" dec "${k[@]}" -o back x.gcr
same back x
for how in --zstd '--group-log2 16 --chunk-log2 12' '--mode xts --group-log2 12'; do
	bytes 150001 "${#how}" >x
	# shellcheck disable=SC2086 # several words
	expect_exit 0 enc ../M -q $how x
	"$GCRYPT" dec -f "${k[@]}" -o back x.gcr
	same back x
done
bytes 10 7 >x
expect_exit 0 enc ../M -q x
cd ..
expect_exit 0 enc N -qf A/x
: >A/x
expect_exit 0 enc N -q A/x
expect_exit 0 "$GCRYPT" verify "${k[@]}" --manifest N >out

# rekey makes another container.
expect_exit 0 "$GCRYPT" rekey -q "${k[@]}" --new-key-file key A/x.gcr
bytes 11 7 >A/x
expect_exit 6 enc N -q A/x
says 'A/x.gcr: exists: not overwritten without -f'
