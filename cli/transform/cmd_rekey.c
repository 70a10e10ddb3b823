/* gcrypt rekey: encrypt a container again under a new file key, on request with another cipher or mode. */
#include <string.h>
#include <sys/stat.h>

#include "cli/args/options.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "cli/transform/rekey_slots.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/rekey.h"
#include "gpucrypt/status.h"

static struct rekey_state *state_of(const struct job_file *file)
{
	return file->state;
}

/* Without -o the new container replaces the old one. */
static int choose_output(struct job *job, struct job_file *file)
{
	const struct options *options = job->options;
	const char *name = options->output ? options->output : file->input.name;
	struct output_terms terms;
	struct stat there;

	file->replaces_input = !options->output;
	if (file->replaces_input && (lstat(name, &there) != 0 || !S_ISREG(there.st_mode)))
		return fail(GPUCRYPT_USAGE, "%s: only a regular file is replaced: -o OUT is needed", name);
	file->output_name = memory_or_exit(strdup(name));
	terms = job_output_terms(job, file);
	return terms.part ? parts_choose_output(job, file, &terms)
	                  : output_choose(&file->output, file->output_name, &terms);
}

/* Lock the input before its header is read: no other run may change key slots meanwhile. */
static int look_at_files(struct job *job, struct job_file *file, const char *operand)
{
	int status = job_open_input(job, file, operand, false);

	if (status == GPUCRYPT_OK && file->input.standard)
		status = fail(GPUCRYPT_USAGE, "rekey: not with standard input");
	return status ?: job_lock_input(job, file) ?: job_examine_input(job, file, operand) ?: choose_output(job, file);
}

/* For a detached container, open the old image and choose the detached header beside the new image. */
static int open_detached(struct job *job, struct job_file *file)
{
	const struct output_terms terms = job_output_terms(job, file);

	if (file->plan.sector_log2 == 0)
		return GPUCRYPT_OK;
	if (file->replaces_input)
		return fail(GPUCRYPT_USAGE,
		        "%s: the image and the detached header cannot both be replaced in one step: give -o OUT",
		        file->input.name);
	if (job_in_parts(job))
		return fail(GPUCRYPT_USAGE, "%s: rekey by parts needs a container without a detached header",
		        file->input.name);
	return detached_open_image(&file->detached, job->options, &file->input)
	               ?: detached_check_output(&file->detached, job->options, file->output.name)
	               ?: detached_image_check(&file->detached.other.source, file->plan.sector_log2)
	               ?: detached_choose_side(&file->detached, &file->output,
	                          format_or_exit("%s" CONTAINER_SUFFIX, file->output.name), &terms);
}

/* The layout too comes from the old container's header, which is authenticated. */
int rekey_plan(struct job *job, struct job_file *file)
{
	const struct file_plan *old = &file->plan;
	struct options changed = *job->options;
	int status;

	changed.plan.sector_log2 = old->sector_log2;
	changed.luks2 = file->kind->luks;
	if (changed.luks2)
		changed.raw_options.sector_bytes = 1u << old->sector_log2;
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
	status = plan_file(&file->new_plan, &changed, &file->input, ENCRYPT);
	file->new_plan.one_engine = old->one_engine;
	if (status == GPUCRYPT_OK)
		plan_warn_of_mode(file->new_plan.suite.mode);
	return status;
}

/* A weak private key may open the old container, but gets no slot in the new container. */
static int check_identities(const struct job *job, const struct rekey_secrets *secrets)
{
	const struct pem_keys *keys = &job->secret.identities;

	for (unsigned i = 0; i < keys->n; i++)
		for (unsigned j = 0; j < secrets->n; j++)
			if (secrets->list[j].bytes == keys->keys[i].der &&
			        recipient_check(&keys->keys[i].secret) != GPUCRYPT_OK)
				return fail_named(keys->keys[i].file, GPUCRYPT_USAGE);
	return GPUCRYPT_OK;
}

/* The new container gets a slot for the old container's secret, unless --new-… replaces that secret, and for every
 * recipient. */
static int choose_slots(struct job *job, struct job_file *file)
{
	const struct gpucrypt_secret *added = job->added.bytes ? &job->added.secret : NULL;

	rekey_secrets_choose(&state_of(file)->secrets, &state_of(file)->old, &job->secret.secret, added,
	        pem_keys_first(&job->recipients));
	state_of(file)->slots = rekey_slots_find(&state_of(file)->old, &state_of(file)->secrets, added != NULL);
	return check_identities(job, &state_of(file)->secrets)
	               ?: rekey_slots_check(&state_of(file)->slots, job->options->drop_slots);
}

/* The other parts' runs must be able to compare the recipients, and one engine does both halves. */
static int check_part(struct job_file *file)
{
	const struct rekey_secrets *secrets = &state_of(file)->secrets;
	const char *detour = rekey_detour(file->plan.chunk_log2, file->plan.group_log2, &file->new_plan.run);

	file->plan.one_engine = file->new_plan.one_engine = true;
	for (unsigned i = 0; i < secrets->n; i++)
		if (secrets->list[i].anonymous)
			return fail(GPUCRYPT_USAGE,
			        "%s: rekey by parts cannot keep an anonymous key slot: other runs could not compare it",
			        file->input.name);
	return detour == NULL ? GPUCRYPT_OK
	                      : fail(GPUCRYPT_USAGE, "%s: rekey by parts cannot be combined with %s", file->input.name,
	                                detour);
}

static int prepare_part(struct job *job, struct job_file *file)
{
	struct source content;
	struct parts_start start = { &content, &file->new_plan.run, state_of(file)->secrets.list,
		parts_wanted(job->options), NULL };
	struct group_reader reader = reader_of(&file->input.source, NULL, NULL);
	int status = container_rekey_open(&reader, &content, &start.parts, &job->secret.secret);

	reader_close(&reader);
	return status ?: parts_prepare(&start, job, file);
}

/* Read the secrets before drivers start programs that would inherit the environment, also in a dry run, and refuse lost
 * slots before any output is created. */
static int unlock_file(struct job *job, struct job_file *file)
{
	int status = job_get_secrets(job, file)
	                     ?: plan_authenticate(&file->plan, job->options, &state_of(file)->old, &file->input,
	                                &job->secret.secret)
	                     ?: choose_slots(job, file)
	                     ?: open_detached(job, file)
	                     ?: rekey_plan(job, file);

	if (status == GPUCRYPT_OK && job_in_parts(job))
		status = check_part(file);
	if (status == GPUCRYPT_OK)
		status = job_create_outputs(job, file);
	return status == GPUCRYPT_OK && job_in_parts(job) && !job->options->dry_run ? prepare_part(job, file) : status;
}

static int run_part(const struct rekey *rekey, struct job *job, struct job_file *file)
{
	const struct part_number part = parts_number(job->options);
	struct source source;

	return job_open_part(&source, file)
	               ?: part_record_renew(&file->output, &part)
	               ?: container_rekey_part(rekey, &source, &part, job->options->part_align, &file->report,
	                          state_of(file)->record);
}

static int run_rekey(struct job *job, struct job_file *file)
{
	struct rekey rekey = { .source = job_source(file),
		.sink = file->sink,
		.decrypt = &file->plan.run,
		.encrypt = &file->new_plan.run,
		.secret = &job->secret.secret,
		.secrets = state_of(file)->secrets.list,
		.progress = file->progress };

	return job_in_parts(job) ? run_part(&rekey, job, file)
	                         : container_rekey(&rekey, &state_of(file)->old, &file->report);
}

/* Read the new container back from storage and authenticate it before it replaces the old container. */
static int check_stored(struct job *job, struct job_file *file)
{
	const struct source written = { .fd = file->output.fd, .name = file->output.name };
	/* A recipient's public key cannot open the new container. */
	const struct gpucrypt_secret *secret = job->added.bytes ? &job->added.secret : &job->secret.secret;
	const struct part_number part = parts_number(job->options);
	struct source stored;

	if (job_in_parts(job))
		return part_record_store(&file->output, &part, state_of(file)->record);
	if (!file->replaces_input)
		return GPUCRYPT_OK;
	return open_stored(&stored, &written)
	               ?: container_decrypt(&stored, NULL, &file->new_plan.run, secret, NULL, NULL)
	               ?: input_check_unchanged(&file->input);
}

static void report_slots(const struct job *job, const struct job_file *file)
{
	const struct authenticated_header *old = &state_of(file)->old;
	char text[REKEY_SLOTS_TEXT];

	(void)job;
	if (old->copies.note[0])
		message_warning(file->input.name, "%s", old->copies.note);
	if (!recipient_set_empty(&state_of(file)->slots.replaced)) {
		rekey_slots_describe(text, old, &state_of(file)->slots.replaced);
		message_warning(file->output.name, "replaced: %s", text);
	}
	if (!recipient_set_empty(&state_of(file)->slots.dropped)) {
		rekey_slots_describe(text, old, &state_of(file)->slots.dropped);
		message_warning(file->output.name, "dropped: %s", text);
	}
}

static void describe_pass(const struct job_file *file, struct plan_lines *lines)
{
	const char *detour = rekey_detour(file->plan.chunk_log2, file->plan.group_log2, &file->new_plan.run);

	if (detour)
		plan_add(lines, "pass", "through memory, as plaintext: %s", detour);
	else
		plan_add(lines, "pass", "on the engine, from ciphertext to ciphertext");
	rekey_slots_plan(lines, &state_of(file)->slots);
}

const struct job_kind rekey_kind = { .direction = DECRYPT,
	.state_bytes = sizeof(struct rekey_state),
	.of_volumes = &rekey_luks_kind,
	.writes_ciphertext = true,
	.has_plan = true,
	.chooses = true,
	.describe = describe_pass,
	.look = look_at_files,
	.unlock = unlock_file,
	.run = run_rekey,
	.check_stored = check_stored,
	.report = report_slots };

int cmd_rekey(const struct options *options)
{
	return plan_check(options, ENCRYPT) ?: job_run(&rekey_kind, options);
}
