# Functions of the scenarios of LUKS volumes.
# shellcheck shell=bash
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"

needs() { command -v "$1" >/dev/null || skip "skipped: no $1"; }

with_library() { grep -qaF libcryptsetup.so "$GCRYPT"; } # the name that it loads

# volume_key VOLUME PASSPHRASE-FILE: what cryptsetup prints, in hexadecimal.
volume_key() {
	rm -f volume.key
	cryptsetup luksDump -q --dump-volume-key --volume-key-file volume.key --key-file "$2" "$1" >/dev/null
	od -An -v -tx1 volume.key | tr -d ' \n'
}

# xts DIRECTION CIPHER KEY SECTOR IN OUT: sector by sector, by libcrypto or in Python; tweaks count sectors of 512 bytes.
xts() { peer xts "$1" "$2" "$3" "$4" 0 $(($4 / 512)) "$5" "$6"; }

# opens VOLUME PASSPHRASE-FILE OPTION…: cryptsetup takes the passphrase.
opens() { cryptsetup open -q --test-passphrase --key-file "$2" "${@:3}" "$1" || give_up "cryptsetup does not open $1"; }
