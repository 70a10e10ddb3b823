#include "cli/transform/salvage.h"

#include <string.h>

#include "gpucrypt/status.h"
#include "command/json.h"
#include "command/message.h"

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

int salvage_crypt(struct salvage_list *list, const struct options *options, struct source *source, struct sink *sink,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report)
{
	*list = (struct salvage_list){ .options = options, .name = source->name };
	if (options->json && !(list->damages = json_array()))
		return fail(GPUCRYPT_OTHER, "out of memory");
	return container_salvage(source, sink, plan, secret, progress, report, &list->salvaged, list_damage, list);
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

int salvage_finish(struct salvage_list *list)
{
	const struct salvaged *salvaged = &list->salvaged;
	int status = list->options->json ? print_json(list) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && salvaged->n_damages > 0)
		status = fail(GPUCRYPT_CORRUPT, "%s: damaged: %llu of %llu bytes were salvaged", list->name,
		        (unsigned long long)salvaged->good_bytes,
		        (unsigned long long)(salvaged->plaintext_bytes + salvaged->missing_bytes));
	return status;
}

void salvage_drop(struct salvage_list *list)
{
	json_decref(list->damages);
	list->damages = NULL;
}
