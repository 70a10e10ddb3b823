#!/bin/bash
# Any change of a page or payload is found, with its offset; nothing is left behind.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 24581 >in
"$GCRYPT" enc "${small[@]}" --key-file key in

# damaged WHAT: bad.gcr is refused by dec and verify.
damaged() {
	expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
	expect_exit 4 "$GCRYPT" dec --key-file key -o out bad.gcr
	no_file out
}

# Flipped bits: every field of a page, then places in payloads.
for at in 0 7 8 15 16 23 24 27 28 31 32 47 48 63 64 95 96 127 128 143 159 160 2175 2176 4063 4064 4095; do
	cp in.gcr bad.gcr
	flip bad.gcr $(($(page 1) + at)) $((at % 8))
	damaged
done
says "$(page 1)" # the offset of the group's page
for at in $(page 0) $(($(page 0) + 4096)) $(($(page 0) + 8191)) $(($(page 0) + 8192)) \
	$(($(page 1) - 1)) $(($(page 2) + 4096)) $(($(page 3) + 64)) $(($(page 3) + 4100)); do
	cp in.gcr bad.gcr
	flip bad.gcr "$at" 3
	damaged
done

# Bytes after the end.
for n in 1 16 4096; do
	{ cat in.gcr; head -c "$n" /dev/zero; } >bad.gcr
	damaged
done

# Groups swapped, repeated, dropped; chunks swapped.
group() { part "${2:-in.gcr}" "$(page "$1")" $((4096 + group_bytes)); }
head -c 16384 in.gcr >header
{ cat header; group 1; group 0; group 2; group 3; } >bad.gcr
damaged
{ cat header; group 0; group 0; group 1; group 2; group 3; } >bad.gcr
damaged
{ cat header; group 0; group 2; group 3; } >bad.gcr
damaged
{ cat header; group 0; group 1; group 2; } >bad.gcr
damaged
cp in.gcr bad.gcr
part in.gcr $(($(page 1) + 8192)) 4096 | put bad.gcr $(($(page 1) + 4096))
part in.gcr $(($(page 1) + 4096)) 4096 | put bad.gcr $(($(page 1) + 8192))
damaged

# A group of another container under the same key, and one with its payload of the same container.
"$GCRYPT" enc "${small[@]}" --key-file key -o other.gcr in
{ cat header; group 0; group 1 other.gcr; group 2; group 3; } >bad.gcr
damaged
{ head -c 8192 in.gcr; tail -c +8193 other.gcr; } >bad.gcr
expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
{ cat header; tail -c +16385 other.gcr; } >bad.gcr
damaged

# -f does not go round authentication, and what was there stays.
cp in.gcr bad.gcr
flip bad.gcr $(($(page 2) + 5000))
echo kept >out
expect_exit 4 "$GCRYPT" dec -f --key-file key -o out bad.gcr
[ "$(cat out)" = kept ] || give_up "the old output was lost"

# A wrong secret opens nothing.
bytes 32 78 >wrong
expect_exit 5 "$GCRYPT" dec --key-file wrong -o new in.gcr
expect_exit 5 "$GCRYPT" verify --key-file wrong in.gcr
no_file new
