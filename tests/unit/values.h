/* A plan's values from their names, for tests. */
#ifndef TESTS_UNIT_VALUES_H
#define TESTS_UNIT_VALUES_H

#include "tests/unit/cmocka_all.h"

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/gpucrypt.h"

/* NULL: 0, which leaves it open. */
static inline unsigned value_of(const struct value_names *names, const char *text)
{
	unsigned value = 0;

	if (text != NULL)
		assert_ok(value_parse(&value, names, text));
	return value;
}

#endif
