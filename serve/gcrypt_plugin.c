/*
 * A plugin for nbdkit(1): serves the content of a container as a block device that can only be read.
 *
 *     nbdkit gcrypt file=disk.gcr key-file=key
 *
 * Each read is authenticated; a read of damaged bytes fails with EIO.
 */
#define NBDKIT_API_VERSION 2

#include <errno.h>
#include <fcntl.h>
#include <nbdkit-plugin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/gpucrypt.h"

#define THREAD_MODEL    NBDKIT_THREAD_MODEL_PARALLEL
#define KEY_FILE_BYTES  32
#define MOST_TEXT_BYTES 16384 /* of a private key in PEM */

/* The parameters, and the container, which all connections share. */
static char *file_name, *image_name, *key_name, *identity_name, *passphrase;
static struct gpucrypt_file *file;
static int file_fd = -1, image_fd = -1;

static int set_name(char **name, const char *value)
{
	free(*name);
	*name = nbdkit_absolute_path(value);
	return *name ? 0 : -1;
}

static void wipe_passphrase(void)
{
	if (passphrase)
		explicit_bzero(passphrase, strlen(passphrase));
	free(passphrase);
	passphrase = NULL;
}

static int plugin_config(const char *key, const char *value)
{
	if (!strcmp(key, "file"))
		return set_name(&file_name, value);
	if (!strcmp(key, "image"))
		return set_name(&image_name, value);
	if (!strcmp(key, "key-file"))
		return set_name(&key_name, value);
	if (!strcmp(key, "identity"))
		return set_name(&identity_name, value);
	if (!strcmp(key, "passphrase")) {
		wipe_passphrase();
		return nbdkit_read_password(value, &passphrase);
	}
	nbdkit_error("unknown parameter '%s' (choose from: file, image, key-file, identity, passphrase)", key);
	return -1;
}

static int plugin_config_complete(void)
{
	if (!file_name)
		nbdkit_error("file=CONTAINER is missing");
	else if (!!key_name + !!identity_name + !!passphrase != 1)
		nbdkit_error("one of key-file=FILE, identity=KEY.pem and passphrase=PASSWORD is needed");
	else
		return 0;
	return -1;
}

/* Keys are read twice, and containers at any position, so a FIFO is rejected, without waiting for its writer. */
static int open_file(int *fd, const char *name)
{
	struct stat there;

	*fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, &there) != 0)
		nbdkit_error("%s: cannot open: %m", name);
	else if (S_ISREG(there.st_mode) || S_ISBLK(there.st_mode))
		return 0;
	else
		nbdkit_error("%s: neither a regular file nor a block device", name);
	return -1;
}

static int read_key(struct gpucrypt_secret *secret, uint8_t key[GPUCRYPT_KEY_BYTES])
{
	ssize_t n;
	int fd;

	if (open_file(&fd, key_name) != 0)
		return -1;
	n = read(fd, key, KEY_FILE_BYTES + 1);
	close(fd);
	if (n != KEY_FILE_BYTES)
		nbdkit_error("%s: a key file has %d bytes", key_name, KEY_FILE_BYTES);
	*secret = (struct gpucrypt_secret){ .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = KEY_FILE_BYTES };
	return n == KEY_FILE_BYTES ? 0 : -1;
}

/* Without a passphrase: the server has no terminal to ask on, because nbdkit may run in the background. */
static int read_identity(struct gpucrypt_secret *secret, uint8_t der[GPUCRYPT_KEY_BYTES])
{
	char text[MOST_TEXT_BYTES];
	ssize_t n;
	int fd, status;

	if (open_file(&fd, identity_name) != 0)
		return -1;
	n = read(fd, text, sizeof text);
	close(fd);
	status = n > 0 ? gpucrypt_key_read(secret, der, text, (size_t)n, NULL) : GPUCRYPT_USAGE;
	explicit_bzero(text, sizeof text);
	if (status != GPUCRYPT_OK)
		nbdkit_error("%s: holds no private key in PEM without a passphrase", identity_name);
	return status == GPUCRYPT_OK ? 0 : -1;
}

static int read_secret(struct gpucrypt_secret *secret, uint8_t key[GPUCRYPT_KEY_BYTES])
{
	if (key_name)
		return read_key(secret, key);
	if (identity_name)
		return read_identity(secret, key);
	*secret = (struct gpucrypt_secret){
		.type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)passphrase, .length = strlen(passphrase)
	};
	return 0;
}

static int open_container(void)
{
	const struct gpucrypt_source image = { .fd = image_fd },
	                             source = { .fd = file_fd, .image = image_fd >= 0 ? &image : NULL };
	uint8_t key[GPUCRYPT_KEY_BYTES];
	struct gpucrypt_secret secret = { 0 };
	int result = read_secret(&secret, key);

	if (result == 0 && gpucrypt_open(&file, &source, NULL, &secret) != GPUCRYPT_OK) {
		nbdkit_error("%s: %s", file_name, gpucrypt_error());
		result = -1;
	}
	explicit_bzero(key, sizeof key);
	return result;
}

static void close_container(void)
{
	gpucrypt_close(file);
	file = NULL;
}

/* Tell of all that is wrong before nbdkit forks and reports that it has started. */
static int plugin_get_ready(void)
{
	int status;

	if (open_file(&file_fd, file_name) != 0 || (image_name && open_file(&image_fd, image_name) != 0))
		return -1;
	status = open_container();
	close_container();
	return status;
}

/* Once more in the process that serves: a child does not inherit locks of memory. */
static int plugin_after_fork(void)
{
	int status = open_container();

	wipe_passphrase();
	return status;
}

static void plugin_unload(void)
{
	close_container();
	if (file_fd >= 0)
		close(file_fd);
	if (image_fd >= 0)
		close(image_fd);
	wipe_passphrase();
	free(file_name);
	free(image_name);
	free(key_name);
	free(identity_name);
}

static void *plugin_open(int readonly)
{
	(void)readonly;
	return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t plugin_get_size(void *handle)
{
	(void)handle;
	return (int64_t)gpucrypt_size(file);
}

static int plugin_can_write(void *handle)
{
	(void)handle;
	return 0;
}

/* All connections see the same bytes. */
static int plugin_can_multi_conn(void *handle)
{
	(void)handle;
	return 1;
}

static int plugin_pread(void *handle, void *bytes, uint32_t n_bytes, uint64_t offset, uint32_t flags)
{
	(void)handle, (void)flags;
	if (gpucrypt_pread(file, bytes, n_bytes, offset) == GPUCRYPT_OK)
		return 0;
	memset(bytes, 0, n_bytes);
	nbdkit_error("%s: %s", file_name, gpucrypt_error());
	nbdkit_set_error(EIO);
	return -1;
}

static struct nbdkit_plugin plugin = {
	.name = "gcrypt",
	.longname = "gcrypt containers, authenticated",
	.description = "serves the content of a gcrypt container or detached image, which can only be read",
	.magic_config_key = "file",
	.config = plugin_config,
	.config_complete = plugin_config_complete,
	.config_help = "file=CONTAINER      (required) a container, or a detached header with image=IMAGE\n"
	               "image=IMAGE         the image of a detached header\n"
	               "key-file=FILE       open it with a key file, or\n"
	               "identity=KEY.pem    with a private key, or\n"
	               "passphrase=PASSWORD with a passphrase: -, +FILE or -FD as nbdkit reads passwords",
	.get_ready = plugin_get_ready,
	.after_fork = plugin_after_fork,
	.unload = plugin_unload,
	.open = plugin_open,
	.get_size = plugin_get_size,
	.can_write = plugin_can_write,
	.can_multi_conn = plugin_can_multi_conn,
	.pread = plugin_pread,
	.errno_is_preserved = 1,
};

struct nbdkit_plugin *plugin_init(void); /* the macro defines it without a prototype */
NBDKIT_REGISTER_PLUGIN(plugin)
