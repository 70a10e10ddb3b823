/* The built-in device record of this name. */
#ifndef TESTS_UNIT_BUILTIN_H
#define TESTS_UNIT_BUILTIN_H

#include "ppf/record/records.h"
#include "tests/unit/cmocka_all.h"

static inline struct device_record builtin(const char *name)
{
	struct device_record record;

	assert_non_null(records_builtin(name));
	assert_ok(device_record_parse(&record, records_builtin(name), name));
	return record;
}

#endif
