/* Options, by name or by setter. */
#include <stdlib.h>

#include "gpucrypt/api/internal.h"
#include "gpucrypt/status.h"

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

const struct gpucrypt_plan *options_plan(const struct gpucrypt_options *options)
{
	static const struct gpucrypt_options defaults;

	return options != NULL ? &options->plan : &defaults.plan;
}
