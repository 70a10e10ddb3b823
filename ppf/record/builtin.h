/* The built-in texts of ppf/devices/. */
#ifndef PPF_RECORD_BUILTIN_H
#define PPF_RECORD_BUILTIN_H

struct builtin_record {
	const char *name, *text;
};

extern const struct builtin_record builtin_records[]; /* a NULL name ends the table */

#endif
