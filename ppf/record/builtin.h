/* The texts of ppf/devices/, built in. */
#ifndef BUILTIN_H
#define BUILTIN_H

struct builtin_record {
	const char *name, *text;
};

extern const struct builtin_record builtin_records[]; /* ends with a NULL name */

#endif
