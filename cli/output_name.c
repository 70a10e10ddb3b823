#include "output_name.h"

#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "gpucrypt/status.h"

size_t output_name_stem(const char *name)
{
	size_t length = strlen(folder_base(name)), suffix = strlen(CONTAINER_SUFFIX);

	if (length <= suffix || strcmp(name + strlen(name) - suffix, CONTAINER_SUFFIX) != 0)
		return 0;
	return strlen(name) - suffix;
}

int output_name(
        char **name, const char *operand, enum direction direction, const struct options *options)
{
	size_t stem = output_name_stem(operand);
	int printed = 0;

	*name = NULL;
	if (options->output)
		*name = strdup(options->output);
	else if (!strcmp(operand, "-"))
		*name = strdup("-");
	else if (options->raw)
		return fail(GPUCRYPT_USAGE, "%s: --raw needs -o OUT", operand);
	else if (direction == ENCRYPT)
		printed = asprintf(name, "%s%s", operand, CONTAINER_SUFFIX);
	else if (stem)
		*name = strndup(operand, stem);
	else
		return fail(GPUCRYPT_USAGE, "%s: its name does not end in %s: -o OUT is needed",
		        operand, CONTAINER_SUFFIX);
	if (printed < 0 || !*name) {
		*name = NULL;
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	return GPUCRYPT_OK;
}
