/*
 * Members of a struct as JSON.  A table describes each member once, for reading and for writing.  Numbers are not
 * negative; null stands for a number, count, curve or speed that was not measured, which is 0 in the struct.
 */
#ifndef PPF_RECORD_MEMBERS_H
#define PPF_RECORD_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpucrypt/engine/engine.h"

/* The types of members that are not single numbers. */

#define MAX_CURVE_POINTS 12
#define MAX_CPU_SPEEDS   64
#define CPU_SPEED_NAME   32
#define LIBCRYPTO_NAME   "libcrypto"
#define MEMBER_NAME      48

/* Cycles over an ascending quantity: resident batches of a compute unit, or words of a table. */
struct curve {
	unsigned n; /* 0: not measured */
	double x[MAX_CURVE_POINTS], cycles[MAX_CURVE_POINTS];
};

/* The curve's cycles at x, by linear interpolation, and constant beyond its ends.  Returns 0 for an empty curve. */
double curve_cycles(const struct curve *curve, double x);

/* Bytes per second of one thread, and the total of all threads. */
struct pace {
	double one_thread, all_threads;
};

/* One suite on the CPU, without tags. */
struct cpu_speed {
	char suite[CPU_SPEED_NAME]; /* cpu_speed_name() */
	struct pace pace;
};

struct cpu_speeds {
	struct cpu_speed of[MAX_CPU_SPEEDS];
	unsigned n;
};

/* "aes-256-ctr" for the implementation that the CPU engine chooses, "camellia-256-xts-gfni256" for a form by its name;
 * form NULL: none. */
void cpu_speed_name(char name[CPU_SPEED_NAME], const struct suite *suite, const char *form);
const struct cpu_speed *cpu_speed_find(const struct cpu_speeds *speeds, const char *suite); /* NULL: not measured */

/* Get suite i of the suites that are measured on a CPU: every cipher in CTR and XTS, with keys of 128 and 256 bits.
 * Returns false if there is no suite i. */
bool measured_suite(struct suite *suite, unsigned i);

/* Whether the measured suite represents another suite: ECB costs as much as CTR, and 192-bit keys lie between 128 and
 * 256 bits. */
bool measured_suite_covers(const struct suite *measured, const struct suite *suite);

/* Tables of members. */

enum member_type {
	MEMBER_TEXT,   /* char[size]: control characters become '?' when the text is read; when a text that is not UTF-8
	                * is   written, its bytes that are not ASCII become '?' */
	MEMBER_EXACT,  /* char[size], unchanged; a text that is not UTF-8 is left out */
	MEMBER_FLAG,   /* bool */
	MEMBER_COUNT,  /* unsigned, up to INT_MAX */
	MEMBER_BYTES,  /* uint64_t, up to INT64_MAX */
	MEMBER_NUMBER, /* double */
	MEMBER_CURVE,  /* struct curve: [[x, cycles], …] */
	MEMBER_SPEEDS  /* struct cpu_speeds: { suite: [one thread, all threads], … } */
};

#define MEMBER_ALL UINT32_MAX /* in a bit set of elements */

struct member {
	const char *group; /* name of the enclosing object; NULL: the top level */
	const char *name;  /* name of a single value */
	enum member_type type;
	size_t offset, size; /* offset in the struct; size of a text */
	unsigned n;          /* number of array elements, each of which is a separate JSON member; 0: a single value */
	/* Bit i is element i; of a single value all bits are equal.  A required element is neither null nor 0, an
	 * optional one may be missing, since records of earlier releases lack it. */
	uint32_t required, optional;
	const char *const *names; /* names of the elements; NULL: name_of() generates the names */
	bool (*name_of)(char name[MEMBER_NAME], unsigned i); /* false: there is no element i */
};

/* The initializers of a single value, and its whole row, where further initializers may follow. */
#define MEMBER_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define MEMBER_ROW(of, kind, member, ...)                                 \
	{                                                                 \
		NULL, #member, kind, MEMBER_AT(of, member), ##__VA_ARGS__ \
	}
#define MEMBER_GROUPED(of, group, member)                                   \
	{                                                                   \
#group, #member, MEMBER_NUMBER, MEMBER_AT(of, group.member) \
	}
#define MEMBER_ELEMENTS(elements) .n = sizeof(elements) / sizeof((elements)[0]), .names = (elements)

/* A kind of JSON object. */
struct member_table {
	const char *what; /* for messages: "device record" */
	const struct member *members;
	unsigned n;
	size_t size; /* size of the struct */
};

#define MEMBER_TABLE(what, members, of)                                           \
	{                                                                         \
		what, members, sizeof(members) / sizeof((members)[0]), sizeof(of) \
	}

/* Read the JSON of a text, or with text NULL the file `name`; what: for messages, "device record".  The
 * caller releases *root, which a failure sets to NULL.  Errors: GPUCRYPT_CORRUPT, GPUCRYPT_IO. */
int members_load(json_t **root, const char *what, const char *text, const char *name);

/* Zero the struct and set its members.  Errors: GPUCRYPT_CORRUPT, with a message that starts with name. */
int members_read(void *of, const struct member_table *table, const json_t *json, const char *name);

/* Add all members to an object.  Errors: GPUCRYPT_OTHER if a text cannot be written. */
int members_write(const void *of, const struct member_table *table, json_t *json);

#endif
