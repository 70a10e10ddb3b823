# What the scenarios with other programs share; beside tests/scenarios/lib.sh, which it sources.
# shellcheck shell=bash
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
export PATH="$PATH:/usr/sbin:/sbin"

beside=${BASH_SOURCE[0]%/*}
luks1() { python3 "$beside/luks1.py" "$@"; }
veracrypt() { python3 "$beside/veracrypt.py" "$@"; }

needs() {
	command -v "$1" >/dev/null || skip "NOT COMPARED: $1 is not there; apt-get install $2"
}

# hex FILE: its bytes in hexadecimal digits.
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

# make_disk SIZE: disk.img, an ext4 file system.
make_disk() {
	truncate -s "$1" disk.img
	mke2fs -q -F -t ext4 -d "$beside" disk.img
}
