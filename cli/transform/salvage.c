/* dec --salvage: report damage as text or JSON. */
#include <jansson.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/transform/job.h"
#include "gpucrypt/container/container.h"

struct salvage_list {
	const struct options *options;
	const char *name; /* of the container; not owned */
	json_t *damages;  /* owned, with --json; NULL without */
	struct salvaged salvaged;
};

static void list_json(struct salvage_list *list, const struct damage *damage)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "offset", json_count(damage->offset));
	json_object_set_new(entry, "length", json_count(damage->n_bytes));
	json_object_set_new(entry, "reason", json_text(damage->reason));
	json_array_append_new(list->damages, entry);
}

static void list_damage(void *self, const struct damage *damage)
{
	struct salvage_list *list = self;
	unsigned long long first = damage->offset, n = damage->n_bytes;

	if (list->options->json)
		list_json(list, damage);
	else if (list->options->quiet)
		return;
	else if (n > 0 && !damage->after_end)
		message_warning(list->name, "bytes %llu to %llu of the plaintext are zeros: %s", first, first + n - 1,
		        damage->reason);
	else
		message_warning(list->name, "at byte %llu of the plaintext: %s", first, damage->reason);
}

/* container_salvage(): each piece of damage is a warning, or kept for the JSON. */
static int run_salvage(struct job *job, struct job_file *file)
{
	struct source *source = job_source(file);
	struct salvage_list *list = file->state;

	*list = (struct salvage_list){ .options = job->options, .name = source->name };
	if (job->options->json)
		list->damages = memory_or_exit(json_array());
	return container_salvage(source, file->sink, &file->plan.run, job_secrets(job), file->progress, &file->report,
	        &list->salvaged, list_damage, list);
}

static int print_json(struct salvage_list *list)
{
	json_t *json = json_object();

	json_set_name(json, "file", list->name);
	json_object_set_new(json, "plaintext_bytes", json_count(list->salvaged.plaintext_bytes));
	json_object_set_new(json, "good_bytes", json_count(list->salvaged.good_bytes));
	json_object_set(json, "damages", list->damages);
	return json_print(json);
}

/* When the output has its name: the JSON, and GPUCRYPT_CORRUPT if anything was damaged. */
static int finish_salvage(struct job *job, struct job_file *file)
{
	struct salvage_list *list = file->state;
	const struct salvaged *salvaged = &list->salvaged;
	int status = job->options->json ? print_json(list) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && salvaged->n_damages > 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: damaged: %llu of %llu bytes were salvaged", list->name,
		        (unsigned long long)salvaged->good_bytes,
		        (unsigned long long)(salvaged->plaintext_bytes + salvaged->missing_bytes));
	return status;
}

static int close_salvage(struct job *job, struct job_file *file, int status)
{
	struct salvage_list *list = file->state;

	(void)job;
	json_decref(list->damages);
	return status;
}

const struct job_kind dec_salvage_kind = { DEC_CONTAINER_STEPS, .state_bytes = sizeof(struct salvage_list),
	.salvages = true, .prints_json = true, .run = run_salvage, .finish = finish_salvage, .close = close_salvage };
