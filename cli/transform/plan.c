#include "cli/transform/plan.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "command/text.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/secrets/secret.h"

void plan_add(struct plan_lines *lines, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	memory_or_exit(vasprintf(&text, format, arguments) < 0 ? NULL : text);
	va_end(arguments);
	if (lines->json)
		json_set_name(lines->json, name, text);
	else {
		message_clean(text, true);
		fprintf(lines->stream, "%s: %s\n", name, text);
	}
	free(text);
}

int plan_check(const struct options *options, enum direction direction)
{
	struct file_plan plan;

	if (options->allow && options->allow != GPUCRYPT_SC2000)
		return fail(GPUCRYPT_USAGE, "--allow %s: only %s has to be allowed",
		        value_name(&cipher_names, options->allow), cipher_sc2000.name);
	return direction == ENCRYPT || options->parsed.raw ? plan_file(&plan, options, NULL, direction) : GPUCRYPT_OK;
}

static void fill_in(struct file_plan *plan, const struct header *header, enum direction direction)
{
	plan->suite = (struct suite){ .cipher = cipher_by_id(header->cipher_id),
		.mode = mode_by_id(header->mode_id),
		.key_bytes = header->key_bytes,
		.direction = direction };
	plan->content = header->content;
	plan->chunk_log2 = header->chunk_log2;
	plan->group_log2 = header->group_log2;
	plan->sector_log2 = header->sector_log2;
	plan->run.cipher = header->cipher_id;
	plan->run.key_bits = 8 * plan->suite.key_bytes;
	plan->run.mode = header->mode_id;
	plan->run.chunk_log2 = header->chunk_log2;
	plan->run.group_log2 = header->group_log2;
}

void plan_of_header(struct file_plan *plan, const struct authenticated_header *header, enum direction direction)
{
	fill_in(plan, &header->header, direction);
	plan->content_known = true;
}

void plan_preview(struct file_plan *plan, const struct examined_header *examined, enum direction direction)
{
	fill_in(plan, &examined->unauthenticated, direction);
}

static int examine_header(struct file_plan *plan, const struct options *options, struct input *input)
{
	struct examined_header examined;
	int status = container_peek(&input->source, plan->start);

	if (status != GPUCRYPT_OK)
		return status;
	status = header_examine(&examined, plan->start);
	if (status != GPUCRYPT_OK)
		return fail_named(input->source.name, status);
	plan->content = examined.unauthenticated.content;
	plan->sector_log2 = examined.unauthenticated.sector_log2;
	plan->content_known = examined.agreed || options->dry_run;
	if (options->dry_run)
		plan_preview(plan, &examined, DECRYPT);
	return GPUCRYPT_OK;
}

/* With --allow the cipher is not known yet, nor which tables it has. */
static int check_shape(const struct file_plan *plan, const struct options *options)
{
	struct kernel_config kernel;

	return options->allow || !plan->suite.cipher ? GPUCRYPT_OK
	                                             : kernel_config_check(&kernel, plan->suite.cipher, &options->plan);
}

int plan_authenticate(struct file_plan *plan, const struct options *options, struct authenticated_header *header,
        struct input *input, const struct gpucrypt_secret *secret)
{
	struct unlocked *unlocked = plan->unlocked ? plan->unlocked : memory_or_exit(locked_allocate(sizeof *unlocked));
	int status;

	plan->unlocked = unlocked;
	unlocked->copies = plan->start;
	status = container_unlock_copies(&input->source, &unlocked->header, &unlocked->keys, plan->start, secret);
	if (status != GPUCRYPT_OK)
		return status;
	unlocked->secret = secret;
	input->source.unlocked = unlocked;
	if (header)
		*header = unlocked->header;
	plan_of_header(plan, &unlocked->header, DECRYPT);
	return check_shape(plan, options);
}

void plan_forget(struct file_plan *plan)
{
	locked_free(plan->unlocked, sizeof *plan->unlocked);
	plan->unlocked = NULL;
}

/* A large file with holes consists mostly of groups without payload, of which only metadata pages are stored: choose
 * the largest groups. */
#define LARGE_SPARSE_BYTES      (UINT64_C(64) << 30)
#define LARGE_SPARSE_GROUP_LOG2 26

/* The largest groups of which some fit into the memory that is given. */
#define GROUPS_IN_MEMORY UINT64_C(4)

static unsigned group_for_memory(uint64_t memory_bytes)
{
	unsigned group_log2 = GROUP_LOG2_DEFAULT;

	while (group_log2 > 12 && GROUPS_IN_MEMORY << group_log2 >= memory_bytes)
		group_log2--;
	return group_log2;
}

static void choose_group(struct gpucrypt_plan *sizes, const struct input *input)
{
	if (sizes->chunk_log2 || sizes->group_log2)
		return;
	if (sizes->memory_bytes)
		sizes->group_log2 = group_for_memory(sizes->memory_bytes);
	else if (sizes->sparse && input && input->source.size_bytes != UINT64_MAX &&
	         input->source.size_bytes >= LARGE_SPARSE_BYTES)
		sizes->group_log2 = LARGE_SPARSE_GROUP_LOG2;
}

unsigned plan_sector_log2(const struct options *options)
{
	return options->raw_options.sector_bytes ? (unsigned)__builtin_ctz(options->raw_options.sector_bytes) : 9;
}

int plan_file(struct file_plan *plan, const struct options *options, struct input *input, enum direction direction)
{
	struct gpucrypt_plan sizes;
	int status = GPUCRYPT_OK;

	*plan = (struct file_plan){ .run = options->plan, .luks = options->luks2 };
	if (options->detached || options->luks2) {
		plan->run.sector_log2 = plan_sector_log2(options);
		if (!plan->run.mode)
			plan->run.mode = GPUCRYPT_XTS;
	}
	if (direction == ENCRYPT || options->parsed.raw) {
		status = suite_of_plan(&plan->suite, &plan->run, direction);
		choose_group(&plan->run, input);
		sizes = plan->run;
		if (status == GPUCRYPT_OK && !options->parsed.raw && !options->luks2) {
			status = container_sizes(&sizes);
			plan->chunk_log2 = sizes.chunk_log2;
			plan->group_log2 = sizes.group_log2;
		}
		plan->sector_log2 = sizes.sector_log2;
		plan->content_known = true;
	} else
		status = examine_header(plan, options, input);
	return status ?: check_shape(plan, options);
}

void plan_warn_of_mode(const struct mode *mode)
{
	if (mode && mode->number == MODE_ECB)
		message_warning(NULL, "mode ecb: equal blocks of plaintext stay equal");
}

/* Is the output on storage, not a pipe or /dev/null? */
static bool stored(const struct output *output)
{
	struct stat there;
	int got = output->kind == OUTPUT_DESCRIPTOR ? fstat(output->descriptor, &there) : stat(output->name, &there);

	return output->kind == OUTPUT_NAMED || (got == 0 && (S_ISREG(there.st_mode) || S_ISBLK(there.st_mode)));
}

/* Bytes that will be read; UINT64_MAX: not known. */
static uint64_t input_bytes(const struct options *options, const struct source *source)
{
	uint64_t size = source->size_bytes, offset = options->raw_options.offset;

	if (size == UINT64_MAX)
		return options->parsed.raw ? options->raw_options.length : size;
	size = offset < size ? size - offset : 0;
	return options->raw_options.length < size ? options->raw_options.length : size;
}

/* If the figures were not measured on this machine, name the processor of the record. */
static void describe_record(struct file_plan *plan, const struct machine *machine)
{
	bool measured = true;
	const char *name = "";

	for (unsigned i = 0; i < plan_engines(&plan->run) && measured; i++) {
		const struct machine_device *device = machine_device(machine, plan_engine(&plan->run, i).device);

		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a choice has set the machine */
		measured = device ? device->measured : machine->host_measured;
		name = device ? device->record.name : "another CPU";
	}
	if (measured)
		snprintf(plan->record, sizeof plan->record, "measured on this machine");
	else
		snprintf(plan->record, sizeof plan->record, "built in, of %.60s; `gcrypt advise` measures this machine",
		        name);
}

#define SMALL_LOG2 20 /* below, one choice does for all sizes */

/* What the header of a container sets; the rest is the same for all files of a run. */
static bool same_wish(const struct gpucrypt_plan *a, const struct gpucrypt_plan *b)
{
	return a->cipher == b->cipher && a->mode == b->mode && a->key_bits == b->key_bits &&
	       a->chunk_log2 == b->chunk_log2 && a->group_log2 == b->group_log2 && a->sector_log2 == b->sector_log2;
}

static bool chosen_before(const struct chooser *chooser, const struct gpucrypt_plan *wanted, const struct task *task)
{
	const struct task *last = &chooser->task;

	return last->n_bytes > 0 && (last->n_bytes | task->n_bytes) >> SMALL_LOG2 == 0 &&
	       last->writes_storage == task->writes_storage && last->direction == task->direction &&
	       last->one_engine == task->one_engine && same_wish(&chooser->wanted, wanted);
}

/* Plans that are shown are about the file itself. */
static int choose_unless_before(
        struct chooser *chooser, const struct file_plan *plan, const struct options *options, const struct task *task)
{
	bool shown = options->verbose || options->dry_run;
	int status;

	if (!shown && chosen_before(chooser, &plan->run, task))
		return GPUCRYPT_OK;
	status = choose_here(
	        &chooser->choice, &chooser->machine, &plan->run, task, options->allow != GPUCRYPT_CIPHER_AUTO);
	chooser->wanted = plan->run;
	chooser->task = *task;
	if (status != GPUCRYPT_OK)
		chooser->task.n_bytes = 0;
	return status;
}

int plan_choose(struct file_plan *plan, const struct options *options, const struct source *source,
        const struct output *output, struct chooser *chooser)
{
	const struct task task = { .n_bytes = input_bytes(options, source),
		.reads_storage = true,
		.writes_storage = stored(output),
		.tags = plan->group_log2 > 0,
		.one_engine = plan->one_engine,
		.update = options->update,
		.direction = plan->suite.direction };
	int status = choose_unless_before(chooser, plan, options, &task);

	if (status != GPUCRYPT_OK)
		return status;
	plan->chosen = true;
	plan->choice = chooser->choice;
	plan->run = plan->choice.plan;
	plan->suite = plan->choice.suite;
	choice_describe(plan->engine, &plan->choice, chooser->machine);
	describe_record(plan, chooser->machine);
	return GPUCRYPT_OK;
}

static void describe_choice(struct plan_lines *lines, const struct file_plan *plan)
{
	const struct choice *choice = &plan->choice;
	const struct end_to_end *time = &choice->end_to_end;
	char seconds[16], rate[16];

	plan_add(lines, "engine", "%s", plan->engine);
	if (choice->predicted && choice->n_bytes == 0)
		plan_add(lines, "predicted", "nothing to do");
	else if (choice->predicted)
		plan_add(lines, "predicted", "%s s, %s GB/s, bound by %s", figure_text(seconds, time->seconds),
		        figure_text(rate, gigabytes_per_s(choice->n_bytes, time->seconds)),
		        stage_names[time->bottleneck]);
	plan_add(lines, "why", "%s", choice->why);
	plan_add(lines, "record", "%s", plan->record);
}

/* The files of a list, after what they are. */
static void add_names(struct plan_lines *lines, const char *name, const char *kind, const struct text_list *list)
{
	char text[PATH_MAX + 32];

	snprintf(text, sizeof text, "%s", kind);
	for (unsigned i = 0; i < list->n; i++) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? ", " : "", list->texts[i]);
	}
	if (list->n > 0)
		plan_add(lines, name, "%s", text);
}

static void describe_secret(struct plan_lines *lines, const struct options *options)
{
	add_names(lines, "recipients", "", &options->opening.recipients);
	if (options->opening.recipients.n > 0 && !secret_given(&options->opening))
		return;
	if (options->opening.key_file)
		plan_add(lines, "key", "key file %s", options->opening.key_file);
	else if (options->opening.identities.n > 0)
		add_names(lines, "key", "private key ", &options->opening.identities);
	else if (options->parsed.raw)
		plan_add(lines, "key", "%s", options->opening.key_hex.length ? "from --key-hex" : "none");
	else
		plan_add(lines, "key", "passphrase, %s",
		        options->opening.passphrase ? "from --passphrase" : "asked for");
}

void plan_describe(struct plan_lines *lines, const struct options *options, const struct file_plan *plan,
        const char *input, const char *output)
{
	const struct suite *suite = &plan->suite;

	plan_add(lines, "input", "%s", input);
	if (output)
		plan_add(lines, "output", "%s", output);
	describe_secret(lines, options);
	plan_add(lines, "cipher", "%s", suite->cipher->name);
	plan_add(lines, "bits", "%u", 8 * suite->key_bytes);
	plan_add(lines, "mode", "%s", suite->mode->name);
	if (plan->group_log2) {
		plan_add(lines, "chunk", "%lu bytes", 1ul << plan->chunk_log2);
		plan_add(lines, "group", "%lu bytes", 1ul << plan->group_log2);
	}
	if (plan->sector_log2)
		plan_add(lines, "layout", "%s, sectors of %u bytes", plan->luks ? "LUKS volume" : "detached",
		        1u << plan->sector_log2);
	if (plan->chosen)
		describe_choice(lines, plan);
	else
		plan_add(lines, "engine", "none: only tags are checked");
}
