/* rekey of a LUKS volume: a new LUKS2 volume with the same content, under a new volume key. */
#include "command/message.h"
#include "cli/transform/luks.h"
#include "gpucrypt/status.h"

static int look_at_volume(struct job *job, struct job_file *file, const char *operand)
{
	int status = luks_check(job->options) ?: luks_look_at_header(job, file, operand);

	file->plan.one_engine = true;
	return status;
}

static unsigned taken_slots(const struct luks_volume *volume)
{
	struct luks_slot slot;
	unsigned taken = 0;

	for (int i = 0; luks_slot(volume, i, &slot); i++)
		taken |= slot.taken ? 1u << i : 0;
	return taken;
}

/* The new volume has one key slot, for the secret that opened the old volume or for a new one. */
static int check_slots(const struct luks_volume *volume, unsigned may_drop)
{
	unsigned others = taken_slots(volume) & ~(1u << volume->slot), lost = others & ~may_drop;

	if (may_drop & ~others)
		return fail(GPUCRYPT_USAGE, "--drop-slot %d: the volume has no other key slot of this number",
		        __builtin_ctz(may_drop & ~others));
	return lost == 0 ? GPUCRYPT_OK
	                 : fail(GPUCRYPT_USAGE, "rekey would lose key slot %d: name it with --drop-slot %d",
	                           __builtin_ctz(lost), __builtin_ctz(lost));
}

/* Cipher and key size are those of the old volume where no option names others. */
static int plan_new_volume(struct job *job, struct job_file *file)
{
	struct file_plan *plan = &file->new_plan;
	struct options changed = *job->options;
	int status;

	changed.luks2 = true;
	changed.raw_options.sector_bytes = luks_of(file)->volume.sector_bytes;
	if (!option_given(&changed, "cipher"))
		changed.plan.cipher = file->plan.run.cipher;
	if (!changed.plan.key_bits)
		changed.plan.key_bits = file->plan.run.key_bits;
	status = plan_file(plan, &changed, &file->input, ENCRYPT);
	plan->one_engine = true;
	return status;
}

static int unlock_volume(struct job *job, struct job_file *file)
{
	return job_get_secrets(job, file)
	               ?: luks_unlock_volume(job, file)
	               ?: check_slots(&luks_of(file)->volume, job->options->drop_slots)
	               ?: plan_new_volume(job, file)
	               ?: job_create_outputs(job, file);
}

static int make_header(struct job *job, struct job_file *file)
{
	const struct luks_volume *old = &luks_of(file)->volume;
	const struct secret *secret = job->added.bytes ? &job->added : &job->secret;
	struct luks_terms terms = { .suite = file->new_plan.suite,
		.sector_bytes = old->sector_bytes,
		.image_bytes = file->input.source.size_bytes - old->payload,
		.kdf_cost = job->options->kdf_cost,
		.label = old->label[0] ? old->label : NULL,
		.uuid = old->uuid };
	struct luks_slot slot;

	luks_slot(old, old->slot, &slot);
	terms.kdf = slot.kdf;
	return luks_format(&luks_of(file)->made, file->output.name, &terms, &secret->secret);
}

static int recrypt_payload(struct job_file *file)
{
	const struct luks_volume *old = &luks_of(file)->volume, *made = &luks_of(file)->made;
	struct raw_options decrypt = payload_options(old), encrypt = payload_options(made);
	const struct raw_before before = { .suite = &old->suite, .plan = &file->plan.run, .options = &decrypt };
	const struct file_plan *plan = &file->new_plan;
	struct payload_sink payload;
	struct sink *sink = payload_sink_open(&payload, file->sink, made->payload);

	decrypt.offset = encrypt.offset = old->payload;
	encrypt.before = &before;
	return raw_crypt(&file->input.source, sink, &plan->suite, &plan->run, &encrypt, file->progress, &file->report);
}

static int rekey_volume(struct job *job, struct job_file *file)
{
	return make_header(job, file)
	               ?: sink_admits(file->sink,
	                          luks_of(file)->made.payload + file->input.source.size_bytes - luks_of(file)->volume.payload)
	               ?: luks_header_write(&luks_of(file)->made, file->sink)
	               ?: recrypt_payload(file);
}

static void report_dropped(const struct job *job, const struct job_file *file)
{
	for (unsigned left = job->options->drop_slots; left; left &= left - 1)
		message_warning(file->output.name, "dropped: slot %d", __builtin_ctz(left));
}

const struct job_kind rekey_luks_kind = { .direction = DECRYPT,
	LUKS_STATE,
	.reports_change = true,
	.writes_ciphertext = true,
	.has_plan = true,
	.chooses = true,
	.look = look_at_volume,
	.unlock = unlock_volume,
	.run = rekey_volume,
	.report = report_dropped };
