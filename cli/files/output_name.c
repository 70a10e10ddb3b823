#include "cli/files/output_name.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files/folder.h"
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
	char *trimmed = strdup(operand);
	const char *base = trimmed ? folder_base(output_trim_name(trimmed)) : "";
	int status = GPUCRYPT_OK;

	if (trimmed && (!*base || !strcmp(base, ".") || !strcmp(base, "..")))
		status = fail(
		        GPUCRYPT_USAGE, "%s: is no name to add %s to: -o OUT is needed", operand, CONTAINER_SUFFIX);
	else if (trimmed && asprintf(name, "%s%s", trimmed, CONTAINER_SUFFIX) < 0)
		*name = NULL;
	free(trimmed);
	return status;
}

/* The name beside the operand; *name is NULL when there is no memory. */
static int name_beside(char **name, const char *operand, enum direction direction)
{
	size_t stem = output_name_stem(operand);

	if (direction == ENCRYPT)
		return name_container(name, operand);
	if (stem)
		*name = strndup(operand, stem);
	else
		return fail(
		        GPUCRYPT_USAGE, "%s: its name does not end in %s: -o OUT is needed", operand, CONTAINER_SUFFIX);
	return GPUCRYPT_OK;
}

/* The same name in another folder. */
static void move_name(char **name, const char *folder)
{
	char *moved;

	if (asprintf(&moved, "%s/%s", folder, folder_base(*name)) < 0)
		moved = NULL;
	free(*name);
	*name = moved;
}

int output_name(char **name, const char *operand, enum direction direction, const struct options *options)
{
	bool beside = !options->output && strcmp(operand, "-") != 0;
	int status = GPUCRYPT_OK;

	*name = NULL;
	if (beside && options->parsed.raw)
		return fail(GPUCRYPT_USAGE, "%s: --raw needs -o OUT", operand);
	if (beside)
		status = name_beside(name, operand, direction);
	else
		*name = strdup(options->output ? options->output : "-");
	if (status == GPUCRYPT_OK && *name && beside && options->output_folder)
		move_name(name, options->output_folder);
	if (status == GPUCRYPT_OK && !*name)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	return status;
}
