/* The plan in words: the lines of `--dry-run` and of -v, which are the same. */
#ifndef PLAN_H
#define PLAN_H

#include <limits.h>
#include <stdio.h>

#include "gpucrypt/engine.h"
#include "input.h"
#include "options.h"

#define MAX_PLAN_LINES 10

struct plan_line {
	const char *name;
	char text[PATH_MAX + 32];
};

struct plan_lines {
	struct plan_line lines[MAX_PLAN_LINES];
	unsigned n_lines;
};

/* What is going to be computed for one file. */
struct file_plan {
	bool unknown; /* a container that comes through a pipe: its header can be read only once */
	struct suite suite;
	unsigned chunk_log2, group_log2; /* 0: raw */
};

/* Names that can be checked before a file is opened. */
int plan_check(const struct options *options, enum direction direction);

/* Fill in the plan; a container's header is read for it, and the input is at its start again unless
 * this is a dry run. */
int plan_file(struct file_plan *plan, const struct options *options, struct input *input,
        enum direction direction);

/* Complete the lines.  The engine is opened, so that they say what will really run; output is NULL
 * if nothing is written. */
int plan_describe(struct plan_lines *lines, const struct options *options,
        const struct file_plan *plan, const char *input, const char *output);

/* `name: text` each. */
void plan_print(FILE *stream, struct plan_lines *lines);
int plan_print_json(const struct plan_lines *lines);

#endif
