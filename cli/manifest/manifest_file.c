/* A manifest in its container. */
#include "cli/manifest/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/files/output.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"

/* Takes bytes in order, and ends them with a zero byte. */
struct memory_sink {
	struct sink sink; /* first: cast from it */
	uint8_t *bytes;   /* owned */
	size_t n, room;
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
	return GPUCRYPT_OK;
}

static int read_text(struct memory_sink *text, struct input *input, const struct gpucrypt_secret *secret)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };

	if (!S_ISREG(input->stat.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: a manifest is a regular file", input->name);
	return container_decrypt(&input->source, &text->sink, &plan, secret, NULL, NULL);
}

/* Content 4 keeps apart a manifest and a container of a file that looks like one. */
int manifest_read(struct manifest *manifest, const char *file, const struct gpucrypt_secret *secret)
{
	struct memory_sink text = { .sink = { .write = store, .one_content = true, .content = CONTENT_MANIFEST } };
	struct input input = { .source.fd = -1 };
	int status;

	if (access(file, F_OK) != 0 && errno == ENOENT)
		return GPUCRYPT_OK;
	status = input_open(&input, file);
	if (status == GPUCRYPT_OK)
		status = read_text(&text, &input, secret);
	if (status == GPUCRYPT_OK)
		status = manifest_parse(manifest, text.bytes ? (const char *)text.bytes : "", file);
	if (status == GPUCRYPT_OK)
		manifest_sort(manifest);
	manifest->exists = status == GPUCRYPT_OK;
	manifest->stat = input.stat;
	input_close(&input);
	free(text.bytes);
	return status;
}

/* Has nothing else replaced or changed the file since it was read or written? */
static int check_unchanged(const struct manifest *manifest, const char *file)
{
	const struct stat *then = &manifest->stat;
	struct stat now;

	if (!manifest->exists)
		return GPUCRYPT_OK;
	if (lstat(file, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
	        now.st_mtim.tv_sec == then->st_mtim.tv_sec && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_EXISTS, "%s: another run has written it: not overwritten: run again", file);
}

static int encrypt_text(struct memory_sink *container, const char *text, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secrets)
{
	const struct gpucrypt_plan small = {
		.engine = GPUCRYPT_CPU, .threads = 1, .cipher = plan->cipher, .key_bits = plan->key_bits
	};
	struct source source;

	source_open_memory(&source, (const uint8_t *)text, strlen(text), strlen(text));
	source.content = CONTENT_MANIFEST;
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
		status = check_unchanged(manifest, file);
	if (status == GPUCRYPT_OK)
		status = output_write(file, container.bytes, container.n, &terms);
	manifest->exists |= status == GPUCRYPT_OK;
	if (status == GPUCRYPT_OK && stat(file, &manifest->stat) != 0)
		status = fail(GPUCRYPT_IO, "%s: cannot examine: %s", file, strerror(errno));
	free(container.bytes);
	free(text);
	return status;
}
