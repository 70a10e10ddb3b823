/* Calls for options, whole containers, random access, and the state of the process. */
#include <stdlib.h>

#include "gpucrypt/api/internal.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* Of a list, which may be a ring by mistake. */
#define MAX_SECRETS 100000u

int argument_check(const char *name, const void *argument)
{
	fail_clear();
	return argument != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "the argument '%s' is NULL", name);
}

int secrets_check(const struct gpucrypt_secret *secret)
{
	int status = argument_check("secret", secret);
	unsigned n = 0;

	for (; secret != NULL && status == GPUCRYPT_OK; secret = secret->next)
		status = secret->bytes == NULL && secret->length > 0 ? fail(GPUCRYPT_USAGE, "no secret given")
		         : ++n > MAX_SECRETS ? fail(GPUCRYPT_USAGE, "more than %u secrets", MAX_SECRETS)
		                             : secret_form(secret);
	return status;
}

/* secrets_check() for a call with input and output, and progress, which may be NULL. */
static int call_check(
        const struct gpucrypt_secret *secret, const void *in, const void *out, const struct gpucrypt_progress *progress)
{
	int status = secrets_check(secret) ?: argument_check("input", in) ?: argument_check("output", out);

	return status == GPUCRYPT_OK && progress != NULL && progress->report == NULL
	               ? fail(GPUCRYPT_USAGE, "a progress without the callback report")
	               : status;
}

int secrets_check_recipients(const struct gpucrypt_secret *secret)
{
	int status = GPUCRYPT_OK;

	for (; secret != NULL && status == GPUCRYPT_OK; secret = secret->next)
		status = recipient_check(secret);
	return status;
}

/* Options, by name or by setter. */

struct gpucrypt_options *gpucrypt_options_create(void)
{
	return calloc(1, sizeof(struct gpucrypt_options));
}

void gpucrypt_options_free(struct gpucrypt_options *options)
{
	free(options);
}

static int set_number(struct gpucrypt_options *options, const char *name, uint64_t value)
{
	return argument_check("options", options) ?: plan_set_number(&options->plan, name, value);
}

int gpucrypt_options_set(struct gpucrypt_options *options, const char *name, const char *value)
{
	return argument_check("options", options) ?: argument_check("name", name)
	                                          ?: argument_check("value", value)
	                                          ?: plan_set(&options->plan, name, value);
}

/* Each setter with one value, by the name of its option. */
#define SETTER(function, type, name, number)                                              \
	int gpucrypt_options_set_##function(struct gpucrypt_options *options, type value) \
	{                                                                                 \
		return set_number(options, name, number);                                 \
	}
SETTER(cipher, enum gpucrypt_cipher, "cipher", value)
SETTER(mode, enum gpucrypt_mode, "mode", value)
SETTER(key_bits, unsigned, "bits", value)
SETTER(engine, enum gpucrypt_engine, "engine", value)
SETTER(device, unsigned, "device", value)
SETTER(threads, unsigned, "threads", value)
SETTER(constant_time, int, "constant-time", value != 0)
SETTER(sparse, int, "sparse", value != 0)
SETTER(recheck, unsigned, "recheck", value)
SETTER(memory, uint64_t, "memory", value)

int gpucrypt_options_set_sizes(struct gpucrypt_options *options, unsigned chunk_log2, unsigned group_log2)
{
	struct gpucrypt_options changed;
	int status = argument_check("options", options);

	if (status != GPUCRYPT_OK)
		return status;
	changed = *options;
	status = set_number(&changed, "chunk-log2", chunk_log2) ?: set_number(&changed, "group-log2", group_log2);
	if (status == GPUCRYPT_OK)
		*options = changed;
	return status;
}

/* The options' plan; NULL: all defaults. */
static const struct gpucrypt_plan *options_plan(const struct gpucrypt_options *options)
{
	static const struct gpucrypt_options defaults;

	return options != NULL ? &options->plan : &defaults.plan;
}

/* Containers as a whole: encrypt, decrypt, verify. */

/* One call of a public function. */
struct call {
	struct api_input input;
	struct api_output output;
	struct gpucrypt_plan plan;
	struct range range;
	unsigned joined_log2; /* of the groups of an output in two parts; else 0 */
	const struct gpucrypt_secret *secret;
	const struct gpucrypt_progress *progress;
};

typedef int call_run(const struct call *call, struct source *source, struct sink *sink);

static int encrypt(const struct call *call, struct source *source, struct sink *sink)
{
	source->content = (uint8_t)call->plan.content;
	return container_encrypt(source, sink, &call->plan, call->secret, call->progress, NULL);
}

static int decrypt(const struct call *call, struct source *source, struct sink *sink)
{
	return container_decrypt(source, sink, &call->plan, call->secret, call->progress, NULL);
}

static int decrypt_range(const struct call *call, struct source *source, struct sink *sink)
{
	struct report unused;

	return container_range(source, sink, &call->range, &call->plan, call->secret, call->progress, &unused);
}

/* out NULL: there is no output. */
static int run_call(struct call *call, call_run *run, const struct gpucrypt_source *in, struct gpucrypt_sink *out)
{
	void *locked;
	int status = out != NULL ? api_check_distinct(in, out) : GPUCRYPT_OK;

	status = status ?: api_input_open(&call->input, in, run == decrypt_range);
	if (status == GPUCRYPT_OK && out != NULL)
		status = api_output_open(&call->output, out, call->joined_log2);
	if (status != GPUCRYPT_OK)
		return status;
	locked = locked_stack();
	status = run(call, call->input.source, call->output.sink);
	locked_stack_release(locked);
	return status;
}

/* Check that the plan fits the output, and complete the sizes of the plan.  Sets *group_log2 for a detached container,
 * which has a second part, and else to 0.  Returns a status. */
static int plan_complete(struct gpucrypt_plan *plan, const struct gpucrypt_sink *out, unsigned *group_log2)
{
	int status;

	if ((plan->sector_log2 != 0) != (out->image != NULL))
		return fail(GPUCRYPT_USAGE, "a detached container needs both: the option sector-log2, and an output "
		                            "with an image");
	if (plan->sector_log2 != 0 && plan->content != CONTENT_BYTES)
		return fail(GPUCRYPT_USAGE, "a detached container has no tree as its content");
	status = container_sizes(plan);
	*group_log2 = plan->sector_log2 != 0 ? plan->group_log2 : 0;
	return status;
}

int gpucrypt_encrypt(const struct gpucrypt_source *in, struct gpucrypt_sink *out,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct call call = { .plan = *options_plan(options), .secret = secret, .progress = progress };
	int status = call_check(secret, in, out, progress);

	if (status == GPUCRYPT_OK && in->image != NULL)
		status = fail(
		        GPUCRYPT_USAGE, "an input with an image is a detached container: it can only be decrypted");
	return status ?: plan_complete(&call.plan, out, &call.joined_log2)
	                         ?: secrets_check_recipients(secret)
	                         ?: run_call(&call, encrypt, in, out);
}

int gpucrypt_decrypt(const struct gpucrypt_source *in, struct gpucrypt_sink *out,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct call call = { .plan = *options_plan(options), .secret = secret, .progress = progress };

	return call_check(secret, in, out, progress) ?: run_call(&call, decrypt, in, out);
}

int gpucrypt_decrypt_range(const struct gpucrypt_source *in, struct gpucrypt_sink *out, uint64_t offset,
        uint64_t n_bytes, const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct call call = {
		.plan = *options_plan(options), .range = { offset, n_bytes }, .secret = secret, .progress = progress
	};

	return call_check(secret, in, out, progress) ?: run_call(&call, decrypt_range, in, out);
}

int gpucrypt_verify(const struct gpucrypt_source *in, const struct gpucrypt_options *options,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct call call = { .plan = *options_plan(options), .secret = secret, .progress = progress };

	return call_check(secret, in, in, progress) ?: run_call(&call, decrypt, in, NULL);
}

/* Pages take as many bytes at most, and files have less than 2^63. */
#define MAX_PLAINTEXT_BYTES (((uint64_t)1 << 62) - ((uint64_t)1 << 20))

int gpucrypt_container_size(uint64_t *size, const struct gpucrypt_options *options, uint64_t plaintext_bytes)
{
	struct gpucrypt_plan plan = *options_plan(options);
	struct suite suite;
	int status = argument_check("size", size);

	if (status == GPUCRYPT_OK && plaintext_bytes > MAX_PLAINTEXT_BYTES && plaintext_bytes != UINT64_MAX)
		status = fail(GPUCRYPT_USAGE, "no container is so long");
	status = status ?: suite_of_plan(&suite, &plan, ENCRYPT) ?: container_sizes(&plan);
	if (status == GPUCRYPT_OK)
		*size = layout_container_bytes(plan.group_log2, suite.mode->whole_blocks, plaintext_bytes);
	return status;
}

/* Random access. */

struct gpucrypt_file {
	struct api_input input;
	struct random_access *access;
};

int gpucrypt_open(struct gpucrypt_file **file, const struct gpucrypt_source *source,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret)
{
	struct gpucrypt_file *opened;
	void *locked;
	int status;

	if (file == NULL)
		return argument_check("file", NULL);
	*file = NULL;
	status = call_check(secret, source, file, NULL);
	if (status != GPUCRYPT_OK)
		return status;
	opened = calloc(1, sizeof *opened);
	if (opened == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = api_input_open(&opened->input, source, true);
	locked = locked_stack();
	status = status ?: random_access_open(&opened->access, opened->input.source, options_plan(options), secret);
	locked_stack_release(locked);
	if (status == GPUCRYPT_OK)
		*file = opened;
	else
		free(opened);
	return status;
}

uint64_t gpucrypt_size(const struct gpucrypt_file *file)
{
	return file != NULL ? random_access_size(file->access) : 0;
}

int gpucrypt_pread(struct gpucrypt_file *file, void *bytes, size_t n_bytes, uint64_t offset)
{
	int status = argument_check("file", file);

	if (status == GPUCRYPT_OK && n_bytes > 0)
		status = argument_check("bytes", bytes);
	return status ?: random_access_read(file->access, bytes, n_bytes, offset);
}

void gpucrypt_close(struct gpucrypt_file *file)
{
	if (file == NULL)
		return;
	random_access_close(file->access);
	free(file);
}

void gpucrypt_release(void)
{
	if (!devices_failed())
		device_contexts_release();
	tagger_release();
}
