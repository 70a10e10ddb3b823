#include "ppf/record/host_record.h"

#define AT(member) MEMBER_AT(struct host_record, member)
#define PACE(member, number)                                       \
	{                                                          \
#member, #number, MEMBER_NUMBER, AT(member.number) \
	}

static const struct member members[] = {
	{ NULL, "libcrypto", MEMBER_TEXT, AT(libcrypto), .optional = MEMBER_ALL },
	{ NULL, "cpu_threads", MEMBER_COUNT, AT(cpu_threads) },
	{ NULL, "cpu", MEMBER_SPEEDS, AT(cpu) },
	PACE(tag, one_thread),
	PACE(tag, all_threads),
	PACE(copy, one_thread),
	PACE(copy, all_threads),
	{ NULL, "run_s", MEMBER_NUMBER, AT(run_s) },
};

const struct member_table host_record_members = { "host record", members, sizeof(members) / sizeof(members[0]),
	sizeof(struct host_record) };
