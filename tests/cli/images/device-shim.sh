#!/bin/bash
# A file that looks like a block device, where no loop device can be had (see 26-block-device): its
# status says that it is one, and no size; what counts is where its end is.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

cat >shim.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int as_device(const char *path, struct stat *there)
{
	const char *name = strrchr(path, '/');

	if (!strcmp(name ? name + 1 : path, "device")) {
		there->st_mode = S_IFBLK | 0600;
		there->st_size = 0;
	}
	return 0;
}

int fstat(int fd, struct stat *there)
{
	int (*next)(int, struct stat *) = dlsym(RTLD_NEXT, "fstat");
	char link[64], path[4096] = "";

	if (next(fd, there) != 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof path - 1) < 0)
		return 0;
	return as_device(path, there);
}

#define BY_NAME(function)                                                                          \
	int function(const char *name, struct stat *there)                                         \
	{                                                                                          \
		int (*next)(const char *, struct stat *) = dlsym(RTLD_NEXT, #function);            \
                                                                                                   \
		return next(name, there) == 0 ? as_device(name, there) : -1;                       \
	}
BY_NAME(stat)
BY_NAME(lstat)
C
make_shim shim.c
on() { # CODE WORDS…
	expect_exit "$1" env LD_PRELOAD="$PWD/shim.so" "$GCRYPT" "${@:2}"
}
size=1048576
truncate -s $size device
bytes 100000 >in

# As output: only with -f, written where it is, never longer than it is.
on 6 enc "${small[@]}" "${k[@]}" -o device in
cmp -n $size device /dev/zero
inode=$(stat -c %i device)
on 0 enc -f "${small[@]}" "${k[@]}" -o device in
[ "$(stat -c %i:%s device)" = "$inode:$size" ] || give_up "not written in place: $(stat device)"
on 0 verify "${k[@]}" device # though it is longer than the container
on 0 dec "${k[@]}" -o out device
same in out
on 0 rekey "${k[@]}" --cipher camellia -o new device
on 0 rekey -f "${k[@]}" -o device new
on 0 dec -f "${k[@]}" -o out device
same in out
expect_exit 4 "$GCRYPT" verify "${k[@]}" device # a file that is longer is damaged

# As input: all of it.
bytes $size 3 >content
cp content device
on 0 enc "${k[@]}" -o c device
[ "$("$GCRYPT" info --json c | field plaintext_bytes)" = $size ] || give_up "$("$GCRYPT" info --json c)"
: >device
truncate -s $size device
on 0 dec -f "${k[@]}" -o device c
same content device

# What does not fit is refused before anything is written.
bytes $((size + 1)) >big
"$GCRYPT" enc "${k[@]}" -o big.gcr big
for words in "enc -f ${small[*]} ${k[*]} -o device big" "dec -f ${k[*]} -o device big.gcr"; do
	on 3 $words
	says "does not fit: the output takes $size bytes"
	same content device
done
