/* gcrypt list: the names in an encrypted directory. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/tree/bundle.h"
#include "cli/args/command.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"
#include "cli/files/key_files.h"
#include "cli/transform/plan.h"
#include "cli/secrets/secret.h"

/* The model chooses the engine, as for dec: the library's automatic choice would open a device for a small container.
 */
static int choose_engine(struct file_plan *plan, const struct options *options, const struct input *input)
{
	const struct output nowhere = { .kind = OUTPUT_DESCRIPTOR, .descriptor = STDOUT_FILENO };
	struct chooser chooser = { .machine = NULL };
	int status = plan_choose(plan, options, &input->source, &nowhere, &chooser);

	free(chooser.machine);
	return status;
}

static int list(const struct options *options, struct input *input, const struct file_plan *plan,
        const struct gpucrypt_secret *secret)
{
	struct listing listing = { .json = options->json, .verbose = options->verbose };
	struct name_list excluded = { 0 };
	struct selection selection = { 0 };
	struct bundle_visitor visitor = listing_visitor(&listing, &selection);
	struct bundle_sink sink;
	int status = patterns_read(&excluded, options)
	                     ?: selection_open(&selection, &options->parsed, &excluded, input->name, false);

	if (status == GPUCRYPT_OK) {
		status = bundle_sink_open(&sink, plan->content, input->name, &visitor);
		if (status == GPUCRYPT_OK)
			status = container_decrypt(&input->source, &sink.handoff.sink, &plan->run, secret, NULL, NULL);
		status = bundle_sink_close(&sink, status);
	}
	if (status == GPUCRYPT_OK)
		status = selection_result(&selection);
	selection_close(&selection);
	name_list_free(&excluded);
	return status;
}

static int check_content(const struct file_plan *plan, const struct input *input)
{
	return content_is_tree(plan->content)
	               ? libarchive_load(input->name)
	               : fail(GPUCRYPT_USAGE, "%s: cannot list: the container holds a file, not a directory",
	                         input->name);
}

int cmd_list(const struct options *options)
{
	const struct key_files keys = key_files_of(options);
	struct input input = { .source.fd = -1 };
	struct secret secret = { 0 };
	struct file_plan plan = { 0 };
	int status = plan_check(options, DECRYPT)
	                     ?: input_open(&input, options->parsed.operands[0])
	                     ?: key_files_check_input(options, &keys, &input)
	                     ?: plan_file(&plan, options, &input, DECRYPT);

	if (status == GPUCRYPT_OK && plan.content_known)
		status = check_content(&plan, &input);
	status = status
	                 ?: secret_read(&secret, options, &options->opening, KEY_FILE_BYTES, input.name, false)
	                 ?: plan_authenticate(&plan, options, NULL, &input, &secret.secret)
	                 ?: check_content(&plan, &input)
	                 ?: choose_engine(&plan, options, &input)
	                 ?: list(options, &input, &plan, &secret.secret);
	plan_forget(&plan);
	secret_wipe(&secret);
	input_close(&input);
	return status;
}
