#include "ppf/record/storage_record.h"

#define AT(member) MEMBER_AT(struct storage_record, member)

static const struct member members[] = {
	{ NULL, "cpu_threads", MEMBER_COUNT, AT(cpu_threads) },
	{ "storage", "read", MEMBER_NUMBER, AT(read.one_thread) },
	{ "storage", "read_all_threads", MEMBER_NUMBER, AT(read.all_threads) },
	{ "storage", "write", MEMBER_NUMBER, AT(write) },
	{ "storage", "sync", MEMBER_NUMBER, AT(sync) },
};

const struct member_table storage_record_members = { "storage record", members, sizeof(members) / sizeof(members[0]),
	sizeof(struct storage_record) };
