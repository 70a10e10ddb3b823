#include "ppf/record/profile_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/record/members.h"

#define AT(member)    MEMBER_AT(struct profile, member)
#define COUNT(member) MEMBER_ROW(struct profile, MEMBER_COUNT, member)

static const char *const register_names[N_REGISTER_FILES] = {
	[REGISTERS_16] = "registers_16", [REGISTERS_32] = "registers_32"
};

/* By the number of words that the index reaches. */
static const char *const size_names[N_TABLE_SIZES] = { "1", "2", "4", "8", "16", "32", "64", "128", "256", "512",
	"1024", "2048", "4096", "8192", "16384", "32768", "65536", "131072", "262144", "524288", "1048576", "2097152",
	"4194304", "8388608" };

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
	{ "lookups", NULL, MEMBER_COUNT, AT(lookups), .n = N_TABLE_SIZES, .names = size_names },
};

static const struct member_table table = { "list of counts", members, sizeof members / sizeof *members,
	sizeof(struct profile) };

int profile_record_write(const struct profile *profile, json_t *object)
{
	return members_write(profile, &table, object);
}

int profile_record_read(struct profile *profile, const char *path)
{
	FILE *file = fopen(path, "re");
	json_error_t error;
	json_t *root;
	int status;

	if (file == NULL)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", path, strerror(errno));
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
	fclose(file);
	if (root == NULL)
		return fail(GPUCRYPT_CORRUPT, "%s: not a %s: line %d: %s", path, table.what, error.line, error.text);
	status = members_read(profile, &table, root, path);
	json_decref(root);
	snprintf(profile->name, sizeof profile->name, "%s", path);
	return status;
}
