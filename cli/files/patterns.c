#include "cli/files/walk.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

char *path_trim(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return memory_or_exit(strndup(path, length));
}

const char *path_below(const char *folder, size_t length, const char *name)
{
	if (strncmp(folder, name, length) != 0 || (length > 0 && name[length] != '/' && name[length] != '\0'))
		return NULL;
	return name + length + strspn(name + length, "/");
}

bool path_covers(const char *path, const char *name)
{
	return path_below(path, strlen(path), name) ||
	       (strpbrk(path, "*?[") && fnmatch(path, name, FNM_LEADING_DIR) == 0);
}

static void add_pattern(struct name_list *patterns, const char *given)
{
	char *trimmed = path_trim(given);

	name_list_add(patterns, trimmed);
	free(trimmed);
}

/* tar ignores blanks at the end of a line, and lines of blanks. */
static void add_lines(struct name_list *patterns, const struct name_list *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		char *line = lines->names[i];
		size_t n = strlen(line);

		while (n > 0 && isspace((unsigned char)line[n - 1]))
			line[--n] = '\0';
		if (n > 0)
			add_pattern(patterns, line);
	}
}

int patterns_read(struct name_list *patterns, const struct options *options)
{
	struct name_list lines = { 0 };
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < options->exclude.n; i++)
		add_pattern(patterns, options->exclude.texts[i]);
	for (unsigned i = 0; i < options->exclude_from.n && status == GPUCRYPT_OK; i++)
		status = name_list_read(&lines, options->exclude_from.texts[i], '\n');
	add_lines(patterns, &lines);
	name_list_free(&lines);
	return status;
}

/* The first n_top bytes of the name are `top`, the tree itself. */
static bool excludes(const char *pattern, const char *name, const char *top, size_t n_top)
{
	const char *at = name, *slash;

	do {
		size_t start = (size_t)(at - name);

		if (path_covers(pattern, at) && !(start < n_top && path_covers(pattern, top + start)))
			return true;
		slash = strchr(at, '/');
		at = slash + 1;
	} while (slash);
	return false;
}

bool patterns_exclude(const struct name_list *patterns, const char *top, const char *path)
{
	char *tree, *member, *name;
	bool excluded = false;
	size_t n_top;

	if (patterns->n == 0)
		return false;
	tree = path_trim(top);
	member = path_trim(path);
	n_top = strcmp(tree, "/") == 0 ? 0 : strlen(tree);
	name = format_or_exit("%.*s/%s", (int)n_top, tree, member);
	for (size_t i = 0; i < patterns->n && !excluded; i++)
		excluded = excludes(patterns->names[i], name, tree, n_top);
	free(tree);
	free(member);
	free(name);
	return excluded;
}
