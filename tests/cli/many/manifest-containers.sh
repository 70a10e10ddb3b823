#!/bin/bash
# What a run with a manifest may replace: the recorded container of its input, and nothing else.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
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
expect 6 'x.gcr: exists: not overwritten without -f' enc ../M x
cd ..
same B/x.gcr kept.gcr

# So does one in whose folder the container was exchanged: another one, a file that is none, an empty one, a symbolic link.
bytes 100000 4 >A/x
cp A/x.gcr own.gcr
for other in kept.gcr key /dev/null; do
	cat "$other" >A/x.gcr
	cd A
	expect 6 'x.gcr: exists: not overwritten without -f' enc ../M x
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

# A container that was emptied, cut or exchanged is not called unchanged; a key slot that was added is no change.
mkdir G
cd G
bytes 5000 1 >E
bytes 5000 2 >F
expect_exit 0 enc O -q E F
expect_exit 0 "$GCRYPT" key add -q "${k[@]:2}" --new-recipient ../A/pair.pub F.gcr
expect 0 '2 files: 0 done, 2 unchanged, 0 failed' enc O E F
for damage in 'truncate -s -1 E.gcr' 'echo >>E.gcr'; do
	eval "$damage"
	expect 0 '2 files: 1 done, 1 unchanged, 0 failed' enc O E F
	expect_exit 0 "$GCRYPT" verify "${k[@]}" --manifest O >out
done
cp -p E.gcr kept-E
for damage in ': >E.gcr' 'truncate -s 16384 E.gcr' 'cp ../own.gcr E.gcr; touch -r E E.gcr' 'cp F.gcr E.gcr'; do
	eval "$damage"
	expect 6 'E.gcr: exists: not overwritten without -f' enc O E F
	cp -p kept-E E.gcr
done
expect 0 '2 files: 0 done, 2 unchanged, 0 failed' enc O E F
: >E.gcr
expect 0 '2 files: 1 done, 1 unchanged, 0 failed' "$GCRYPT" enc -f "${k[@]}" --manifest O E F
expect_exit 0 "$GCRYPT" verify "${k[@]}" --manifest O >out

# The sizes, as stat(1) prints them; without them, as in manifests of earlier releases, the rest is compared.
peer dec ../key O text
for file in E F; do
	grep "\"name\":\"$file\"" text | grep -q "\"container_size\":$(stat -c %s $file.gcr)," || give_up "$(cat text)"
done
sed -i 's/"container_size":[0-9]*,//' text
rm O
peer enc --content 4 ../key text O
expect 0 '2 files: 0 done, 2 unchanged, 0 failed' enc O E F
: >E.gcr
expect_exit 6 enc O E F
sed -i 's/"mtime"/"container_size":-1,"mtime"/' text
peer enc --content 4 ../key text forged
expect_exit 4 enc forged E
cd ..

# rekey makes another container.
expect_exit 0 "$GCRYPT" rekey -q "${k[@]}" --new-key-file key A/x.gcr
bytes 11 7 >A/x
expect 6 'A/x.gcr: exists: not overwritten without -f' enc N -q A/x

# A container would take the manifest's name: nothing is done, whatever leads there.
mkdir W
ln -s W V
cd W
bytes 1000 1 >a
bytes 1000 2 >"set"
expect 2 'set.gcr: is the manifest, and would be the container of set' enc set.gcr a set
no_file set.gcr a.gcr set.gcr.lock
expect_exit 0 enc set.gcr -q a
cp set.gcr kept
rm a.gcr
for names in 'set.gcr a set' './set.gcr a set' '../V/set.gcr a set' "$PWD/set.gcr set" 'set.gcr a ../V/set'; do
	refused 2 'set.gcr: is the manifest, and would be the container of' enc -f "${k[@]}" --manifest $names
	same set.gcr kept
	no_file a.gcr
done
expect_exit 2 enc ../V/set.gcr -f --output-dir . ../A/x set
no_file a.gcr x.gcr
same set.gcr kept
cd ..

# One container of two inputs, whatever leads there; but a name that comes twice is one input.
mkdir D
cd D
bytes 1000 1 >x
bytes 1000 2 >y
ln -s ../D again
for other in ./x again/x "$PWD/x"; do
	expect 2 'x.gcr: would be the container of two inputs' enc m -f x y "$other"
	no_file x.gcr y.gcr m
done
expect 0 '2 files: 2 done, 0 failed' enc m y x y x x
expect_exit 0 "$GCRYPT" verify "${k[@]}" --manifest m >out
grep -q '^m: verified: 2 files' out || give_up "$(cat out)"
printf 'x\ny\nx\n' >list
expect 0 '2 files: 0 done, 2 unchanged, 0 failed' enc m --files-from list
cd ..

# A run that is killed loses the work of its last seconds: of few files too, the next one needs no -f for the others.
mkdir T
cd T
bytes 3000000 1 >first
bytes 9000000 2 >second
"$GCRYPT" enc -q --bwlimit 1M "${k[@]}" --manifest P first second &
pid=$!
soon test -e P || give_up "no checkpoint"
kill -9 "$pid"
wait "$pid" || true
no_file second.gcr
expect 0 '2 files: 1 done, 1 unchanged, 0 failed' enc P first second
