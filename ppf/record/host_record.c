#include "ppf/record/host_record.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/cipher.h"

#define MAX_OTHER_WORK 0.2
#define MAX_SPREAD     0.3

#define AT(member) MEMBER_AT(struct host_record, member)
#define PACE(member, number)                                       \
	{                                                          \
#member, #number, MEMBER_NUMBER, AT(member.number) \
	}

static const struct member members[] = {
	MEMBER_ROW(struct host_record, MEMBER_TEXT, libcrypto, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_TEXT, forms, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_COUNT, cpu_threads),
	MEMBER_ROW(struct host_record, MEMBER_SPEEDS, cpu),
	PACE(tag, one_thread),
	PACE(tag, all_threads),
	PACE(copy, one_thread),
	PACE(copy, all_threads),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, run_s),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, other_work, .optional = MEMBER_ALL),
	MEMBER_ROW(struct host_record, MEMBER_NUMBER, host_spread, .optional = MEMBER_ALL),
};

const struct member_table host_record_members = MEMBER_TABLE("host record", members, struct host_record);

#define STORAGE_AT(member) MEMBER_AT(struct storage_record, member)

static const struct member storage_members[] = {
	{ NULL, "cpu_threads", MEMBER_COUNT, STORAGE_AT(cpu_threads) },
	{ "storage", "read", MEMBER_NUMBER, STORAGE_AT(read.one_thread) },
	{ "storage", "read_all_threads", MEMBER_NUMBER, STORAGE_AT(read.all_threads) },
	{ "storage", "write", MEMBER_NUMBER, STORAGE_AT(write) },
	{ "storage", "sync", MEMBER_NUMBER, STORAGE_AT(sync) },
};

const struct member_table storage_record_members =
        MEMBER_TABLE("storage record", storage_members, struct storage_record);

bool host_record_is_disturbed(const struct host_record *record)
{
	return record->other_work > MAX_OTHER_WORK || record->host_spread > MAX_SPREAD;
}

void host_record_set_code(struct host_record *record)
{
	snprintf(record->libcrypto, sizeof(record->libcrypto), "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
	instruction_forms_text(record->forms, sizeof(record->forms));
}
