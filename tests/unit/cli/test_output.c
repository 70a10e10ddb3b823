/* Output files: created, rejected, and no file left after a failure. */
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

static int refused; /* the error of the calls below; 0: none */

int fchmod(int fd, mode_t mode)
{
	errno = refused;
	return refused != 0 ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int futimens(int fd, const struct timespec times[2])
{
	errno = refused;
	return refused != 0 ? -1 : (int)syscall(SYS_utimensat, fd, NULL, times, 0);
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

/* Never wider than the input's, no set-user-ID; plaintext is for its owner only. */
TEST(finished_modes)
{
	struct stat input = { .st_mode = S_IFREG | 04754, .st_gid = getgid() };
	const struct {
		struct output_terms terms;
		mode_t mode;
	} cases[] = {
		{ { .input = &input, .ciphertext = true }, 0754 },
		{ { .input = &input }, 0600 },
		{ { .input = &input, .ciphertext = true, .acl = true }, 0700 },
		{ { .input = &input, .standard_input = true, .ciphertext = true }, 0640 },
		{ { .input = NULL }, 0600 },
	};

	umask(027);
	for (size_t i = 0; i < N_OF(cases); i++) {
		assert_ok(make_output("out", &cases[i].terms));
		assert_int_equal(mode_of("out"), cases[i].mode);
		assert_int_equal(n_files(), 1);
		unlink("out");
	}
	umask(022);
}

TEST(existing)
{
	const struct output_terms terms = { 0 }, force = { .force = true };
	char text[4] = "";
	int fd;

	make("out", 0644);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_status(make_output("out", &terms), GPUCRYPT_EXISTS);
	assert_status(make_output("dangling", &terms), GPUCRYPT_EXISTS);
	assert_ok(make_output("dangling", &force));
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_ok(make_output("out", &force));
	fd = open("out", O_RDONLY);
	assert_int_equal(read(fd, text, 3), 3);
	close(fd);
	assert_string_equal(text, "new");
	assert_int_equal(mode_of("out"), 0600);
	assert_status(make_output(".", &force), GPUCRYPT_IO);
	assert_status(make_output("nodir/out", &force), GPUCRYPT_IO);
	assert_status(make_output("out/out", &force), GPUCRYPT_IO);
	assert_status(make_output("", &force), GPUCRYPT_IO);
	assert_int_equal(n_files(), 2);
	unlink("out");
	unlink("dangling");
}

/* Input and output are one file, under whatever name. */
TEST(same)
{
	static const char *const names[] = { "in", "hard", "soft", "./in" };
	struct stat input;
	struct output_terms terms = { .input = &input, .force = true };
	struct key_files keys = { .list = { { .option = "key-file" } }, .n = 1 };

	make("in", 0600);
	assert_int_equal(link("in", "hard"), 0);
	assert_int_equal(symlink("in", "soft"), 0);
	assert_int_equal(stat("in", &input), 0);
	for (size_t i = 0; i < N_OF(names); i++)
		assert_status(choose(names[i], &terms), GPUCRYPT_EXISTS);
	assert_ok(choose("other", &terms));
	terms.input = NULL;
	terms.keys = &keys;
	keys.list[0].stat = input;
	for (size_t i = 0; i < N_OF(names); i++)
		assert_status(choose(names[i], &terms), GPUCRYPT_EXISTS);
	assert_ok(choose("other", &terms));
	for (size_t i = 0; i < 3; i++)
		unlink(names[i]);
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

/* FAT, CIFS and FUSE may refuse mode and time: the file is made all the same.  Other errors are failures. */
TEST(refused_attributes)
{
	static const struct {
		int error, status;
	} cases[] = { { EPERM, GPUCRYPT_OK }, { EACCES, GPUCRYPT_OK }, { ENOTSUP, GPUCRYPT_OK },
		{ EOPNOTSUPP, GPUCRYPT_OK }, { ENOSYS, GPUCRYPT_OK }, { EIO, GPUCRYPT_IO }, { ENOSPC, GPUCRYPT_IO } };
	struct stat input = { .st_mode = S_IFREG | 0444, .st_gid = getgid(), .st_mtim = { 12345, 0 } }, made;

	for (size_t i = 0; i < 2 * N_OF(cases); i++) {
		const struct output_terms terms = {
			.input = &input, .ciphertext = i % 2 == 0, .keeps_time = true, .quiet = true
		};

		refused = cases[i / 2].error;
		assert_status(make_output("out", &terms), cases[i / 2].status);
		assert_int_equal(n_files(), cases[i / 2].status == GPUCRYPT_OK);
		if (cases[i / 2].status == GPUCRYPT_OK)
			assert_int_equal(mode_of("out"), 0600);
		refused = 0;
		unlink("out");
	}
	assert_ok(make_output("out", &(struct output_terms){ .input = &input, .keeps_time = true }));
	assert_int_equal(mode_of("out"), 0400);
	assert_int_equal(stat("out", &made), 0);
	assert_int_equal(made.st_mtim.tv_sec, 12345);
	unlink("out");
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
