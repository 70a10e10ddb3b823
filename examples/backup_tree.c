/* Encrypt files as a tree: find . -type d -o -type f | backup_tree KEY >OUT; or decrypt one into an empty working
 * directory: backup_tree KEY IN */
#define _GNU_SOURCE
#include <gpucrypt.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file = -1; /* content of the entry that was described last */
/* A line of standard input is a name, as find(1) prints them: a directory comes before what is in it. */
static int next_name(void *self, struct gpucrypt_entry *entry)
{
	static char name[4096];
	struct stat status;

	close(file);
	if (fgets(name, sizeof name, stdin) == NULL)
		return 0;
	name[strcspn(name, "\n")] = '\0';
	file = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	entry->path = strncmp(name, "./", 2) == 0 ? name + 2 : name;
	if (file < 0 || fstat(file, &status) != 0)
		return -1;
	entry->mode = status.st_mode;
	entry->size = (uint64_t)status.st_size;
	return entry->mtime_seconds = status.st_mtime, (void)self, 1;
}
static ssize_t read_content(void *self, void *bytes, size_t n_bytes)
{
	return (void)self, read(file, bytes, n_bytes);
}
static int make_entry(void *self, const struct gpucrypt_entry *entry)
{
	(void)self, close(file);
	if (S_ISDIR(entry->mode))
		return strcmp(entry->path, ".") == 0 ? 0 : mkdir(entry->path, 0700);
	file = open(entry->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, entry->mode & 0777);
	return S_ISREG(entry->mode) ? ftruncate(file, (off_t)entry->size) : -1; /* bytes in no call are 0 */
}
static ssize_t write_content(void *self, const void *bytes, size_t n_bytes, uint64_t offset)
{
	return (void)self, pwrite(file, bytes, n_bytes, (off_t)offset);
}
int main(int argc, char **argv)
{
	unsigned char key[32];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key };
	struct gpucrypt_tree_source from = { .next = next_name, .read = read_content };
	struct gpucrypt_tree_sink to = { .entry = make_entry, .pwrite = write_content };
	struct gpucrypt_source in = { .fd = argc > 2 ? open(argv[2], O_RDONLY) : -1 };
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1, status;

	if (fd < 0 || read(fd, key, sizeof key) != sizeof key || read(fd, &(char){ 0 }, 1) != 0)
		return fputs("usage: backup_tree KEY [IN], where KEY has 32 bytes\n", stderr), GPUCRYPT_USAGE;
	status = argc > 2 ? gpucrypt_decrypt_tree(&in, &to, NULL, &secret, NULL)
	                  : gpucrypt_encrypt_tree(&from, &(struct gpucrypt_sink){ .fd = 1 }, NULL, &secret, NULL);
	return status == GPUCRYPT_OK ? 0 : (fprintf(stderr, "backup_tree: %s\n", gpucrypt_error()), status);
}
