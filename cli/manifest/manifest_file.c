/* A manifest in its container, and the containers of its records. */
#include "cli/manifest/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/text.h"
#include "cli/files/input.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/layout.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"

#define MEMBER "\"mac\":\""

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
	char *name = format_or_exit("%s.lock", file);
	int fd = -1, status = lock_open(&fd, name);

	if (status == GPUCRYPT_OK && !lock_file(fd, LOCK_EX, AT_FDCWD, name))
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

/* The MAC of a text (gcrypt(5), "Manifests"): file keys of the secret are not enough to make it. */

/* The MAC's digits in the first line; NULL: a manifest of an earlier release. */
static char *find_digits(char *text)
{
	char *member = strstr(text, MEMBER), *digits = member ? member + strlen(MEMBER) : NULL;

	return digits && strspn(digits, "0123456789abcdef") == MANIFEST_MAC_DIGITS && digits < strchr(text, '\n')
	               ? digits
	               : NULL;
}

/* Compute the MAC of the text with zeros in the place of the digits. */
static int compute_mac(uint8_t mac[MAC_BYTES], char *text, char *digits, const struct header *header,
        const struct key_slot *slot, const struct gpucrypt_secret *secret)
{
	uint8_t key[32];
	int status = key_slot_bound_key(key, slot, secret, header->file_salt, LABEL_MANIFEST);

	memset(digits, '0', MANIFEST_MAC_DIGITS);
	if (status == GPUCRYPT_OK)
		status = hmac_sha256(mac, key, (const uint8_t *)text, strlen(text));
	wipe(key, sizeof key);
	return status;
}

int manifest_mac_set(char *text, const uint8_t copy[HEADER_COPY_BYTES], const struct gpucrypt_secret *secret)
{
	char *digits = find_digits(text), made[MANIFEST_MAC_DIGITS + 1];
	uint8_t mac[MAC_BYTES];
	struct header header;
	int status = header_decode(&header, copy);

	if (status == GPUCRYPT_OK)
		status = compute_mac(mac, text, digits, &header, &header.slots[0], secret);
	if (status != GPUCRYPT_OK)
		return status;
	hex_encode(made, mac, sizeof mac);
	memcpy(digits, made, MANIFEST_MAC_DIGITS);
	return GPUCRYPT_OK;
}

bool manifest_mac_holds(char *text, const struct authenticated_header *header)
{
	char *digits = find_digits(text), given_digits[MANIFEST_MAC_DIGITS + 1] = "";
	uint8_t mac[MAC_BYTES], given[MAC_BYTES];
	bool holds;

	if (!digits)
		return false;
	memcpy(given_digits, digits, MANIFEST_MAC_DIGITS);
	holds = hex_decode(given, sizeof given, given_digits) &&
	        compute_mac(mac, text, digits, &header->header, &header->header.slots[header->slot], header->opener) ==
	                GPUCRYPT_OK &&
	        CRYPTO_memcmp(mac, given, sizeof mac) == 0;
	fail_clear();
	return holds;
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
		sink->room = 2 * end + 1;
		sink->bytes = memory_or_exit(realloc(sink->bytes, sink->room));
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
	int status = container_decrypt(&input->source, &text->sink, &plan, secret, NULL, NULL)
	                     ?: source_rewind(&input->source)
	                     ?: container_unlock(&input->source, &header, &keys, secret);

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
	status = input_open(&input, file)
	                 ?: read_text(&text, manifest, &input, secret)
	                 ?: manifest_parse(manifest, text.bytes ? (const char *)text.bytes : "", file);
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
	int status = input_open(&input, file) ?: container_unlock(&input.source, &header, &keys, secrets);

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

void time_text(char text[TIME_TEXT])
{
	time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

int manifest_write(struct manifest *manifest, const char *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secrets, const struct key_files *keys)
{
	const struct output_terms terms = { .keys = keys, .force = manifest->exists, .ciphertext = true };
	struct memory_sink container = { .sink.write = store };
	char *text;
	int status;

	time_text(manifest->time);
	text = manifest_format(manifest);
	status = encrypt_text(&container, text, plan, secrets)
	                 ?: output_write(file, container.bytes, container.n, &terms);
	manifest->exists |= status == GPUCRYPT_OK;
	free(container.bytes);
	free(text);
	return status;
}

/* Containers. */

/* The final page is where the size of the groups puts it; no other 32 bytes of the file are the recorded MAC. */
static bool has_final_mac(int fd, uint64_t size_bytes, const uint8_t recorded[MAC_BYTES])
{
	uint8_t mac[MAC_BYTES];

	for (unsigned log2 = GROUP_LOG2_MIN; log2 <= GROUP_LOG2_MAX; log2++) {
		uint64_t n_groups = layout_groups_in(log2, size_bytes);

		off_t at = n_groups > 0 ? (off_t)(layout_page_offset(log2, n_groups - 1) + PAGE_MAC) : 0;

		if (n_groups > 0 && pread(fd, mac, sizeof mac, at) == (ssize_t)sizeof mac &&
		        memcmp(mac, recorded, sizeof mac) == 0)
			return true;
	}
	return false;
}

bool manifest_has_container(const struct manifest_record *record)
{
	int fd = open(record->container, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat there;
	bool same;

	if (fd < 0)
		return false;
	same = fstat(fd, &there) == 0 && S_ISREG(there.st_mode) &&
	       has_final_mac(fd, (uint64_t)there.st_size, record->digest);
	close(fd);
	return same;
}
