/* enc and dec --raw. */
#include <string.h>

#include "cli/transform/job.h"
#include "gpucrypt/container/raw.h"
#include "gpucrypt/status.h"

struct raw_options raw_mode_options(const struct options *options, const struct gpucrypt_secret *key)
{
	struct raw_options raw = options->raw_options;

	raw.key = key->bytes;
	raw.key_length = key->length;
	raw.have_iv = options->iv_hex.length > 0;
	raw.have_iv_start = option_given(options, "iv-start");
	memcpy(raw.iv, options->iv_hex.bytes, sizeof raw.iv);
	return raw;
}

int job_raw_crypt(struct job_file *file, struct sink *sink, const struct raw_options *raw)
{
	return raw_crypt(
	        &file->input.source, sink, &file->plan.suite, &file->plan.run, raw, file->progress, &file->report);
}

static int run_raw(struct job *job, struct job_file *file)
{
	const struct raw_options raw = raw_mode_options(job->options, job_secrets(job));

	return file->sink ? job_raw_crypt(file, file->sink, &raw)
	                  : raw_check(&file->input.source, &file->plan.suite, &raw);
}

/* Check the key before the output is created: --raw never prompts, and a mode may refuse the key. */
static int unlock_raw(struct job *job, struct job_file *file)
{
	return job_get_secret(job, file, job_encrypts(job))
	               ?: run_raw(job, file) /* without a sink: only checks */
	               ?: job_create_outputs(job, file);
}

#define RAW_STEPS                                                                                        \
	.keeps_time = true, .has_plan = true, .chooses = true, .shows_rate = true, .notes_choice = true, \
	.reports_change = true, .look = job_look_at_files, .unlock = unlock_raw, .run = run_raw

const struct job_kind enc_raw_kind = { RAW_STEPS, .direction = ENCRYPT, .writes_ciphertext = true };
const struct job_kind dec_raw_kind = { RAW_STEPS, .direction = DECRYPT };
