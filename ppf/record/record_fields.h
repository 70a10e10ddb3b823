/* The members of a device record as JSON, described once for reading and writing. */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include <stddef.h>

#include "ppf/record/record.h"

#define RECORD_FORMAT "gcrypt device record 2"

enum field_type {
	FIELD_TEXT,   /* char[size] */
	FIELD_FLAG,   /* bool */
	FIELD_COUNT,  /* unsigned */
	FIELD_BYTES,  /* uint64_t */
	FIELD_NUMBER, /* double, not negative */
	FIELD_CURVE,  /* struct curve: an array of [x, cycles] */
	FIELD_SPEEDS  /* the record's cpu[]: { suite: [one thread, all threads] } */
};

struct field {
	const char *group; /* the object it lies in; NULL: the top */
	const char *name;
	enum field_type type;
	void *at;
	size_t size;   /* FIELD_TEXT */
	bool required; /* null, for "not measured", will not do */
	bool later;    /* records of earlier releases lack it */
};

/* Visit every field, until one visit fails; returns its status. */
int record_fields(struct record *record, int (*visit)(void *self, const struct field *field), void *self);

#endif
