/* gcrypt key list, id, add, remove, change: the key slots of containers, whose payload is not touched. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/files/input.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "command/text.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/secrets/secret.h"

/* State that all files of a run share. */
struct run {
	const struct options *options;
	struct secret secret, added; /* read when the first file needs them */
	struct pem_keys recipients;
	struct key_files keys; /* that are not changed */
	bool hopeless;         /* the next file will fail as this one did */
	json_t *results;       /* of each file */
};

static bool adds(const struct options *options)
{
	return options->parsed.action->bit != CMD_KEY_REMOVE;
}

/* A new passphrase is asked for where nothing else is to be added. */
static bool adds_secret(const struct options *options)
{
	return options->added.passphrase || options->added.key_file || options->added.recipients.n == 0;
}

static int read_secrets(struct run *run, const char *file)
{
	const struct options *options = run->options;
	int status = GPUCRYPT_OK;

	if (!run->secret.bytes)
		status = secret_read(&run->secret, options, &options->opening, KEY_FILE_BYTES, file, false);
	if (status == GPUCRYPT_OK && adds(options) && adds_secret(options) && !run->added.bytes) {
		status = secret_read(&run->added, options, &options->added, KEY_FILE_BYTES, "a new key slot", true);
		if (options->added.recipients.n > 0)
			run->added.secret.next = pem_keys_first(&run->recipients);
	}
	run->hopeless = status != GPUCRYPT_OK;
	return status;
}

/* Open the container for reading and writing.  A file that cannot be a container is rejected before a passphrase is
 * asked for. */
static int open_container(struct source *file, const char *name)
{
	struct examined_header unused;
	struct source start;
	int status;

	file->fd = open_exclusively(name, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (file->fd < 0 && errno == EBUSY)
		return fail(GPUCRYPT_EXISTS, "%s: not changed: it is mounted or in use", name);
	if (file->fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = source_open(file, file->fd, name);
	start = *file;
	status = status ?: container_examine(&start, &unused);
	if (status == GPUCRYPT_OK && lseek(file->fd, 0, SEEK_SET) != 0)
		status = fail(GPUCRYPT_IO, "%s: its key slots can only be changed in a file", name);
	return status;
}

/* A passphrase may be any file's content. */
static int check_container(const struct run *run, const struct source *file)
{
	struct stat there;

	return fstat(file->fd, &there) == 0 ? key_files_spare(&run->keys, &there, file->name, "changed")
	                                    : fail(GPUCRYPT_IO, "%s: cannot read: %s", file->name, strerror(errno));
}

static void tell(const struct options *options, const char *name, const struct authenticated_header *old,
        const struct key_change *change)
{
	struct recipient recipient;
	char member[16];

	if (options->quiet)
		return;
	if (header_needs_repair(&old->copies))
		message_warning(name, "%s: both header copies were rewritten", old->copies.note);
	for (unsigned i = 0; recipient_read(&recipient, old->header.slots, i); i++) {
		if (!change->removed.has[i])
			continue;
		member[0] = '\0';
		if (recipient.shared)
			snprintf(member, sizeof member, ".%u", recipient.member);
		message_warning(name,
		        "slot %u%s is removed from this copy, which revokes nothing: who has ever "
		        "opened it, or has an older copy, can still read it (see gcrypt rekey)",
		        recipient.slot, member);
	}
	for (unsigned i = 0; i < N_KEY_SLOTS; i++)
		if (change->shared >> i & 1)
			message_warning(name,
			        "the recipient of slot %u shares a slot now: earlier releases of gcrypt do not open it",
			        i);
}

static struct key_change describe_change(const struct run *run)
{
	const struct options *options = run->options;
	const struct gpucrypt_secret *keys = pem_keys_first(&run->recipients);

	if (adds(options))
		return (struct key_change){ .secret = &run->secret.secret,
			.add = adds_secret(options) ? &run->added.secret : keys,
			.remove = -1,
			.replace = options->parsed.action->bit == CMD_KEY_CHANGE };
	return (struct key_change){ .secret = &run->secret.secret,
		.remove = option_given(options, "slot") ? (int)options->slot.slot : -1,
		.remove_member = options->slot.member,
		.remove_keys = keys,
		.remove_label = options->label,
		.allow_none = options->force };
}

static int change_file(struct run *run, const char *name)
{
	const struct options *options = run->options;
	struct source file = { .fd = -1 };
	struct authenticated_header old;
	json_t *result = json_object();
	struct key_change change = describe_change(run);
	int status = open_container(&file, name) ?: check_container(run, &file) ?: read_secrets(run, name);

	if (status == GPUCRYPT_OK && !lock_file(file.fd, LOCK_EX, AT_FDCWD, name))
		status = fail_locked(name);
	if (status == GPUCRYPT_OK) {
		status = key_change(&file, &change, &old);
		run->hopeless |= run->secret.refused;
	}
	json_set_name(result, "file", name);
	json_set(result, "status", json_integer(status));
	json_set(result, "error", json_text_or_null(status == GPUCRYPT_OK ? "" : gpucrypt_error()));
	json_array_append_new(run->results, result);
	if (status == GPUCRYPT_OK)
		tell(options, name, &old, &change);
	else
		message_failure(run->hopeless ? NULL : name, status);
	if (file.fd >= 0)
		close(file.fd);
	return status;
}

int cmd_key_change(const struct options *options)
{
	struct run run = { .options = options, .keys = key_files_of(options), .results = json_array() };
	const struct secret_options *keys = adds(options) ? &options->added : &options->opening;
	unsigned changed = 0;
	int first = recipients_read(&run.recipients, &keys->recipients, options->skip_unusable), printed = GPUCRYPT_OK;
	bool ready;

	if (first == GPUCRYPT_OK && adds(options))
		first = pem_keys_mark(&run.recipients, adds_secret(options), options);
	ready = first == GPUCRYPT_OK;
	run.hopeless = !ready;
	for (unsigned i = 1; i < options->parsed.n_operands && !run.hopeless; i++) {
		int status = change_file(&run, options->parsed.operands[i]);

		changed += status == GPUCRYPT_OK;
		if (first == GPUCRYPT_OK)
			first = status;
	}
	if (options->json && ready)
		printed = json_print(json_pack("{s:i,s:i,s:O}", "files", (int)options->parsed.n_operands - 1, "changed",
		        (int)changed, "results", run.results));
	json_decref(run.results);
	secret_wipe(&run.secret);
	secret_wipe(&run.added);
	pem_keys_free(&run.recipients);
	return first == GPUCRYPT_OK ? printed : first;
}

int cmd_key_list(const struct options *options)
{
	return container_describe(options->parsed.operands[1], options, false);
}

/* key id: the keys in files, as key slots name them. */

static int print_key(const char *name, const struct gpucrypt_secret *key)
{
	char digits[2 * KEY_ID_BYTES + 1];
	uint8_t id[KEY_ID_BYTES];
	int status = public_key_id(id, key);

	hex_encode(digits, id, sizeof id);
	if (status == GPUCRYPT_OK)
		printf("%s: %s, %u bits, key id %s\n", name, slot_type_of(key->type)->name, public_key_bits(key),
		        digits);
	return status;
}

static int print_all(const char *name, const struct pem_keys *keys)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; status == GPUCRYPT_OK && i < keys->n; i++)
		status = print_key(name, &keys->keys[i].secret);
	return status;
}

static int print_private(const char *name, const struct text_list *names)
{
	struct secret secret = { 0 };
	int status = identities_read(&secret, names, NULL) ?: identities_open_all(&secret, true);
	const struct locked_secret *locked = secret.derived.locked;

	if (status == GPUCRYPT_OK)
		status = locked && !locked->asked ? print_key(name, &locked->public)
		                                  : print_all(name, &secret.identities);
	secret_wipe(&secret);
	return status;
}

/* A file without private keys has public ones. */
static int print_keys(const char *name, bool skip_unusable)
{
	const struct text_list names = { .texts = { name }, .n = 1 };
	struct pem_keys keys;
	int status = print_private(name, &names);

	if (status != GPUCRYPT_USAGE)
		return status;
	fail_clear();
	status = recipients_read(&keys, &names, skip_unusable) ?: print_all(name, &keys);
	pem_keys_free(&keys);
	return status;
}

int cmd_key_id(const struct options *options)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 1; i < options->parsed.n_operands && status == GPUCRYPT_OK; i++)
		status = print_keys(options->parsed.operands[i], options->skip_unusable);
	return status;
}
