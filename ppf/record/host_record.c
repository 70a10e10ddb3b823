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
	{ NULL, "libcrypto", MEMBER_TEXT, AT(libcrypto), .optional = MEMBER_ALL },
	{ NULL, "forms", MEMBER_TEXT, AT(forms), .optional = MEMBER_ALL },
	{ NULL, "cpu_threads", MEMBER_COUNT, AT(cpu_threads) },
	{ NULL, "cpu", MEMBER_SPEEDS, AT(cpu) },
	PACE(tag, one_thread),
	PACE(tag, all_threads),
	PACE(copy, one_thread),
	PACE(copy, all_threads),
	{ NULL, "run_s", MEMBER_NUMBER, AT(run_s) },
	{ NULL, "other_work", MEMBER_NUMBER, AT(other_work), .optional = MEMBER_ALL },
	{ NULL, "host_spread", MEMBER_NUMBER, AT(host_spread), .optional = MEMBER_ALL },
};

const struct member_table host_record_members = { "host record", members, sizeof(members) / sizeof(members[0]),
	sizeof(struct host_record) };

bool host_record_is_disturbed(const struct host_record *record)
{
	return record->other_work > MAX_OTHER_WORK || record->host_spread > MAX_SPREAD;
}

void host_record_set_code(struct host_record *record)
{
	snprintf(record->libcrypto, sizeof(record->libcrypto), "%s", OpenSSL_version(OPENSSL_VERSION_STRING));
	instruction_forms_text(record->forms, sizeof(record->forms));
}
