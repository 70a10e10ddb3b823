#include "ppf/record/profile_record.h"

#include <stdio.h>

#include "ppf/record/members.h"

#define AT(member)    MEMBER_AT(struct profile, member)
#define COUNT(member) MEMBER_ROW(struct profile, MEMBER_COUNT, member)

static const char *const register_names[N_REGISTER_FILES] = {
	[REGISTERS_16] = "registers_16", [REGISTERS_32] = "registers_32"
};

/* By the number of words that the index reaches. */
static bool make_size_name(char name[MEMBER_NAME], unsigned i)
{
	snprintf(name, MEMBER_NAME, "%u", 1u << i);
	return true;
}

static const struct member members[] = {
	COUNT(n_tbl),
	COUNT(n_key),
	{ "operators", NULL, MEMBER_COUNT, AT(operators), .n = N_OPERATORS, .names = operator_names },
	COUNT(n_pt),
	COUNT(n_ct),
	COUNT(casts),
	COUNT(block_bytes),
	{ NULL, "table_bytes", MEMBER_BYTES, AT(table_bytes) },
	{ "fields", NULL, MEMBER_COUNT, AT(fields), .n = N_FIELDS, .names = field_names },
	COUNT(high_fields),
	{ "field_operators", NULL, MEMBER_COUNT, AT(field_operators), .n = N_OPERATORS, .names = operator_names },
	COUNT(logic_functions),
	{ "moves", NULL, MEMBER_COUNT, AT(moves), .n = N_REGISTER_FILES, .names = register_names },
	COUNT(lookups_deep),
	COUNT(operators_deep),
	{ "halves", NULL, MEMBER_COUNT, AT(halves), .n = N_OPERATORS, .names = operator_names },
	COUNT(left_shifts),
	COUNT(keys_once),
	{ "lookups", NULL, MEMBER_COUNT, AT(lookups), .n = N_TABLE_SIZES, .name_of = make_size_name },
};

static const struct member_table table = MEMBER_TABLE("list of counts", members, struct profile);

int profile_record_write(const struct profile *profile, json_t *object)
{
	return members_write(profile, &table, object);
}

int profile_record_read(struct profile *profile, const char *path)
{
	json_t *root;
	int status = members_load(&root, &table, NULL, path) ?: members_read(profile, &table, root, path);

	json_decref(root);
	snprintf(profile->name, sizeof profile->name, "%s", path);
	return status;
}
