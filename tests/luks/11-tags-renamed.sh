#!/bin/bash
# A run over an existing volume with tags that is killed between its two renames: the manual's repair.
# shellcheck source=tests/luks/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
make_key
bytes 1048576 1 >old
bytes 1048576 2 >new
k=(--engine cpu --key-file key)

for kind in '--detached' '--luks2 --kdf-cost 10 --tags pair.gcr'; do
	read -ra layout <<<"$kind"
	"$GCRYPT" enc -q "${k[@]}" "${layout[@]}" -f -o pair old
	expect_exit 137 faulty rename:2:kill "$GCRYPT" enc -q "${k[@]}" "${layout[@]}" -f -o pair new
	expect_exit 4 "$GCRYPT" verify -q "${k[@]}" pair.gcr
	left=(.gcrypt-????????????????.part)
	[ ${#left[@]} -eq 1 ] || give_up "left: ${left[*]}"
	mv "${left[0]}" pair.gcr
	expect_exit 0 "$GCRYPT" verify -q "${k[@]}" pair.gcr
	"$GCRYPT" dec -q "${k[@]}" -f -o back pair.gcr
	same new back
done
