/* Directory trees by callbacks. */
#include "gpucrypt/api/internal.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "gpucrypt/tree/tree_sink.h"
#include "gpucrypt/tree/tree_source.h"

static int encrypt(const struct gpucrypt_tree_source *tree, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct tree_source source;
	void *locked;
	int status;

	tree_source_open(&source, tree);
	locked = locked_stack();
	status = container_encrypt(&source.source, sink, plan, secret, progress, NULL);
	locked_stack_release(locked);
	tree_source_close(&source);
	return status;
}

int gpucrypt_encrypt_tree(const struct gpucrypt_tree_source *tree, struct gpucrypt_sink *out,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct gpucrypt_plan plan = *options_plan(options);
	struct api_output output;
	unsigned joined_log2;
	int status = call_check(secret, tree, out, progress);

	if (status == GPUCRYPT_OK && tree->next == NULL)
		status = fail(GPUCRYPT_USAGE, "a tree without the callback next");
	if (status == GPUCRYPT_OK)
		status = plan_complete(&plan, out, &joined_log2);
	if (status == GPUCRYPT_OK)
		status = secrets_check_recipients(secret);
	if (status == GPUCRYPT_OK)
		status = api_output_open(&output, out, joined_log2);
	return status == GPUCRYPT_OK ? encrypt(tree, output.sink, &plan, secret, progress) : status;
}

static int decrypt(struct source *source, const struct gpucrypt_tree_sink *tree, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress)
{
	struct tree_sink sink;
	void *locked;
	int status;

	tree_sink_open(&sink, tree);
	locked = locked_stack();
	status = container_decrypt(source, &sink.sink, plan, secret, progress, NULL);
	locked_stack_release(locked);
	if (status == GPUCRYPT_OK)
		status = tree_sink_finish(&sink);
	tree_sink_close(&sink);
	return status;
}

int gpucrypt_decrypt_tree(const struct gpucrypt_source *in, const struct gpucrypt_tree_sink *tree,
        const struct gpucrypt_options *options, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress)
{
	struct api_input input;
	int status = call_check(secret, in, tree, progress);

	if (status == GPUCRYPT_OK && tree->entry == NULL)
		status = fail(GPUCRYPT_USAGE, "a tree without the callback entry");
	if (status == GPUCRYPT_OK)
		status = api_input_open(&input, in, false);
	return status == GPUCRYPT_OK ? decrypt(input.source, tree, options_plan(options), secret, progress) : status;
}
