#include "cli/transform/operands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

void operands_add(struct operands *operands, const char *prefix, const char *name)
{
	size_t room = operands->room ? 2 * operands->room : 64;

	if (operands->n == operands->room) {
		operands->names = memory_or_exit(realloc(operands->names, room * sizeof *operands->names));
		operands->room = room;
	}
	operands->names[operands->n++] = format_or_exit("%s%s", prefix, name);
}

/* A line or, with --null, what ends with a zero byte.  In a list, "-" is the name of a file. */
static int read_names(struct operands *operands, FILE *list, int end, const char *list_name)
{
	char *name = NULL;
	size_t room = 0;
	ssize_t length;
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && (length = getdelim(&name, &room, end, list)) >= 0) {
		if (length > 0 && name[length - 1] == end)
			name[--length] = '\0';
		if (strlen(name) < (size_t)length)
			status = fail(GPUCRYPT_USAGE, "%s: a name holds a zero byte (see --null)", list_name);
		else if (length > 0)
			operands_add(operands, strcmp(name, "-") ? "" : "./", name);
	}
	if (status == GPUCRYPT_OK && ferror(list))
		status = fail(GPUCRYPT_IO, "%s: cannot read: %s", list_name, strerror(errno));
	free(name);
	return status;
}

static int read_list(struct operands *operands, const struct options *options)
{
	const char *name = options->files_from;
	bool standard = !strcmp(name, "-");
	FILE *list = standard ? stdin : fopen(name, "re");
	int status;

	if (!list)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = read_names(operands, list, options->null ? '\0' : '\n', standard ? "standard input" : name);
	if (!standard)
		fclose(list);
	return status;
}

int operands_check(const struct operands *operands, const struct options *options)
{
	for (size_t i = 0; i < operands->n && operands->n > 1 && !options->files_from; i++) {
		const char *name = operands->names[i];

		if (!strcmp(name, "-"))
			return fail(GPUCRYPT_USAGE, "-: standard input is not one of several");
		if (faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) != 0)
			return fail(GPUCRYPT_IO, "%s: cannot open: %s; nothing was done%s", name, strerror(errno),
			        errno == ENOENT && i == 1 && operands->n == 2 ? " (-o names the output)" : "");
	}
	return GPUCRYPT_OK;
}

int operands_read(struct operands *operands, const struct options *options)
{
	const struct parsed *parsed = &options->parsed;

	*operands = (struct operands){ 0 };
	if (options->files_from && parsed->n_operands > 0)
		return fail(GPUCRYPT_USAGE, "--files-from: not with the operand %s", parsed->operands[0]);
	if (options->files_from)
		return read_list(operands, options);
	if (parsed->n_operands == 0 && isatty(STDIN_FILENO))
		return fail(GPUCRYPT_USAGE, "operand missing: name a file, or - for standard input");
	if (parsed->n_operands == 0)
		operands_add(operands, "", "-");
	for (unsigned i = 0; i < parsed->n_operands; i++)
		operands_add(operands, "", parsed->operands[i]);
	return GPUCRYPT_OK;
}

void operands_free(struct operands *operands)
{
	for (size_t i = 0; i < operands->n; i++)
		free(operands->names[i]);
	free(operands->names);
	*operands = (struct operands){ 0 };
}
