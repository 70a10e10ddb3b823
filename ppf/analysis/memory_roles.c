#include "ppf/analysis/count.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tables[] = { "tbl*", "*table*", "*sbox*", "T[0-9]", "Te*", "Td*", "sp*", "S*[0-9]*", NULL };
static const char *const keys[] = { "*key*", "rk*", "ek*", "k", "ks", NULL };
static const char *const rotations[] = { "rotate", "rotate_left", "rotate_right", "rotl*", "rotr*", "rol", "ror",
	"_rotl*", "_rotr*", "_lrotl", "_lrotr", "rol32", "ror32", "rol64", "ror64", "rolc", "rorc", "__builtin_rotate*",
	"funnel_left", NULL };
static const char *const permutations[] = { "spread_byte", "__builtin_bswap16", "__builtin_bswap32",
	"__builtin_bswap64", "htonl", "ntohl", NULL };
static const char *const products[] = { "multiply_add", NULL };
static const char *const plains[] = { "pt", "plain*", "in", "input", "inbuf", "src", NULL };
static const char *const ciphers[] = { "ct", "cipher*", "out", "output", "outbuf", "dst", NULL };

const char *const role_names[] = { [ROLE_NONE] = "none",
	[ROLE_REGISTER] = "scratch",
	[ROLE_CONSTANT] = "constant",
	[ROLE_TABLE] = "table",
	[ROLE_KEY] = "key",
	[ROLE_PLAIN] = "input",
	[ROLE_CIPHER] = "output",
	[ROLE_STATE] = "state",
	[ROLE_BUFFER] = "buffer",
	[ROLE_FOREIGN] = "open" };

void dot_members(char *to, size_t n, const char *path)
{
	size_t used = 0;

	for (; *path && used + 1 < n; path++)
		if (path[0] != '-' || path[1] != '>')
			to[used++] = *path == '>' ? '.' : *path;
	to[used] = '\0';
}

/* A pattern with a dot or an arrow matches the path of a member, any other pattern a name. */
static bool matches(const char *const *patterns, const char *path, const char *name)
{
	char pattern[256];

	for (; patterns && *patterns; patterns++) {
		dot_members(pattern, sizeof pattern, *patterns);
		if (fnmatch(pattern, strchr(pattern, '.') ? path : name, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

bool role_is_operator(enum operator_class *class, const struct patterns *patterns, const char *name)
{
	const struct {
		const char *const *names;
		enum operator_class class;
	} lists[] = { { patterns->rotate ? patterns->rotate : rotations, OPERATOR_ROTATE },
		{ permutations, OPERATOR_PERMUTE }, { products, OPERATOR_WIDE } };

	for (unsigned i = 0; i < 3; i++) {
		*class = lists[i].class;
		if (matches(lists[i].names, name, name))
			return true;
	}
	return false;
}

/* Notes. */

/* Set bits of a map, unless another map has them; the number of new ones. */
static unsigned set_bits(uint64_t *map, const uint64_t *but, uint64_t at, uint64_t n)
{
	unsigned set = 0;

	for (uint64_t i = at; n > 0; i++, n--) {
		uint64_t bit = UINT64_C(1) << i % 64, word = i % MAX_TRACKED_BYTES / 64;

		if ((map[word] | (but ? but[word] : 0)) & bit)
			continue;
		map[word] |= bit;
		set++;
	}
	return set;
}

/* The bits of a whole word that is used as an index are not known. */
#define MAX_SPAN (UINT64_C(1) << 27)

/* The memory extends to the largest subscript that data can select, but not beyond its declared end. */
static void extend(struct memory *memory, const struct value *at, uint64_t bytes)
{
	const struct type *declared = &memory->symbol->type;
	uint64_t before = (uint64_t)-memory->start, start = before + (uint64_t)at->bits, /* from the memory's start */
	        end = start + bytes + (at->known || at->span >= MAX_SPAN ? 0 : at->span),
	         most = before + declared->bytes;

	if (at->known && access_is_outside(at, bytes))
		return; /* checks.c rejects loads behind an array on which an output depends */
	if (!at->known && declared->kind == TYPE_ARRAY && declared->bytes > 0 && end > most)
		end = most;
	if (at->known && (int64_t)start < 0) {
		memory->start = at->bits;
		memory->bytes -= start;
		end = bytes;
	}
	if ((int64_t)end > (int64_t)memory->bytes)
		memory->bytes = end;
}

void memory_note(struct memory *memory, const struct node *node, const struct value *at, bool store, bool every)
{
	uint64_t bytes = node->type.bytes;

	memory->first = memory->first ? memory->first : node;
	if (store && !memory->first_store)
		memory->first_store = node;
	memory->loads += !store;
	memory->stores += store;
	memory->lookups += !at->known;
	extend(memory, at, bytes);
	if (!at->known || every)
		*(store ? &memory->n_out : &memory->n_in) += (unsigned)bytes;
	else if (store)
		memory->n_out += set_bits(memory->out, NULL, (uint64_t)at->bits, bytes);
	else
		memory->n_in += set_bits(memory->in, memory->out, (uint64_t)at->bits, bytes);
}

/* Decisions. */

static const char *const *const default_lists[4] = { tables, keys, plains, ciphers };

/* The role of the name in these lists: that of the member, or else of the structure. */
static enum role by_name(const char *const *const lists[4], const char *name)
{
	static const enum role roles[] = { ROLE_TABLE, ROLE_KEY, ROLE_PLAIN, ROLE_CIPHER };
	char path[256], *dot;

	dot_members(path, sizeof path, name);
	do {
		dot = strrchr(path, '.');
		for (unsigned i = 0; i < 4; i++)
			if (matches(lists[i], path, dot ? dot + 1 : path))
				return roles[i];
		if (dot)
			*dot = '\0';
	} while (dot);
	return ROLE_NONE;
}

/* Does a default name give the role?  A structure named like a table does not make its single words tables. */
static enum role by_default(const struct symbol *symbol)
{
	enum role role = by_name(default_lists, symbol->name);

	return role == ROLE_TABLE && symbol->type.kind == TYPE_INTEGER ? ROLE_NONE : role;
}

bool role_is_named(const struct patterns *patterns, const char *name)
{
	const char *const *const lists[4] = { patterns->table ? patterns->table : tables,
		patterns->key ? patterns->key : keys, patterns->plain ? patterns->plain : plains,
		patterns->cipher ? patterns->cipher : ciphers };

	return by_name(lists, name) != ROLE_NONE;
}

static bool is_member(const struct symbol *symbol)
{
	return strpbrk(symbol->name, ".>");
}

static void give(struct memory *memory, enum role role, const char *why)
{
	memory->role = role;
	memory->why = why;
}

const char why_selected[] = "read at places that data selects", why_changed[] = "read and written";

/* An array whose use leaves no choice. */
static void decide_by_use(struct memory *m, bool has_output)
{
	const struct symbol *symbol = m->symbol;
	bool is_static = symbol->storage == STORAGE_STATIC && !is_member(symbol);
	enum role named = by_default(symbol);

	if (m->lookups > 0 && (named == ROLE_PLAIN || named == ROLE_CIPHER))
		give(m, named, "named like it, at a place that a parameter selects");
	else if (m->lookups > 0 && m->stores == 0 && (symbol->type.is_const || !m->whole))
		give(m, ROLE_TABLE, why_selected);
	else if (m->lookups > 0)
		return;
	else if (is_static && m->stores > 0 && m->n_in == 0)
		give(m, ROLE_REGISTER, "written before it is read, and no parameter");
	else if (is_static && m->stores == 0 && symbol->initial)
		give(m, ROLE_CONSTANT, "initial values, read at known places");
	else if (m->stores > 0 && m->n_in == 0 && has_output)
		give(m, ROLE_BUFFER, "written before it is read, and --ciphertext names the output");
	else if (m->stores > 0 && m->n_in == 0)
		give(m, ROLE_CIPHER, "only written");
	else if (m->stores > 0)
		give(m, ROLE_STATE, why_changed);
}

/* A name, or else a structure, decides between round keys and plaintext. */
static void decide_by_name(struct memory *m)
{
	enum role role = by_default(m->symbol);

	if (role == ROLE_TABLE)
		give(m, ROLE_TABLE, "read only, and named like a table");
	else if (role == ROLE_KEY)
		give(m, ROLE_KEY, "read at known places, and named like a key");
	else if (role == ROLE_PLAIN)
		give(m, ROLE_PLAIN, "read at known places, and named like an input");
	else if (is_member(m->symbol))
		give(m, ROLE_KEY, "read at known places, and a member of a structure");
}

static _Noreturn void fail_open(const struct memory *m)
{
	const char *name = m->symbol->name;

	if (m->lookups > 0)
		fail_at(m->first,
		        "a subscript of '%s' depends on data, and this array is changed, so it is no table: the cipher is "
		        "not counted, unless this is the block (--plain '%s' or --ciphertext '%s') or --set gives the subscript",
		        name, name, name);
	fail_at(m->first,
	        "'%s' is neither table, key, input block, output block nor state: name its role by --tables, --key, --plain or "
	        "--ciphertext",
	        name);
}

static void check_writes(const struct memory *m)
{
	enum role named = by_default(m->symbol), role = m->role;

	if (!m->given && (role == ROLE_CIPHER || role == ROLE_STATE))
		role = named == ROLE_TABLE || named == ROLE_KEY ? named : role;
	if (m->stores == 0 || (role != ROLE_TABLE && role != ROLE_KEY))
		return;
	if (m->lookups > 0)
		fail_open(m);
	if (m->given && role == ROLE_KEY) /* round keys that the function computes in place */
		return;
	fail_at(m->first_store, "writes to '%s', which is a %s: give its role by --ciphertext '%s'%s", m->symbol->name,
	        role == ROLE_KEY ? "round key" : "table", m->symbol->name,
	        role == ROLE_KEY ? ", or by --key if the key changes" : "");
}

bool roles_have(const struct memory *memories, enum role role)
{
	while (memories && memories->role != role)
		memories = memories->next;
	return memories;
}

/* Parameters that are only read: the plaintext if there is no other input and no other such parameter, else keys. */
static void decide_rest(struct memory *memories)
{
	bool has_input = roles_have(memories, ROLE_PLAIN) || roles_have(memories, ROLE_STATE);
	struct memory *plain = NULL;

	for (struct memory *m = memories; m; m = m->next) {
		if (m->role != ROLE_FOREIGN)
			continue;
		if (m->lookups > 0 || m->symbol->storage != STORAGE_PARAMETER)
			fail_open(m);
		if (plain)
			fail_at(plain->first,
			        "'%s' and '%s' are only read: name the input block by --plain, or the key by --key",
			        plain->symbol->name, m->symbol->name);
		plain = has_input ? NULL : m;
		give(m, has_input ? ROLE_KEY : ROLE_PLAIN,
		        has_input ? "only read, at known places" : "only read, and nothing else is");
	}
}

/* An array parameter of fixed size, without a name that gives it a role. */
static bool is_fixed(const struct symbol *symbol)
{
	return symbol->is_entry && symbol->type.kind == TYPE_ARRAY && symbol->type.bytes > 0 &&
	       by_default(symbol) == ROLE_NONE;
}

void roles_decide(struct memory *memories, const struct analysis *analysis)
{
	const struct patterns *patterns = &analysis->patterns;
	const char *const *const lists[4] = { patterns->table, patterns->key, patterns->plain, patterns->cipher };

	for (struct memory *m = memories; m; m = m->next) {
		enum role given = by_name(lists, m->symbol->name);

		m->given = given != ROLE_NONE;
		m->whole = is_fixed(m->symbol) && !m->given;
		if (m->typed)
			m->why = "its type";
		else if (given != ROLE_NONE)
			give(m, given, "an option");
		else if (!analysis->by_value && m->whole && m->lookups == 0)
			give(m, m->symbol->type.is_const ? ROLE_PLAIN : ROLE_STATE, "its type");
		else
			decide_by_use(m, patterns->cipher != NULL);
		if (m->role == ROLE_FOREIGN)
			decide_by_name(m);
		check_writes(m);
	}
	decide_rest(memories);
}
