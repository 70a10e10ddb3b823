/* A manifest in its container. */
#include "cli/manifest/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/exclusive.h"
#include "cli/files/input.h"
#include "cli/files/output.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/keys/shared_slot.h"
#include "gpucrypt/status.h"

/* Lock. */

/* A file that holds something is no lock, and is not removed afterwards. */
static int lock_open(int *fd, const char *name)
{
	struct stat there;

	*fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (*fd < 0 || fstat(*fd, &there) != 0)
		return fail_errno(name, "cannot create");
	return S_ISREG(there.st_mode) && there.st_size == 0
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_EXISTS, "%s: exists, and is no lock of a manifest", name);
}

int manifest_lock(struct manifest *manifest, const char *file)
{
	char *name;
	int fd = -1, status;

	if (asprintf(&name, "%s.lock", file) < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = lock_open(&fd, name);
	if (status == GPUCRYPT_OK && !lock_exclusively(fd, AT_FDCWD, name))
		status = errno == EWOULDBLOCK || errno == ESTALE
		                 ? fail(GPUCRYPT_EXISTS, "%s: another run is using it", file)
		                 : fail_errno(name, "cannot lock");
	if (status == GPUCRYPT_OK) {
		manifest->lock_name = name;
		manifest->lock_fd = fd;
		return GPUCRYPT_OK;
	}
	if (fd >= 0)
		close(fd);
	free(name);
	return status;
}

/* The name goes before the lock: who opened the file meanwhile finds that it has no name any more. */
void manifest_unlock(struct manifest *manifest)
{
	if (!manifest->lock_name)
		return;
	unlink(manifest->lock_name);
	close(manifest->lock_fd);
	free(manifest->lock_name);
}

/* Read and write. */

/* Takes bytes in order, and ends them with a zero byte. */
struct memory_sink {
	struct sink sink; /* first: cast from it */
	uint8_t *bytes;   /* owned */
	size_t n, room;
	/* For writing only: the text, which is read after the header was written, and the secret of its MAC. */
	char *text;
	const struct gpucrypt_secret *secret;
};

static int store(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct memory_sink *sink = (struct memory_sink *)self;
	size_t end = (size_t)offset + n_bytes;

	if (end >= sink->room) {
		size_t room = 2 * end + 1;
		uint8_t *more = realloc(sink->bytes, room);

		if (!more)
			return fail(GPUCRYPT_OTHER, "out of memory");
		sink->bytes = more;
		sink->room = room;
	}
	memcpy(sink->bytes + offset, bytes, n_bytes);
	sink->n = end;
	sink->bytes[end] = '\0';
	return sink->text && offset == 0 ? manifest_mac_set(sink->text, bytes, sink->secret) : GPUCRYPT_OK;
}

static int read_text(
        struct memory_sink *text, struct manifest *manifest, struct input *input, const struct gpucrypt_secret *secret)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct authenticated_header header;
	struct file_keys keys = { 0 };
	int status = container_decrypt(&input->source, &text->sink, &plan, secret, NULL, NULL);

	if (status == GPUCRYPT_OK)
		status = source_rewind(&input->source);
	if (status == GPUCRYPT_OK)
		status = container_unlock(&input->source, &header, &keys, secret);
	wipe(&keys, sizeof keys);
	if (status == GPUCRYPT_OK && !(text->bytes && manifest_mac_holds((char *)text->bytes, &header)))
		manifest->unbound = true;
	return status;
}

/* Content 4 keeps apart a manifest and a container of a file that looks like one. */
int manifest_read(struct manifest *manifest, const char *file, const struct gpucrypt_secret *secret)
{
	struct memory_sink text = { .sink = { .write = store, .one_content = true, .content = CONTENT_MANIFEST } };
	struct input input = { .source.fd = -1 };
	struct stat there;
	int status;

	if (stat(file, &there) == 0 && !S_ISREG(there.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: a manifest is a regular file", file);
	status = input_open(&input, file);
	if (status == GPUCRYPT_OK)
		status = read_text(&text, manifest, &input, secret);
	if (status == GPUCRYPT_OK)
		status = manifest_parse(manifest, text.bytes ? (const char *)text.bytes : "", file);
	if (status == GPUCRYPT_OK && manifest->unbound && !manifest->shows_unbound)
		manifest_forget(manifest);
	if (status == GPUCRYPT_OK)
		manifest_sort(manifest);
	manifest->exists = status == GPUCRYPT_OK;
	input_close(&input);
	free(text.bytes);
	return status;
}

int manifest_check_slots(const char *file, const struct gpucrypt_secret *secrets)
{
	struct input input = { .source.fd = -1 };
	struct authenticated_header header;
	struct recipient recipient;
	struct file_keys keys = { 0 };
	unsigned used = 0, n = 0;
	int status = input_open(&input, file);

	if (status == GPUCRYPT_OK)
		status = container_unlock(&input.source, &header, &keys, secrets);
	wipe(&keys, sizeof keys);
	input_close(&input);
	if (status != GPUCRYPT_OK)
		return status;
	while (recipient_read(&recipient, header.header.slots, used))
		used++;
	for (; secrets; secrets = secrets->next)
		n++;
	return used <= n
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_USAGE,
	                         "%s: opens with %u secrets, of which this run names %u: name all, or -f drops the others",
	                         file, used, n);
}

static int encrypt_text(struct memory_sink *container, char *text, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secrets)
{
	const struct gpucrypt_plan small = {
		.engine = GPUCRYPT_CPU, .threads = 1, .cipher = plan->cipher, .key_bits = plan->key_bits
	};
	struct source source;

	source_open_memory(&source, (const uint8_t *)text, strlen(text), strlen(text));
	source.content = CONTENT_MANIFEST;
	container->text = text;
	container->secret = secrets;
	return container_encrypt(&source, &container->sink, &small, secrets, NULL, NULL);
}

static void set_time(struct manifest *manifest)
{
	time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	strftime(manifest->time, sizeof manifest->time, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

int manifest_write(struct manifest *manifest, const char *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secrets, const struct key_files *keys)
{
	const struct output_terms terms = { .keys = keys, .force = manifest->exists, .ciphertext = true };
	struct memory_sink container = { .sink.write = store };
	char *text;
	int status;

	set_time(manifest);
	text = manifest_format(manifest);
	status = text ? encrypt_text(&container, text, plan, secrets) : fail(GPUCRYPT_OTHER, "out of memory");
	if (status == GPUCRYPT_OK)
		status = output_write(file, container.bytes, container.n, &terms);
	manifest->exists |= status == GPUCRYPT_OK;
	free(container.bytes);
	free(text);
	return status;
}
