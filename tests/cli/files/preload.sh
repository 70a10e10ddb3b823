#!/bin/bash
# With a library loaded before libc: what reaches the storage in which order, what is read back, what
# happens on poorer file systems, and that no other program gets the passphrase.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)

cat >shim.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char reads_back[1024]; /* by descriptor: 1 the container, 2 the plain file, in this order */
static unsigned n_read_back;

static int asked(const char *word)
{
	return getenv("SHIM") && strstr(getenv("SHIM"), word);
}

static void note(const char *what, int fd, const char *name)
{
	char link[64], path[256] = "";
	int log = open(getenv("SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (fd >= 0 && readlink(link, path, sizeof path - 1) > 0)
		name = strrchr(path, '/') + 1;
	dprintf(log, "%s %s\n", what, name);
	close(log);
}

__attribute__((constructor)) static void start(void)
{
	note(getenv("P") ? "secret" : "start", -1, program_invocation_short_name);
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

int fsync(int fd)
{
	note("fsync", fd, "");
	if (asked("folder-fails") && openat(fd, ".", O_PATH | O_CLOEXEC) >= 0)
		return errno = EIO, -1;
	if (asked("chmod"))
		chmod("in", 0600);
	return NEXT(fsync)(fd);
}

/* A call that is logged, or fails if SHIM has the word. */
#define LOGGED(function, word, number, what, fd, name, parameters, arguments) \
	int function parameters                                               \
	{                                                                     \
		if (asked(word))                                              \
			return errno = number, -1;                            \
		note(what, fd, name);                                         \
		return NEXT(function) arguments;                              \
	}
LOGGED(fchmod, "never", 0, "fchmod", fd, "", (int fd, mode_t mode), (fd, mode))
LOGGED(renameat2, "poor", EINVAL, "rename", -1, to, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
LOGGED(renameat, "never", 0, "replace", -1, to, (int a, const char *from, int b, const char *to), (a, from, b, to))
LOGGED(linkat, "poorest", EPERM, "link", -1, to, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
LOGGED(unlink, "never", 0, "unlink", -1, name, (const char *name), (name))

int posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	note("read-back", fd, "");
	reads_back[fd] = 1 + n_read_back++ % 2;
	return NEXT(posix_fadvise)(fd, offset, length, advice);
}

ssize_t pread(int fd, void *bytes, size_t n_bytes, off_t offset)
{
	ssize_t got = NEXT(pread)(fd, bytes, n_bytes, offset);

	if (fd < 0 || fd >= 1024)
		return got;
	if (reads_back[fd] == 1 && asked("flip-container") && got > 5000) /* of a group */
		((char *)bytes)[5000] ^= 1;
	if (reads_back[fd] == 2 && asked("flip-plain") && got > 0)
		((char *)bytes)[got - 1] ^= 1;
	return got;
}
C
make_shim shim.c
export SHIM_LOG=$PWD/log

# shim WHAT COMMAND…
shim() { env LD_PRELOAD="$PWD/shim.so" SHIM="$1" "${@:2}"; }

# in_order LINE…: the log has these lines, as patterns, in this order, and not the last one before.
in_order() {
	local at=0 line next
	for line; do
		next=$(tail -n +$((at + 1)) log | grep -nxm 1 -e "$line" | cut -d: -f1) ||
			give_up "no '$line' after line $at of: $(cat log)"
		at=$((at + next))
	done
	[ "$(grep -nxm 1 -e "$line" log | cut -d: -f1)" -eq "$at" ] || give_up "'$line' too early: $(cat log)"
	rm log
}

bytes 30000 >in
cp in kept
temporary='\.gcrypt-[0-9a-f]*\.part' here=${PWD##*/}
expect_exit 0 shim '' "$GCRYPT" enc --engine cpu "${small[@]}" "${k[@]}" in
in_order "fchmod $temporary" "fsync $temporary" 'rename in\.gcr' "fsync $here"
expect_exit 0 shim '' "$GCRYPT" enc --rm --engine cpu "${small[@]}" "${k[@]}" -o c in
in_order "fsync $temporary" "read-back $temporary" 'read-back in' 'rename c' "fsync $here" \
	'unlink in'
no_file in
cp kept in
rm c

# File systems without RENAME_NOREPLACE, and without links too.
for poor in poor poorest; do
	expect_exit 0 shim "$poor" "$GCRYPT" enc --engine cpu "${small[@]}" "${k[@]}" -o c in
	expect_exit 0 "$GCRYPT" dec --engine cpu "${k[@]}" -o out c
	same in out
	rm c out
done
only in in.gcr kept key shim.c shim.so log

# What comes back from the storage is compared, and nothing is lost when it differs.
for how in flip-container flip-plain; do
	expect_exit 4 shim "$how" "$GCRYPT" enc --rm "${small[@]}" "${k[@]}" -o c in
	no_file c
	same in kept
	expect_exit 4 shim "$how" "$GCRYPT" dec --rm "${k[@]}" -o out in.gcr
	no_file out
	[ -e in.gcr ] || give_up "the container is gone"
done

# A container under a new key takes the old one's place after it was read back from the storage.
cp in.gcr old
expect_exit 4 shim flip-container "$GCRYPT" rekey "${k[@]}" in.gcr
same in.gcr old
rm log
expect_exit 0 shim '' "$GCRYPT" rekey --engine cpu "${k[@]}" in.gcr
in_order "fsync $temporary" "read-back $temporary" 'replace in\.gcr' "fsync $here"
expect_exit 0 "$GCRYPT" verify "${k[@]}" in.gcr
rm old

# The folder's sync fails when the file has its name already: that is said, and the file stays; with --rm
# so does the source.
head -c 20480 in >disk
for what in "enc ${small[*]} ${k[*]} -o c in" "enc --rm ${small[*]} ${k[*]} -o c in" "dec ${k[*]} -o c in.gcr" \
	"rekey --engine cpu ${k[*]} -o c in.gcr" "enc --detached ${small[*]} ${k[*]} -o c disk"; do
	expect 3 'c: is complete and stays, but a power failure may take its name: cannot sync its folder: ' shim folder-fails "$GCRYPT" $what
	case $what in
	dec*) same c in ;;
	*detached*) expect_exit 0 "$GCRYPT" verify "${k[@]}" c.gcr ;;
	*) expect_exit 0 "$GCRYPT" verify "${k[@]}" c ;;
	esac
	same in kept
	rm -f c c.gcr
done
[ -z "$(find . -name '.gcrypt-*')" ] || give_up "left: $(find . -name '.gcrypt-*')"

# A source that was touched meanwhile is kept, even if its content and its times look the same.
expect_exit 3 shim chmod "$GCRYPT" enc --rm "${small[@]}" "${k[@]}" -o c in
same in kept

# Compilers and linkers that a driver starts find no passphrase in their environment.
export POCL_CACHE_DIR=$PWD/cache P=secret
for how in -v --dry-run; do
	rm -rf log cache new
	mkdir cache
	shim '' "$GCRYPT" enc "$how" --kdf-cost 10 --engine opencl --passphrase env:P "${small[@]}" -o new in >words 2>&1 ||
		skip "no OpenCL device: $(tail -n 1 words)"
	[ "$(grep -c '^secret' log)" -eq 1 ] || give_up "$how: $(grep '^secret' log)"
done

# No core file.
mkfifo slow
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o core-less slow &
exec 5>slow
soon grep -q '^Max core file size  *0  *0 ' /proc/$!/limits || give_up "there may be a core file"
exec 5>&-
wait
