/* The secrets of a run, for the steps of all kinds. */
#include "cli/secrets/secret.h"
#include "cli/transform/job.h"
#include "gpucrypt/status.h"

bool job_only_recipients(const struct job *job)
{
	return job_encrypts(job) && job->options->opening.recipients.n > 0 && !secret_given(&job->options->opening);
}

const struct gpucrypt_secret *job_secrets(const struct job *job)
{
	return job_only_recipients(job) ? pem_keys_first(&job->recipients) : &job->secret.secret;
}

static size_t key_file_bytes(const struct job *job, const struct job_file *file)
{
	const struct suite *suite = &file->plan.suite;

	if (job->options->parsed.raw)
		return (size_t)suite->mode->n_keys * suite->key_bytes;
	return file->kind->luks ? KEY_FILE_WHOLE : KEY_FILE_BYTES;
}

int job_get_secret(struct job *job, const struct job_file *file, bool encrypting)
{
	const struct options *options = job->options;
	size_t key_bytes = key_file_bytes(job, file);
	int status;

	job->secret.file = file->input.name;
	if (job->secret.bytes || job_only_recipients(job))
		return GPUCRYPT_OK;
	status = secret_read(&job->secret, options, &options->opening, key_bytes, file->input.name, encrypting);
	if (status != GPUCRYPT_OK) {
		secret_wipe(&job->secret);
		job->abort_batch = true;
	}
	if (job_encrypts(job) && options->opening.recipients.n > 0)
		job->secret.secret.next = pem_keys_first(&job->recipients);
	return status;
}

int job_get_secrets(struct job *job, const struct job_file *file)
{
	const struct options *options = job->options;
	int status = job_get_secret(job, file, false);

	if (status == GPUCRYPT_OK) /* each key gets a slot of the new container */
		status = identities_open_all(&job->secret, false);
	if (status == GPUCRYPT_OK && secret_given(&options->added))
		status = secret_read(&job->added, options, &options->added, key_file_bytes(job, file), "", true);
	return status;
}
