#!/bin/bash
# A cache folder that somebody else controls: nothing in it is removed, written or believed.  In the
# user's own, only temporaries of this program are removed.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 3000 >in
keep_records
others=(multi-user.target dbus.socket notes.backup a.config)

# record: which record a plan stands on; its messages are left in err.
record() {
	expect_exit 0 "$GCRYPT" enc -f --dry-run --key-file key in >plan
	sed -n 's/^record: //p' plan
}

# refused FOLDER: a run that builds kernels leaves every file as it is, -q is silent, the record of
# this machine is not believed, and one warning says so.
refused() {
	find "$1" -printf '%P %T@ %s\n' | sort >before
	expect_exit 0 "$GCRYPT" enc -q -f --engine opencl --key-file key in
	[ ! -s err ] || give_up "$(cat err)"
	find "$1" -printf '%P %T@ %s\n' | sort >after
	diff before after || give_up "$1: changed"
	[ "$(record)" != 'measured on this machine' ] || give_up "$1: believed"
	says 'warning: '
	says 'cache not used'
	[ "$(wc -l <err)" -eq 1 ] || give_up "$(cat err)"
}

touch "${others[@]/#/cache/gcrypt/}" "$machine.new"
[ "$(record)" = 'measured on this machine' ] || give_up "the user's own: $(cat plan err)"

# Other users can write to it; it is a link to a folder of the user; it belongs to another user.
chmod 777 cache/gcrypt
refused cache/gcrypt
chmod 755 cache/gcrypt
mv cache/gcrypt units
ln -s ../units cache/gcrypt
refused units
rm cache/gcrypt
mv units cache/gcrypt
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 cache/gcrypt
	refused cache/gcrypt
	chown 0 cache/gcrypt
fi

# The user's own: what killed runs left goes, and nothing else.
[ "$(record)" = 'measured on this machine' ] || give_up "the user's own again: $(cat plan err)"
expect_exit 0 "$GCRYPT" enc -q -f --engine opencl --key-file key in
for name in "${others[@]}"; do
	[ -e "cache/gcrypt/$name" ] || give_up "$name is gone"
done
no_file "$machine.new"
grep -q '"inventory"' "$machine" || give_up "no inventory was written: $(ls cache/gcrypt)"

# No folder, and none that can be made: silently without.  PoCL needs a folder of its own.
mkdir -p "${POCL_CACHE_DIR:=$PWD/pocl}"
export POCL_CACHE_DIR
HOME=/dev/null XDG_CACHE_HOME='' expect_exit 0 "$GCRYPT" enc -f --engine opencl --no-progress --key-file key in
[ ! -s err ] || give_up "$(cat err)"
