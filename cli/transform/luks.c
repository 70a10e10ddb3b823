#include "cli/transform/job.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/memory.h"
#include "command/message.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"

int luks_is_input(bool *is, const struct options *options, const struct input *input)
{
	*is = !options->parsed.raw && options->luks2_header != NULL;
	return options->parsed.raw || *is ? GPUCRYPT_OK : luks_found(is, &input->source);
}

int luks_close_state(struct job *job, struct job_file *file, int status)
{
	struct luks_state *state = file->state;

	(void)job;
	luks_close(&state->volume);
	luks_close(&state->made);
	return status;
}

static bool is_uuid(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i = 0;

	while (form[i] == 'x' ? isxdigit((unsigned char)text[i]) : form[i] && text[i] == form[i])
		i++;
	return !form[i] && !text[i];
}

int luks_check(const struct options *options)
{
	const struct gpucrypt_plan *plan = &options->plan;

	if (plan->cipher == GPUCRYPT_SC2000 || plan->key_bits == 192 || (plan->mode && plan->mode != GPUCRYPT_XTS))
		return fail(
		        GPUCRYPT_USAGE, "a LUKS2 volume needs cipher aes or camellia, 128 or 256 bits, and mode xts");
	if (options->uuid && !is_uuid(options->uuid))
		return fail(GPUCRYPT_USAGE, "--uuid: '%s' is not a UUID", options->uuid);
	if (options->label && strlen(options->label) > LUKS_LABEL_BYTES)
		return fail(GPUCRYPT_USAGE, "--label: longer than %d bytes, the limit of LUKS2", LUKS_LABEL_BYTES);
	return GPUCRYPT_OK;
}

/* A new volume, of enc and rekey. */

#define COPY_BYTES ((size_t)1 << 20)

static int write_header(const struct luks_volume *volume, struct sink *sink)
{
	struct source source = source_of_fd(volume->header_fd, "LUKS header");
	uint8_t *bytes = malloc(COPY_BYTES);
	int status = bytes ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	for (uint64_t at = 0; at < LUKS_HEADER_BYTES && status == GPUCRYPT_OK; at += COPY_BYTES) {
		status = source_read_at(&source, bytes, COPY_BYTES, at) ?: sink->write(sink, bytes, COPY_BYTES, at);
	}
	free(bytes);
	return status;
}

/* A volume whose payload is written. */
struct payload_sink {
	struct sink sink;    /* the payload */
	struct sink *volume; /* not owned */
	uint64_t start;
};

static int write_payload(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct payload_sink *payload = (struct payload_sink *)self;

	return payload->volume->write(payload->volume, bytes, n_bytes, payload->start + offset);
}

static struct sink *payload_sink_open(struct payload_sink *payload, struct sink *volume, uint64_t start)
{
	*payload = (struct payload_sink){ .sink = *volume, .volume = volume, .start = start };
	payload->sink.write = write_payload;
	payload->sink.room_bytes = 0; /* compared before */
	return &payload->sink;
}

struct raw_options payload_options(const struct luks_volume *volume)
{
	return (struct raw_options){ .key = volume->key,
		.key_length = 2 * (size_t)volume->suite.key_bytes,
		.have_iv_start = true,
		.iv_start = volume->iv_start,
		.sector_bytes = volume->sector_bytes,
		.length = UINT64_MAX };
}

/* The outputs. */

/* Two files that get the same name in the same folder would become one. */
static int check_names_differ(struct job *job, struct job_file *file)
{
	const struct output *volume = &file->output, *header = &file->detached.side;
	struct stat here, there;

	(void)job;
	if (header->folder_fd < 0 || strcmp(volume->base, header->base) != 0 || fstat(volume->folder_fd, &here) != 0 ||
	        fstat(header->folder_fd, &there) != 0 || here.st_dev != there.st_dev || here.st_ino != there.st_ino)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE, "%s: both the volume and its detached header", header->name);
}

int luks_unlock_volume(struct job *job, struct job_file *file)
{
	int status = luks_unlock(&luks_of(file)->volume, &job->secret.secret);

	while (status == GPUCRYPT_NO_KEY && (status = secret_ask_again(&job->secret)) == GPUCRYPT_OK)
		status = luks_unlock(&luks_of(file)->volume, &job->secret.secret);
	return status;
}

static int store_header(struct job_file *file)
{
	struct fd_sink side;

	if (!file->detached.side_name)
		return write_header(&luks_of(file)->made, file->sink);
	return fd_sink_open(&side, file->detached.side.fd, file->detached.side.name)
	               ?: write_header(&luks_of(file)->made, &side.sink);
}

/* The plan and the input complete the terms.  before: how the payload of an old volume is decrypted. */
static int make_volume(
        struct job *job, struct job_file *file, struct luks_terms *terms, const struct raw_before *before)
{
	const struct file_plan *plan = job_output_plan(file);
	const struct secret *secret = job->added.bytes ? &job->added : &job->secret;
	struct luks_volume *made = &luks_of(file)->made;
	const uint64_t start = luks_of(file)->volume.payload; /* 0: the input is an image */
	struct payload_sink payload;
	struct raw_options options;
	int status;

	terms->suite = plan->suite;
	terms->sector_bytes = 1u << plan->sector_log2;
	terms->image_bytes = file->input.source.size_bytes - start;
	terms->kdf_cost = job->options->kdf_cost;
	status = luks_format(made, file->output.name, terms, &secret->secret)
	                 ?: sink_admits(file->sink, made->payload + terms->image_bytes)
	                 ?: store_header(file);
	options = payload_options(made);
	options.offset = start;
	options.before = before;
	return status ?: job_raw_crypt(file, payload_sink_open(&payload, file->sink, made->payload), &options);
}

static int encrypt_image(struct job *job, struct job_file *file)
{
	const struct options *options = job->options;
	struct luks_terms terms = { .detached = options->luks2_header != NULL,
		.kdf = options->kdf,
		.label = options->label,
		.uuid = options->uuid };

	return make_volume(job, file, &terms, NULL);
}

const struct job_kind enc_luks_kind = { ENC_STEPS, LUKS_STATE, .choose_output = detached_choose_output,
	.prepare = check_names_differ, .run = encrypt_image };

/* Decryption and verification of the header. */

static int open_header(struct job_file *file, const struct options *options, const struct input *input)
{
	const char *header = options->luks2_header;
	int fd, status;

	if (!header)
		return luks_open(&luks_of(file)->volume, input->source.fd, input->name);
	fd = open(header, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_errno(header, "cannot open");
	status = luks_open(&luks_of(file)->volume, fd, header);
	luks_of(file)->volume.header_fd = fd;
	return status;
}

/* An update that was stopped while it made the volume longer may have left a part of a sector. */
static int check_size(const struct luks_volume *volume, const struct input *input, bool update)
{
	uint64_t size = input->source.size_bytes;

	if (size == UINT64_MAX)
		return fail(GPUCRYPT_USAGE, "%s: a LUKS volume is a file or a block device", input->name);
	if (size < volume->payload || (!update && (size - volume->payload) % volume->sector_bytes != 0))
		return fail(GPUCRYPT_CORRUPT,
		        "%s: truncated: its payload starts at byte %" PRIu64
		        " and has sectors of %u, and it ends at %" PRIu64,
		        input->name, volume->payload, volume->sector_bytes, size);
	return GPUCRYPT_OK;
}

static void plan_volume(struct file_plan *plan, const struct options *options, const struct luks_volume *volume)
{
	*plan = (struct file_plan){ .run = options->plan, .suite = volume->suite, .luks = true, .content_known = true };
	plan->sector_log2 = (unsigned)__builtin_ctz(volume->sector_bytes);
	plan->run.cipher = volume->suite.cipher->id;
	plan->run.key_bits = 8 * volume->suite.key_bytes;
	plan->run.mode = GPUCRYPT_XTS;
}

int luks_open_volume(struct job *job, struct job_file *file, const struct input *volume)
{
	int status = options_check_input(job->options, INPUT_VOLUME, volume->name)
	                     ?: open_header(file, job->options, volume)
	                     ?: luks_check_payload(&luks_of(file)->volume)
	                     ?: check_size(&luks_of(file)->volume, volume, job->options->update);

	if (status == GPUCRYPT_OK)
		plan_volume(&file->plan, job->options, &luks_of(file)->volume);
	file->looked = true;
	return status;
}

static int look_at_header(struct job *job, struct job_file *file, const char *operand)
{
	(void)operand;
	return luks_open_volume(job, file, &file->input);
}

static int look_at_volume(struct job *job, struct job_file *file, const char *operand)
{
	return look_at_header(job, file, operand) ?: job_choose_output(job, file);
}

static int decrypt_payload(struct job *job, struct job_file *file)
{
	struct raw_options options = payload_options(&luks_of(file)->volume);

	(void)job;
	options.offset = luks_of(file)->volume.payload;
	return job_raw_crypt(file, file->sink, &options);
}

/* luks_unlock() has proved the volume key by its digest. */
static int verify_volume(struct job *job, struct job_file *file)
{
	(void)job;
	return luks_verify_header(&luks_of(file)->volume);
}

static void report_verified(const struct job *job, const struct job_file *file)
{
	const struct suite *suite = &file->plan.suite;

	if (!job->options->json)
		printf("%s: LUKS%u header verified, %s-%u-xts; the payload was not verified: "
		       "a LUKS volume has no tags\n",
		        file->input.name, luks_of(file)->volume.version, suite->cipher->name, 8 * suite->key_bytes);
}

/* No tag authenticates the payload. */
const struct job_kind dec_luks_kind = { DEC_STEPS, LUKS_STATE, .reports_change = true, .look = look_at_volume,
	.authenticate = luks_unlock_volume, .run = decrypt_payload };
const struct job_kind verify_luks_kind = { .direction = DECRYPT,
	LUKS_STATE,
	.has_plan = true,
	.look = look_at_header,
	.unlock = job_unlock_file,
	.authenticate = luks_unlock_volume,
	.run = verify_volume,
	.report = report_verified };

/* rekey: a new LUKS2 volume with the same content, under a new volume key. */

static int look_at_old(struct job *job, struct job_file *file, const char *operand)
{
	int status = luks_check(job->options) ?: look_at_header(job, file, operand);

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

static int unlock_volume(struct job *job, struct job_file *file)
{
	return job_get_secrets(job, file)
	               ?: luks_unlock_volume(job, file)
	               ?: check_slots(&luks_of(file)->volume, job->options->drop_slots)
	               ?: rekey_plan(job, file)
	               ?: job_create_outputs(job, file);
}

static int rekey_volume(struct job *job, struct job_file *file)
{
	const struct luks_volume *old = &luks_of(file)->volume;
	struct raw_options decrypt = payload_options(old);
	const struct raw_before before = { .suite = &old->suite, .plan = &file->plan.run, .options = &decrypt };
	struct luks_terms terms = { .label = old->label[0] ? old->label : NULL, .uuid = old->uuid };
	struct luks_slot slot;

	decrypt.offset = old->payload;
	luks_slot(old, old->slot, &slot);
	terms.kdf = slot.kdf;
	return make_volume(job, file, &terms, &before);
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
	.look = look_at_old,
	.unlock = unlock_volume,
	.run = rekey_volume,
	.report = report_dropped };
