/* gcrypt rekey: a container under a new file key, and if asked another cipher or mode. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "cli/args/command.h"
#include "cli/transform/detached.h"
#include "cli/files/exclusive.h"
#include "gpucrypt/container/rekey.h"
#include "gpucrypt/status.h"
#include "cli/terminal/message.h"
#include "cli/files/output.h"
#include "cli/secrets/pem_file.h"
#include "cli/transform/plan.h"
#include "cli/terminal/progress.h"
#include "cli/transform/read_back.h"
#include "cli/transform/rekey_slots.h"
#include "cli/secrets/secret.h"

struct run {
	const struct options *options;
	struct input input;
	struct output output;
	struct detached_files detached; /* old image and new side file, if it is detached */
	struct file_plan decrypt, encrypt;
	struct machine *machine;       /* owned */
	struct secret secret, changed; /* that opens it; that takes its place, if one does */
	struct pem_keys recipients;
	struct rekey_secrets secrets; /* that open the new container */
	struct rekey_slots slots;     /* of the old one */
	struct authenticated_header old;
	struct report report;
};

/* Without -o the new container takes the old one's place. */
static bool replaces(const struct options *options)
{
	return !options->output;
}

static bool detached(const struct run *run)
{
	return run->decrypt.sector_log2 != 0;
}

static struct source *source_of(struct run *run)
{
	return detached(run) ? &run->detached.joined.source : &run->input.source;
}

static struct output_terms output_terms(const struct run *run, const struct key_files *keys)
{
	return (struct output_terms){ .input = &run->input.stat,
		.keys = keys,
		.acl = fgetxattr(run->input.source.fd, ACCESS_LIST, NULL, 0) > 0,
		.force = run->options->force || replaces(run->options),
		.replaces_input = replaces(run->options),
		.ciphertext = true };
}

static int choose_output(struct run *run)
{
	const struct options *options = run->options;
	const struct key_files keys = key_files_of(options);
	const struct output_terms terms = output_terms(run, &keys);
	const char *name = replaces(options) ? options->parsed.operands[0] : options->output;
	struct stat there;
	int status;

	if (replaces(options) && (lstat(name, &there) != 0 || !S_ISREG(there.st_mode)))
		return fail(GPUCRYPT_USAGE, "%s: only a regular file is replaced: -o OUT is needed", name);
	status = output_choose(&run->output, name, &terms);
	run->output.terms.keys = NULL; /* checked, and not there for longer */
	return status;
}

/* Of a detached container also the old image, the new one, and the side file beside that. */
static int open_detached(struct run *run)
{
	const struct options *options = run->options;
	const struct key_files keys = key_files_of(options);
	const struct output_terms terms = output_terms(run, &keys);
	int status;

	if (!detached(run))
		return GPUCRYPT_OK;
	if (replaces(options))
		return fail(GPUCRYPT_USAGE,
		        "%s: the image and the detached header cannot both be replaced in one step: give "
		        "-o OUT",
		        run->input.name);
	status = detached_open_image(&run->detached, options, &run->input);
	if (status == GPUCRYPT_OK)
		status = detached_check_output(&run->detached, options, run->output.name);
	if (status == GPUCRYPT_OK)
		status = detached_choose_side(
		        &run->detached, &run->output, &terms, &run->detached.image.source, run->decrypt.sector_log2);
	run->detached.side.terms.keys = NULL;
	return status;
}

/* Locked before its header is read: nobody changes key slots meanwhile. */
static int look(struct run *run)
{
	int status = input_open(&run->input, run->options->parsed.operands[0]);

	if (status == GPUCRYPT_OK && run->input.standard)
		status = fail(GPUCRYPT_USAGE, "rekey: not with standard input");
	if (status == GPUCRYPT_OK && !lock_exclusively(run->input.source.fd, AT_FDCWD, run->input.name))
		status = fail(GPUCRYPT_IO, "%s: cannot be locked: %s", run->input.name, strerror(errno));
	if (status == GPUCRYPT_OK)
		status = plan_file(&run->decrypt, run->options, &run->input, DECRYPT);
	return status == GPUCRYPT_OK ? choose_output(run) : status;
}

/* What the options do not name is as in the old container, and the layout always is.  The plan to decrypt is from an
 * authenticated header. */
static int plan_encryption(struct run *run)
{
	const struct file_plan *old = &run->decrypt;
	struct options changed = *run->options;
	int status;

	changed.plan.sector_log2 = old->sector_log2;
	if (!option_given(&changed, "cipher"))
		changed.plan.cipher = old->run.cipher;
	if (!changed.plan.key_bits)
		changed.plan.key_bits = old->run.key_bits;
	if (!changed.plan.mode)
		changed.plan.mode = old->run.mode;
	if (!changed.plan.chunk_log2 && !changed.plan.group_log2) {
		changed.plan.chunk_log2 = old->chunk_log2;
		changed.plan.group_log2 = old->group_log2;
	}
	status = plan_file(&run->encrypt, &changed, &run->input, ENCRYPT);
	if (status == GPUCRYPT_OK)
		plan_warn_of_mode(run->encrypt.suite.mode);
	return status;
}

static int get_secrets(struct run *run)
{
	const struct options *options = run->options;
	int status = secret_read(&run->secret, options, &options->opening, KEY_FILE_BYTES, run->input.name, false);

	if (status == GPUCRYPT_OK && secret_given(&options->added))
		status = secret_read(&run->changed, options, &options->added, KEY_FILE_BYTES, "", true);
	return status;
}

/* A weak private key opens, but gets no new slot. */
static int check_identities(const struct run *run)
{
	const struct pem_keys *keys = run->secret.identities;

	for (unsigned i = 0; keys && i < keys->n; i++)
		for (unsigned j = 0; j < run->secrets.n; j++)
			if (run->secrets.list[j].bytes == keys->der[i] &&
			        recipient_check(&keys->list[i]) != GPUCRYPT_OK)
				return fail_named(keys->files[i], GPUCRYPT_USAGE);
	return GPUCRYPT_OK;
}

/* What opened the old container opens the new one too, unless --new-… takes its place; and so does
 * every recipient. */
static int choose_slots(struct run *run)
{
	const struct gpucrypt_secret *changed = run->changed.bytes ? &run->changed.secret : NULL;
	int status;

	rekey_secrets_choose(&run->secrets, &run->old, &run->secret.secret, changed,
	        run->recipients.n > 0 ? run->recipients.list : NULL);
	run->slots = rekey_slots_find(&run->old, &run->secrets, changed != NULL);
	status = check_identities(run);
	return status == GPUCRYPT_OK ? rekey_slots_check(&run->slots, run->options->drop_slots) : status;
}

static int choose_plans(struct run *run)
{
	const struct source *source = source_of(run);
	int status = plan_choose(&run->decrypt, run->options, source, &run->output, &run->machine);

	if (status == GPUCRYPT_OK)
		status = plan_choose(&run->encrypt, run->options, source, &run->output, &run->machine);
	return status;
}

static int work(struct run *run)
{
	struct progress progress;
	struct fd_sink sink;
	struct rekey rekey = { .source = source_of(run),
		.sink = &sink.sink,
		.decrypt = &run->decrypt.run,
		.encrypt = &run->encrypt.run,
		.secret = &run->secret.secret,
		.secrets = run->secrets.list };
	int status = fd_sink_open(&sink, run->output.fd, run->output.name);

	if (status != GPUCRYPT_OK)
		return status;
	if (run->output.kind == OUTPUT_NAMED)
		fd_sink_allow_any_order(&sink);
	if (detached(run))
		status = detached_join_sinks(&run->detached, &sink.sink, run->encrypt.group_log2, &rekey.sink);
	if (status != GPUCRYPT_OK)
		return status;
	progress_begin(&progress, run->input.name, NULL, run->options);
	rekey.progress = progress_callback(&progress);
	status = container_rekey(&rekey, &run->old, &run->report);
	progress_end(&progress);
	return status;
}

/* The new container is read back from the storage and authenticated before the old one goes. */
static int verify_stored(const struct run *run)
{
	const struct source written = { .fd = run->output.fd, .name = run->output.name };
	/* What opens it with what is known here: a public key does not. */
	const struct gpucrypt_secret *secret = run->changed.bytes ? &run->changed.secret : &run->secret.secret;
	struct source stored;
	int status = open_stored(&stored, &written);

	if (status == GPUCRYPT_OK)
		status = container_decrypt(&stored, NULL, &run->encrypt.run, secret, NULL, NULL);
	if (status == GPUCRYPT_OK && !input_unchanged(&run->input))
		status = fail(GPUCRYPT_IO, "%s: changed meanwhile: it is kept", run->input.name);
	return status;
}

static int finish(struct run *run)
{
	int status = output_sync(&run->output);

	if (status == GPUCRYPT_OK && replaces(run->options))
		status = verify_stored(run);
	if (status != GPUCRYPT_OK)
		return status;
	return detached(run) ? detached_commit(&run->detached, &run->output) : output_commit(&run->output);
}

static void tell(const struct run *run)
{
	char text[REKEY_SLOTS_TEXT];

	if (run->options->quiet)
		return;
	if (run->old.copies.note[0])
		message_warning(run->input.name, "%s", run->old.copies.note);
	if (run->report.engine_note[0])
		message_warning(NULL, "%s", run->report.engine_note);
	if (run->slots.replaced) {
		rekey_slots_describe(text, &run->old, run->slots.replaced);
		message_warning(run->output.name, "replaced: %s", text);
	}
	if (run->slots.dropped) {
		rekey_slots_describe(text, &run->old, run->slots.dropped);
		message_warning(run->output.name, "dropped: %s", text);
	}
}

static int show_plan(const struct run *run)
{
	const struct options *options = run->options;
	const char *detour = rekey_detour(run->decrypt.chunk_log2, run->decrypt.group_log2, &run->encrypt.run);
	struct plan_lines lines;

	if (!options->verbose && !options->dry_run)
		return GPUCRYPT_OK;
	plan_describe(&lines, options, &run->encrypt, run->input.name, run->output.name);
	if (detour)
		plan_add(&lines, "pass", "through memory, as plaintext: %s", detour);
	else
		plan_add(&lines, "pass", "on the engine, from ciphertext to ciphertext");
	rekey_slots_plan(&lines, &run->slots);
	if (options->dry_run && options->json)
		return plan_print_json(&lines);
	plan_print(options->dry_run ? stdout : stderr, &lines);
	return GPUCRYPT_OK;
}

/* A secret in the environment is read before drivers start programs that would inherit it, and
 * which slots are lost is known before any work. */
static int prepare(struct run *run)
{
	bool dry = run->options->dry_run;
	int status = look(run);

	if (status == GPUCRYPT_OK)
		status = get_secrets(run);
	if (status == GPUCRYPT_OK)
		status = plan_authenticate(&run->decrypt, run->options, &run->old, &run->input, &run->secret.secret);
	if (status == GPUCRYPT_OK)
		status = choose_slots(run);
	if (status == GPUCRYPT_OK)
		status = open_detached(run);
	if (status == GPUCRYPT_OK)
		status = plan_encryption(run);
	if (status == GPUCRYPT_OK && !dry)
		status = output_create(&run->output);
	if (status == GPUCRYPT_OK && detached(run) && !dry)
		status = output_create(&run->detached.side);
	if (status == GPUCRYPT_OK)
		status = choose_plans(run);
	return status == GPUCRYPT_OK ? show_plan(run) : status;
}

static int rekey(struct run *run)
{
	int status = prepare(run);

	if (status != GPUCRYPT_OK || run->options->dry_run)
		return status;
	status = work(run);
	if (status == GPUCRYPT_OK)
		status = finish(run);
	if (status == GPUCRYPT_OK)
		tell(run);
	return status;
}

int cmd_rekey(const struct options *options)
{
	struct run run = {
		.options = options, .input.source.fd = -1, .output = OUTPUT_NONE, .detached = DETACHED_NONE
	};
	int status = plan_check(options, ENCRYPT);

	if (status == GPUCRYPT_OK)
		status = recipients_read(&run.recipients, &options->opening.recipients);
	if (status != GPUCRYPT_OK)
		return status;
	status = rekey(&run);
	if (status != GPUCRYPT_OK)
		message_failure(message_names(run.output.name) || message_names(run.detached.image_name) ||
		                                message_names(run.detached.side_name)
		                        ? NULL
		                        : run.input.name,
		        status);
	output_discard(&run.output);
	detached_close(&run.detached);
	input_close(&run.input);
	secret_wipe(&run.secret);
	secret_wipe(&run.changed);
	free(run.machine);
	return status;
}
