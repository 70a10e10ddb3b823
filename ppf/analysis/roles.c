#include "ppf/analysis/roles.h"

#include <fnmatch.h>
#include <stddef.h>

#include "gpucrypt/status.h"

static const char *const tables[] = { "tbl*", "*table*", "*sbox*", "T[0-9]", "Te*", "Td*", "sp*", "SP*", "S*[0-9]*",
	NULL };
static const char *const keys[] = { "*key*", "rk*", "ek*", "k", NULL };
static const char *const rotations[] = { "rotate", "rotate_left", "rotate_right", "rotl", "rotr", "rotl32", "rotr32",
	"ROTL*", "ROTR*", "rol", "ror", "rol32", "ror32", "__builtin_rotate*", "funnel_left", NULL };
static const char *const permutations[] = { "spread_byte", "__builtin_bswap32", "__builtin_bswap64", NULL };
static const char *const products[] = { "multiply_add", NULL };
static const char *const plains[] = { "pt", "plain*", "in", NULL };
static const char *const ciphers[] = { "ct", "cipher*", "out", NULL };

const struct patterns default_patterns = { tables, keys, rotations, plains, ciphers, permutations, products };

static bool matches(const char *const *patterns, const char *const *by_default, const char *name)
{
	for (patterns = patterns ? patterns : by_default; *patterns; patterns++)
		if (fnmatch(*patterns, name, **patterns == '*' ? FNM_CASEFOLD : 0) == 0)
			return true;
	return false;
}

bool role_is_rotate(const struct patterns *patterns, const char *name)
{
	return matches(patterns->rotate, rotations, name);
}

bool role_is_permute(const struct patterns *patterns, const char *name)
{
	return matches(patterns->permute, permutations, name);
}

bool role_is_wide(const struct patterns *patterns, const char *name)
{
	return matches(patterns->wide, products, name);
}

static enum role table_or_key(const struct patterns *patterns, const char *name, const struct type *type)
{
	if (type->role != ROLE_NONE)
		return type->role;
	if (matches(patterns->table, tables, name))
		return ROLE_TABLE;
	return matches(patterns->key, keys, name) ? ROLE_KEY : ROLE_NONE;
}

static enum role by_name(const struct patterns *patterns, const char *name, const struct type *type)
{
	enum role role = table_or_key(patterns, name, type);

	if (role != ROLE_NONE)
		return role;
	if (matches(patterns->plain, plains, name))
		return ROLE_PLAIN;
	return matches(patterns->cipher, ciphers, name) ? ROLE_CIPHER : ROLE_NONE;
}

enum role role_of_parameter(const struct patterns *patterns, const struct symbol *symbol)
{
	enum role role = by_name(patterns, symbol->name, &symbol->type);

	if (role != ROLE_NONE || symbol->by_use != ROLE_NONE)
		return role != ROLE_NONE ? role : symbol->by_use;
	return symbol->type.kind == TYPE_ARRAY && symbol->type.bytes > 0 ? ROLE_REGISTER : ROLE_FOREIGN;
}

/* A pointer to a structure is a context with keys. */
static bool may_be_plain(const struct symbol *symbol)
{
	return symbol->by_use == ROLE_NONE && symbol->is_read && !symbol->is_written && symbol->type.target_bytes <= 8;
}

static int roles_of_read(struct function *function, const struct node *at, const struct patterns *patterns)
{
	struct symbol *plain = NULL;
	bool has_plain = false;

	for (unsigned i = 0; i < function->n_parameters; i++)
		has_plain |= role_of_parameter(patterns, function->parameters[i]) == ROLE_PLAIN ||
		             role_of_parameter(patterns, function->parameters[i]) == ROLE_REGISTER;
	for (unsigned i = 0; i < function->n_parameters && !has_plain; i++) {
		struct symbol *symbol = function->parameters[i];

		if (role_of_parameter(patterns, symbol) != ROLE_FOREIGN || !may_be_plain(symbol))
			continue;
		if (plain != NULL)
			return fail_at(at, GPUCRYPT_UNKNOWN,
			        "'%s' and '%s' are only read: name the plaintext by --plain, or the key by --key",
			        plain->name, symbol->name);
		plain = symbol;
	}
	if (plain != NULL)
		plain->by_use = ROLE_PLAIN;
	for (unsigned i = 0; i < function->n_parameters; i++)
		if (role_of_parameter(patterns, function->parameters[i]) == ROLE_FOREIGN &&
		        function->parameters[i]->is_read)
			function->parameters[i]->by_use = ROLE_KEY;
	return GPUCRYPT_OK;
}

int roles_find(struct function *function, const struct node *at, const struct patterns *patterns)
{
	for (unsigned i = 0; i < function->n_parameters; i++) {
		struct symbol *symbol = function->parameters[i];

		if (symbol->is_written && role_of_parameter(patterns, symbol) == ROLE_FOREIGN)
			symbol->by_use = symbol->is_read ? ROLE_PLAIN : ROLE_CIPHER;
	}
	return roles_of_read(function, at, patterns);
}

enum role role_of_pointer(const struct patterns *patterns, const struct symbol *symbol, enum role given)
{
	enum role own;

	if (symbol->type.role != ROLE_NONE)
		return symbol->type.role;
	if (given != ROLE_FOREIGN && given != ROLE_NONE)
		return given;
	own = table_or_key(patterns, symbol->name, &symbol->type);
	return own != ROLE_NONE ? own : ROLE_FOREIGN;
}

enum role role_of_variable(const struct patterns *patterns, const struct symbol *symbol)
{
	const struct type *type = &symbol->type;
	bool is_constant = type->is_const && symbol->initial;
	enum role role = ROLE_NONE;

	if (symbol->storage != STORAGE_STATIC && !is_constant)
		return ROLE_REGISTER;
	if (type->kind == TYPE_ARRAY)
		role = table_or_key(patterns, symbol->name, type);
	if (role == ROLE_TABLE || (role != ROLE_NONE && (!is_constant || type->role != ROLE_NONE)))
		return role; /* values that the source states are no key, whatever the name */
	return is_constant ? ROLE_CONSTANT : ROLE_FOREIGN;
}

enum role role_of_member(const struct patterns *patterns, const char *name, const struct type *type, enum role given)
{
	enum role own;

	if (type->kind == TYPE_ARRAY && given == ROLE_REGISTER)
		return given;
	own = by_name(patterns, name, type);
	if (own != ROLE_NONE)
		return own;
	if (type->kind == TYPE_ARRAY || given == ROLE_TABLE || given == ROLE_KEY)
		return given;
	return ROLE_FOREIGN;
}
