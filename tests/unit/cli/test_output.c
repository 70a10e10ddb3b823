/* Output files that appear or change while they are made, special files, and what others may read.  All else: groups 6
 * and 9 of tests/faults. */
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/files/output.h"

static int refused; /* the error of the call below; 0: none */

int fchmod(int fd, mode_t mode)
{
	errno = refused;
	return refused != 0 ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

static bool is_public; /* the file system makes folders for all */

int mkdirat(int at, const char *name, mode_t mode)
{
	return (int)syscall(SYS_mkdirat, at, name, is_public ? mode | 055 : mode);
}

static char folder[] = "/tmp/gcrypt-test-output-XXXXXX";

void program_set_up(void)
{
	umask(022);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
}

void program_tear_down(void)
{
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void make(const char *name, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0 && write(fd, "old", 3) == 3 && fchmod(fd, mode) == 0 && close(fd) == 0);
}

static unsigned n_files(void)
{
	DIR *here = opendir(".");
	unsigned n = 0;

	assert_non_null(here);
	while (readdir(here))
		n++;
	closedir(here);
	return n - 2; /* . and .. */
}

static int choose(const char *name, const struct output_terms *terms)
{
	struct output output;

	return output_choose(&output, name, terms);
}

/* All steps, writing three bytes. */
static int make_output(const char *name, const struct output_terms *terms)
{
	return output_write(name, "new", 3, terms);
}

static mode_t mode_of(const char *name)
{
	struct stat there;

	assert_int_equal(stat(name, &there), 0);
	return there.st_mode & 07777;
}

/* A file that appears after the look is not overwritten. */
TEST(appears_meanwhile)
{
	const struct output_terms terms = { 0 };
	struct output output;

	assert_ok(output_choose(&output, "out", &terms));
	assert_ok(output_create(&output));
	make("out", 0604);
	assert_ok(output_sync(&output));
	assert_status(output_commit(&output), GPUCRYPT_EXISTS);
	assert_int_equal(mode_of("out"), 0604);
	assert_int_equal(n_files(), 1);
	unlink("out");
}

/* With -f as well a FIFO that appears is left alone. */
TEST(replaced_meanwhile)
{
	const struct output_terms terms = { .force = true };
	struct output output;

	fail_clear();
	make("out", 0600);
	assert_ok(output_choose(&output, "out", &terms));
	assert_ok(output_create(&output));
	unlink("out");
	assert_int_equal(mkfifo("out", 0600), 0);
	assert_ok(output_sync(&output));
	assert_status(output_commit(&output), GPUCRYPT_IO);
	assert_int_equal(n_files(), 1);
	unlink("out");
}

TEST(special)
{
	const struct output_terms terms = { .ciphertext = true };
	struct stat before, after;

	assert_int_equal(stat("/dev/null", &before), 0);
	assert_ok(make_output("/dev/null", &terms));
	assert_int_equal(stat("/dev/null", &after), 0);
	assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
	assert_int_equal(mkfifo("fifo", 0644), 0);
	assert_ok(choose("fifo", &terms));
	assert_int_equal(n_files(), 1);
	unlink("fifo");
	/* Without the right to make device nodes there is nothing to refuse. */
	if (mknod("block", S_IFBLK | 0600, makedev(240, 7)) == 0) {
		assert_status(choose("block", &terms), GPUCRYPT_EXISTS);
		unlink("block");
	}
}

TEST(descriptors)
{
	char name[32];
	int fd = open("out", O_RDWR | O_CREAT, 0600);

	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	assert_int_equal(folder_descriptor(name), fd);
	assert_int_equal(folder_descriptor("/dev/stdout"), 1);
	assert_int_equal(symlink("/dev/stdout", "link"), 0);
	assert_int_equal(folder_descriptor("link"), 1);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(folder_descriptor("loop"), -1);
	assert_int_equal(folder_descriptor("out"), -1);
	assert_int_equal(folder_descriptor("nodir/1"), -1);
	assert_ok(make_output(name, &(struct output_terms){ 0 }));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 3);
	assert_int_equal(n_files(), 3);
	close(fd);
	unlink("out");
	unlink("link");
	unlink("loop");
}

/* Plaintext that others may read is a failure, but the file is kept; a container that others may read is none. */
TEST(exposed)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct output_terms terms = { .ciphertext = i == 0, .quiet = true };
		struct output output;

		assert_ok(output_choose(&output, "out", &terms));
		assert_ok(output_create(&output));
		if (i < 2)
			assert_int_equal(chmod(output.temporary, 0644), 0);
		refused = EPERM;
		assert_ok(output_sync(&output));
		refused = 0;
		assert_ok(output_commit(&output));
		assert_status(output_result(&output), i == 1 ? GPUCRYPT_IO : GPUCRYPT_OK);
		assert_int_equal(n_files(), 1);
		unlink("out");
	}
}

/* A directory that is not private while it is made is a failure too. */
TEST(exposed_tree)
{
	for (unsigned i = 0; i < 2; i++) {
		struct output output;

		fail_clear();
		is_public = i == 1;
		assert_ok(output_choose(&output, "out", &(struct output_terms){ .tree = true }));
		assert_ok(output_create(&output));
		assert_ok(output_sync(&output));
		assert_ok(output_commit(&output));
		assert_status(output_result(&output), is_public ? GPUCRYPT_IO : GPUCRYPT_OK);
		assert_int_equal(rmdir("out"), 0);
	}
	is_public = false;
}
