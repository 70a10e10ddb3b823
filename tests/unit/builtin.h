/* The built-in device record of this name. */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "gpucrypt/status.h"
#include "ppf/record/record.h"
#include "tests/unit/cmocka_all.h"

static inline struct record builtin(const char *name)
{
	struct record record;

	assert_non_null(record_builtin(name));
	assert_int_equal(record_parse(&record, record_builtin(name), name), GPUCRYPT_OK);
	return record;
}

#endif
