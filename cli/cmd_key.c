/* gcrypt key list: the key slots of a container. */
#include "command.h"
#include "describe.h"
#include "gpucrypt/status.h"

int cmd_key(const struct options *options)
{
	const char *name = options->operands[1];
	struct header_state state;
	json_t *object;
	int status = describe_read(&state, name);

	if (status != GPUCRYPT_OK)
		return status;
	if (!options->json) {
		describe_slots(stdout, &state.header);
		puts("not authenticated: no key was used");
		return GPUCRYPT_OK;
	}
	object = json_object();
	json_object_set_new(object, "file", json_text(name));
	json_object_set_new(object, "authenticated", json_false());
	json_object_set_new(object, "slots", describe_slots_json(&state.header));
	return json_print(object);
}
