#include "cli/files/output.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

char *output_trim_name(char *name)
{
	for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = '\0';
	return name;
}

size_t output_name_stem(const char *name)
{
	size_t length = strlen(folder_base(name)), suffix = strlen(CONTAINER_SUFFIX);

	if (length <= suffix || strcmp(name + strlen(name) - suffix, CONTAINER_SUFFIX) != 0)
		return 0;
	return strlen(name) - suffix;
}

/* Trailing slashes of a directory's name do not count. */
static int name_container(char **name, const char *operand)
{
	char *trimmed = output_trim_name(memory_or_exit(strdup(operand)));
	const char *base = folder_base(trimmed);
	bool named = *base && strcmp(base, ".") != 0 && strcmp(base, "..") != 0;

	if (named)
		*name = format_or_exit("%s" CONTAINER_SUFFIX, trimmed);
	free(trimmed);
	return named ? GPUCRYPT_OK
	             : fail(GPUCRYPT_USAGE, "%s: is no name to add %s to: -o OUT is needed", operand, CONTAINER_SUFFIX);
}

static int name_content(char **name, const char *operand)
{
	size_t stem = output_name_stem(operand);

	if (!stem)
		return fail(
		        GPUCRYPT_USAGE, "%s: its name does not end in %s: -o OUT is needed", operand, CONTAINER_SUFFIX);
	*name = memory_or_exit(strndup(operand, stem));
	return GPUCRYPT_OK;
}

int output_name(char **name, const char *operand, enum direction direction, const struct options *options)
{
	char *beside;
	int status;

	*name = NULL;
	if (options->output || !strcmp(operand, "-")) {
		*name = memory_or_exit(strdup(options->output ? options->output : "-"));
		return GPUCRYPT_OK;
	}
	if (options->parsed.raw)
		return fail(GPUCRYPT_USAGE, "%s: --raw needs -o OUT", operand);
	status = direction == ENCRYPT ? name_container(name, operand) : name_content(name, operand);
	if (status == GPUCRYPT_OK && options->output_folder) {
		beside = *name;
		*name = format_or_exit("%s/%s", options->output_folder, folder_base(beside));
		free(beside);
	}
	return status;
}
