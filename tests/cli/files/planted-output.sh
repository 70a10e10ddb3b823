#!/bin/bash
# An output that another user made in a sticky folder that everybody can write to: plaintext goes there
# only with -f.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "not root: there is no other user"
command -v setpriv >/dev/null || skip "no setpriv"
make_key
bytes 3000 >in
"$GCRYPT" enc -q --engine cpu --key-file key in
mkdir shared others private
chmod 1777 shared
chmod 755 .
mallory() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
chown 65534 others private
mallory mkfifo -m 666 shared/out others/fifo
mallory ln -s ../others/fifo shared/link
mkfifo shared/mine

# into CODE NAME OPTION…: what comes out of the FIFO is left in got.
into() {
	: >got
	timeout 60 cat "$2" >got &
	expect_exit "$1" timeout 60 "$GCRYPT" dec -q --engine cpu --key-file key "${@:3}" -o "$2" in.gcr
	[ "$1" -eq 0 ] || kill $!
	wait $! || true
}
for name in shared/out shared/link; do
	into 6 $name
	says "$name: not written: it is another user's"
	[ ! -s got ] || give_up "$name: $(wc -c <got) bytes of plaintext"
	into 0 $name -f
	same in got
done
into 6 "$PWD/shared/out"

# The user's own there, and another user's where only this user can make entries.
into 0 shared/mine
same in got
chown 0 others
into 0 others/fifo
same in got

# The name that dec chooses itself.
cp in.gcr shared/out.gcr
expect_exit 6 timeout 60 "$GCRYPT" dec -q --engine cpu --key-file key shared/out.gcr
