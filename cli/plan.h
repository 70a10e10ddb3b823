/* The plan in words: the lines of `--dry-run` and of -v, which are the same. */
#ifndef PLAN_H
#define PLAN_H

#include <stdio.h>

#include "gpucrypt/engine.h"
#include "input.h"
#include "options.h"

#define MAX_PLAN_LINES 10

struct plan_line {
	const char *name;
	char text[320];
};

struct plan_lines {
	struct plan_line lines[MAX_PLAN_LINES];
	unsigned n_lines;
};

/* Names that can be checked before a file is opened or a passphrase asked for. */
int plan_check(const struct options *options, enum direction direction);

/* Complete the lines.  A container's header is read for them, and the engine is opened, so that
 * they say what will really run; output is NULL if nothing is written. */
int plan_describe(struct plan_lines *lines, const struct options *options, struct input *input,
        const char *output, enum direction direction);

/* `name: text` each. */
void plan_print(FILE *stream, const struct plan_lines *lines);
int plan_print_json(const struct plan_lines *lines);

#endif
