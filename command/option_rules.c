/* Check conflicts between options: by the bits of their rows and by the program's rules. */
#include <string.h>

#include "command/program.h"
#include "gpucrypt/status.h"

static bool has_value(const struct parsed *parsed, const struct option_row *row, const char *value, size_t n)
{
	const void *field = (const char *)parsed + row->offset;
	const char *text =
	        row->type->names ? value_name(row->type->names, *(const unsigned *)field) : *(const char *const *)field;

	return strlen(text) == n && !memcmp(text, value, n);
}

/* Is the row's option in a list of names, or of names with its value: NAME=VALUE? */
static bool is_listed(const struct parsed *parsed, const struct option_row *row, const char *names)
{
	size_t length = row->name ? strlen(row->name) : 0;

	for (const char *at = names; length > 0 && *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " "), n_name = strcspn(at, "= ");

		if (n_name == length && !memcmp(at, row->name, n_name) &&
		        (n == n_name || has_value(parsed, row, at + n_name + 1, n - n_name - 1)))
			return true;
		at += n;
	}
	return false;
}

/* The first option of the list that the command line has; NULL: it has none of them. */
static const struct option_row *find_given(const struct parsed *parsed, const char *names)
{
	FOR_EACH_ROW(row)
	if (parsed->given[row - program.rows] && is_listed(parsed, row, names))
		return row;
	return NULL;
}

static unsigned bits_of(const struct parsed *parsed)
{
	return parsed->action ? parsed->action->bit : parsed->command->bits;
}

static bool rule_applies(const struct option_rule *rule, const struct parsed *parsed)
{
	unsigned bits = bits_of(parsed);

	if (!((parsed->raw ? rule->raw : rule->native) & bits))
		return false;
	FOR_EACH_ROW(row)
	if (option_row_bits(row) & bits && is_listed(parsed, row, rule->given) && !parsed->given[row - program.rows])
		return false;
	return true;
}

/* "--a, --b or --c"; word stands before the last one. */
static void list_options(char text[256], const char *names, const char *word)
{
	const char *separator = "";

	text[0] = '\0';
	while (*names) {
		size_t n = strcspn(names, " "), used = strlen(text);

		snprintf(text + used, 256 - used, "%s--%.*s", separator, (int)n, names);
		names += n + strspn(names + n, " ");
		separator = strchr(names, ' ') ? ", " : word;
	}
}

int option_rule_check(const struct option_rule *rule, const struct parsed *parsed, const char *name)
{
	const struct option_row *other = find_given(parsed, rule->others);
	char given[256], others[256];

	if (!rule_applies(rule, parsed) || (other != NULL) == (rule->kind == RULE_NEEDS))
		return GPUCRYPT_OK;
	if (name && rule->kind == RULE_EXCLUDES)
		return fail(GPUCRYPT_USAGE, "%s: %s: not with --%s", name, rule->why, other->name);
	if (name || rule->kind == RULE_REFUSES)
		return fail(GPUCRYPT_USAGE, "%s%s%s", name ? name : "", name ? ": " : "", rule->why);
	list_options(given, rule->given, " with ");
	list_options(others, rule->others, " or ");
	return fail(GPUCRYPT_USAGE, "%s%s%s: %s%s%s%s", *given ? given : parsed->command->name,
	        *given || !parsed->action ? "" : " ", *given || !parsed->action ? "" : parsed->action->name,
	        rule->kind == RULE_NEEDS ? "needs " : "not with --", rule->kind == RULE_NEEDS ? others : other->name,
	        rule->why ? ": " : "", rule->why ? rule->why : "");
}

/* An option of the subcommand may lack the bit of the action, or of --raw, or of its absence. */
static int check_row(const struct option_row *row, const struct parsed *parsed, unsigned bits)
{
	if ((parsed->raw ? row->raw : row->native) & bits)
		return GPUCRYPT_OK;
	if (parsed->action != NULL && !(option_row_bits(row) & bits))
		return fail(
		        GPUCRYPT_USAGE, "--%s: not with %s %s", row->name, parsed->command->name, parsed->action->name);
	return fail(GPUCRYPT_USAGE, "--%s: %s --raw", row->name, parsed->raw ? "not with" : "only with");
}

int options_check(const struct parsed *parsed)
{
	int status = GPUCRYPT_OK;

	FOR_EACH_ROW(row)
	if (status == GPUCRYPT_OK && parsed->given[row - program.rows])
		status = check_row(row, parsed, bits_of(parsed));
	FOR_EACH_RULE(rule)
	if (status == GPUCRYPT_OK)
		status = option_rule_check(rule, parsed, NULL);
	return status;
}
