#!/bin/bash
# An archive gives nobody rights unless --same-permissions asks for it: no setuid, setgid or sticky bit,
# no capability, no access control list, nothing that the umask forbids, no device.  (Archives that write elsewhere:
# group 10 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
python3 "$tests/model/archives.py" permissions p.gcr "$(id -u)"

modes() { (cd "$1" && stat -c '%a %n' . d suid sgid open plain acl cap trusted | tr '\n' ' '); }

# attributes FOLDER: all extended attributes as Python sees them, access control lists among them.
attributes() {
	python3 - "$1" <<'PY'
import os, sys
print(*sorted(f"{name}:{key}" for name in os.listdir(sys.argv[1]) for key in os.listxattr(os.path.join(sys.argv[1], name))))
PY
}

# Without the option: modes are what the umask leaves of rwxrwxrwx, and one line says so.
while read -r mask want; do
	(umask "$mask" && expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out p.gcr)
	[ "$(modes out)" = "$want " ] || give_up "umask $mask: $(modes out)"
	[ "$(attributes out)" = 'plain:user.u' ] || [ "$(attributes out)" = '' ] || give_up "attributes: $(attributes out)"
	[ out/second -ef out/suid ] || give_up "no hard link"
	[ "$(wc -l <err)" -eq 1 ] || give_up "lines: $(cat err)"
	grep -qE '^gcrypt: p.gcr: warning: dropped .* [0-9]+ files \(--same-permissions keeps them\)$' err || give_up "$(cat err)"
	rm -r out
done <<'TEXT'
022 755 . 755 d 755 suid 755 sgid 644 open 600 plain 755 acl 755 cap 644 trusted
077 700 . 700 d 700 suid 700 sgid 600 open 600 plain 700 acl 700 cap 600 trusted
000 755 . 777 d 755 suid 755 sgid 666 open 600 plain 777 acl 755 cap 644 trusted
TEXT
expect_exit 0 "$GCRYPT" dec -q "${k[@]}" -o out p.gcr
[ ! -s err ] || give_up "with -q: $(cat err)"
rm -r out

# With it everything that this user may set, whatever the umask.
for option in --same-permissions -p; do
	(umask 077 && expect_exit 0 "$GCRYPT" dec $option "${k[@]}" -o out p.gcr)
	[ ! -s err ] || give_up "$option: $(cat err)"
	case $(modes out) in
	'755 . 7777 d 4755 suid 2755 sgid 666 open 600 plain '*' acl 755 cap 644 trusted ') ;;
	*) give_up "$option: $(modes out)" ;;
	esac
	if [ "$(id -u)" -eq 0 ] && attributes out | grep -q 'plain:user.u'; then
		[ "$(attributes out)" = 'acl:system.posix_acl_access cap:security.capability plain:user.u trusted:trusted.t' ] ||
			give_up "attributes: $(attributes out)"
	fi
	rm -r out
done

# A device is made only for who asks for it (and may: root may not everywhere).
python3 "$tests/model/archives.py" device device.gcr
refused 3 'is left out: a device (see --devices)' dec "${k[@]}" -o without device.gcr
no_file without/null
if [ "$(id -u)" -eq 0 ] && mknod probe c 1 3 2>err; then
	expect_exit 0 "$GCRYPT" dec --devices "${k[@]}" -o with device.gcr
	[ -c with/null ] || give_up "no device"
	# The encryption says what only root can restore.
	touch with/{b,c}
	chown 12345 with/{b,c}
	expect 0 'with: warning: only root can restore device nodes (see dec --devices): 1, first null' \
		"$GCRYPT" enc "${k[@]}" -o with.gcr with
	says 'with: warning: only root can restore the owners of files: 2, first b'
	expect_exit 0 "$GCRYPT" enc -qf "${k[@]}" -o with.gcr with
	[ ! -s err ] || give_up "with -q: $(cat err)"
fi

# The sum of both: for another user than root too.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	python3 "$tests/model/archives.py" permissions nobody.gcr 65534
	mkdir -m 777 theirs
	cp "$GCRYPT" gcrypt
	chmod 755 . .. gcrypt
	chmod 644 key nobody.gcr
	them=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent ./gcrypt dec "${k[@]}")
	(umask 022 && expect_exit 0 "${them[@]}" -o theirs/out nobody.gcr)
	[ "$(find theirs -perm /7000)" = '' ] || give_up "setuid: $(find theirs -perm /7000)"
	[ "$(find theirs/out -perm /022 ! -type l)" = '' ] || give_up "others may write: $(find theirs/out -perm /022)"
	(umask 022 && expect_exit 0 "${them[@]}" -p -o theirs/same nobody.gcr)
	[ "$(stat -c %a theirs/same/suid)" = 4755 ] || give_up "not restored: $(stat -c %a theirs/same/suid)"
fi
