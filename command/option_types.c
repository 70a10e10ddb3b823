/* The types of option values: how the text of each is read and stored. */
#include "command/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/plan.h"
#include "gpucrypt/keys/header.h"
#include "gpucrypt/status.h"
#include "command/text.h"

static int read_bounded(const struct option_row *row, const char *text, uint64_t *value)
{
	const char *wrong = number_parse(value, text, row->type->units);

	if (wrong)
		return fail(GPUCRYPT_USAGE, "--%s: '%s' is %s", row->name, text, wrong);
	if (*value < row->least || *value > row->most)
		return fail(GPUCRYPT_USAGE, "--%s: %s is outside the range %llu to %llu", row->name, text,
		        (unsigned long long)row->least, (unsigned long long)row->most);
	return GPUCRYPT_OK;
}

static int store_flag(const struct option_row *row, void *field, char *text)
{
	(void)row, (void)text;
	*(bool *)field = true;
	return GPUCRYPT_OK;
}

static int store_choice(const struct option_row *row, void *field, char *text)
{
	(void)row;
	*(enum yes_no *)field = text ? CHOICE_YES : CHOICE_NO;
	return GPUCRYPT_OK;
}

static int store_text(const struct option_row *row, void *field, char *text)
{
	if (!*text)
		return fail(GPUCRYPT_USAGE, "--%s: its value is empty", row->name);
	*(const char **)field = text;
	return GPUCRYPT_OK;
}

/* Parse the name of an enumerated value of the plan. */
static int store_value(const struct option_row *row, void *field, char *text)
{
	const struct value_names *names = row->type->names;
	struct nearest nearest = { 0 };

	for (unsigned i = 0; i < names->n_values; i++) {
		const char *name = value_name(names, i);

		if (*name && !strcmp(name, text))
			return *(unsigned *)field = i, GPUCRYPT_OK;
		if (*name)
			nearest_try(&nearest, text, name);
	}
	return fail(GPUCRYPT_USAGE, "unknown %s '%s'%s (choose from: %s)", names->what, text,
	        nearest_hint(&nearest, ""), nearest.list);
}

static int store_list(const struct option_row *row, void *field, char *text)
{
	struct text_list *list = field;

	if (list->n >= row->most)
		return fail(GPUCRYPT_USAGE, "--%s: given more than %u times", row->name, (unsigned)row->most);
	return store_text(row, &list->texts[list->n++], text);
}

/* Append an option of a C preprocessor as it stands on cc's command line: -DNAME, or -include FILE. A joined word lives
 * until the program ends. */
static int store_preprocessor(const struct option_row *row, void *field, char *text)
{
	struct text_list *list = field;
	char *word;

	if (list->n + 2 > row->most)
		return fail(GPUCRYPT_USAGE, "more than %u options of the preprocessor", (unsigned)row->most);
	if (row->name)
		list->texts[list->n++] = "-include";
	if (row->name)
		return store_text(row, &list->texts[list->n++], text);
	if (asprintf(&word, "-%c%s", row->letter, text) < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	list->texts[list->n++] = word;
	return GPUCRYPT_OK;
}

/* Store one of the words that the row lists; "" if the option has no value. */
static int store_word(const struct option_row *row, void *field, char *text)
{
	struct nearest nearest = { 0 };
	char word[32];

	if (!text)
		return *(const char **)field = "", GPUCRYPT_OK;
	for (const char *at = row->words; *at; at += strspn(at, " ")) {
		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
		if (!strcmp(word, text))
			return store_text(row, field, text);
		nearest_try(&nearest, text, word);
		at += strlen(word);
	}
	return fail(GPUCRYPT_USAGE, "--%s: unknown value '%s'%s (choose from: %s)", row->name, text,
	        nearest_hint(&nearest, ""), nearest.list);
}

/* Parse the source of a passphrase. A passphrase itself is rejected; the text is neither repeated nor left in argv. */
static int store_passphrase(const struct option_row *row, void *field, char *text)
{
	const char *rest;
	enum secret_source source = secret_source_parse(text, &rest);

	*(const char **)field = text;
	if (source == SECRET_FROM_FD && descriptor_parse(rest) < 0)
		return fail(GPUCRYPT_USAGE, "--%s: fd:N needs a number", row->name);
	/* Checked now: this program's next file would get the number. */
	if (source == SECRET_FROM_FD && fcntl(descriptor_parse(rest), F_GETFD) < 0)
		return fail(GPUCRYPT_IO, "--%s: cannot read descriptor %s: %s", row->name, rest, strerror(errno));
	if (source != SECRET_SOURCE_UNKNOWN)
		return GPUCRYPT_OK;
	wipe(text, strlen(text));
	return fail(GPUCRYPT_USAGE, "--%s: takes env:VAR, file:PATH, fd:N or cmd:COMMAND, never the passphrase itself",
	        row->name);
}

/* A label is printed as it is: no control characters. */
static int store_label(const struct option_row *row, void *field, char *text)
{
	if (strlen(text) > MAX_LABEL_BYTES)
		return fail(GPUCRYPT_USAGE, "--%s: longer than %d bytes", row->name, MAX_LABEL_BYTES);
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return fail(GPUCRYPT_USAGE, "--%s: has a control character", row->name);
	return store_text(row, field, text);
}

/* The type may define numbers for an omitted value, for "auto" and for 0. */
static int store_number(const struct option_row *row, void *field, char *text)
{
	const struct option_type *type = row->type;
	uint64_t value = text ? type->automatic : type->omitted;
	int status = GPUCRYPT_OK;

	if (text && (!type->automatic || strcmp(text, "auto") != 0))
		status = read_bounded(row, text, &value);
	if (status != GPUCRYPT_OK)
		return status;
	if (type->power && (value & (value - 1)) != 0)
		return fail(GPUCRYPT_USAGE, "--%s: %s is not a power of 2", row->name, text);
	if (type->wide)
		*(uint64_t *)field = value;
	else
		*(unsigned *)field = value > 0 ? (unsigned)value + type->more : type->zero;
	return GPUCRYPT_OK;
}

static int store_slots(const struct option_row *row, void *field, char *text)
{
	uint64_t value;
	int status = read_bounded(row, text, &value);

	if (status == GPUCRYPT_OK)
		*(unsigned *)field |= 1u << value;
	return status;
}

/* N, or N.M for a member of a shared slot. */
static int store_slot(const struct option_row *row, void *field, char *text)
{
	const struct option_row members = { .name = row->name, .type = row->type, .least = 0, .most = 17 };
	struct slot_name *name = field;
	char *point = strchr(text, '.');
	uint64_t slot, member = 0;
	int status;

	if (point)
		*point = '\0';
	status = (point ? read_bounded(&members, point + 1, &member) : GPUCRYPT_OK) ?: read_bounded(row, text, &slot);
	if (status == GPUCRYPT_OK)
		*name = (struct slot_name){ (unsigned)slot, point ? (unsigned)member + 1 : 0 };
	return status;
}

/* Hexadecimal digits, at most row->most bytes.  A message does not repeat a key, and a key is wiped from argv as soon
 * as possible, because every user can read argv (ps). */
static int store_hex(const struct option_row *row, void *field, char *text)
{
	struct hex_bytes *hex = field;
	size_t digits = strlen(text);
	int status = GPUCRYPT_OK;

	if (digits == 0 || digits % 2 || digits / 2 < row->least || digits / 2 > row->most)
		status = fail(GPUCRYPT_USAGE, "--%s: %zu hexadecimal digits: wrong length (at most %llu, in pairs)",
		        row->name, digits, (unsigned long long)(2 * row->most));
	else if (hex_decode(hex->bytes, digits / 2, text))
		hex->length = digits / 2;
	else
		status = fail(GPUCRYPT_USAGE, "--%s: not hexadecimal", row->name);
	if (row->type->secret)
		wipe(text, digits);
	return status;
}

static int store_group(const struct option_row *row, void *field, char *text)
{
	struct group_choice *choice = field;

	choice->chosen = true;
	choice->group = UINT64_MAX;
	return text ? read_bounded(row, text, &choice->group) : GPUCRYPT_OK;
}

/* I/N: part I of N parts; the first one is row->least. */
static int store_shard(const struct option_row *row, void *field, char *text)
{
	struct shard *shard = field;
	char *slash = strchr(text, '/');
	uint64_t index, count, first = row->least;
	bool good;

	if (slash)
		*slash = '\0';
	good = slash && !number_parse(&index, text, false) && !number_parse(&count, slash + 1, false) &&
	       index >= first && index - first < count && count <= row->most;
	if (slash)
		*slash = '/';
	if (!good)
		return fail(GPUCRYPT_USAGE, "--%s: '%s' is not I/N with I from %s", row->name, text,
		        first > 0 ? "1 to N" : "0 to N-1");
	shard->index = (unsigned)index;
	shard->count = (unsigned)count;
	return GPUCRYPT_OK;
}

const struct option_type type_flag = { .store = store_flag };
const struct option_type type_risky_flag = { .destroys = true, .store = store_flag };
const struct option_type type_choice = { .negation = true, .store = store_choice };
const struct option_type type_label = { .store = store_label };
const struct option_type type_text = { .store = store_text };
const struct option_type type_cipher = { .store = store_value, .names = &cipher_names };
const struct option_type type_mode = { .store = store_value, .names = &mode_names };
const struct option_type type_engine = { .store = store_value, .names = &engine_names };
const struct option_type type_table = { .store = store_value, .names = &table_names };
const struct option_type type_table_space = { .store = store_value, .names = &table_space_names };
const struct option_type type_key_space = { .store = store_value, .names = &key_space_names };
const struct option_type type_word = { .store = store_word };
const struct option_type type_list = { .repeated = true, .store = store_list };
const struct option_type type_preprocessor = { .repeated = true, .store = store_preprocessor };
const struct option_type type_key_list = { .repeated = true, .store = store_list, .files = KEY_FILE_LIST };
const struct option_type type_identities = {
	.secret = true, .repeated = true, .store = store_list, .files = KEY_FILE_LIST
};
const struct option_type type_slot = { .store = store_slot };
const struct option_type type_slots = { .repeated = true, .store = store_slots };
const struct option_type type_passphrase = { .secret = true, .store = store_passphrase, .files = KEY_FILE_SOURCE };
const struct option_type type_key_file = { .secret = true, .store = store_text, .files = KEY_FILE_NAME };
const struct option_type type_number = { .store = store_number };
const struct option_type type_power = { .units = true, .power = true, .store = store_number };
const struct option_type type_device = { .once = true, .zero = 1, .more = 1, .store = store_number };
const struct option_type type_kdf_cost = { .automatic = KDF_AUTO, .store = store_number };
const struct option_type type_recheck = { .zero = GPUCRYPT_NO_RECHECK, .store = store_number };
const struct option_type type_level = { .optional = true, .omitted = 3, .store = store_number };
const struct option_type type_count = { .wide = true, .store = store_number };
const struct option_type type_bytes = { .units = true, .wide = true, .store = store_number };
const struct option_type type_key_hex = { .secret = true, .store = store_hex };
const struct option_type type_iv_hex = { .store = store_hex };
const struct option_type type_group = { .optional = true, .store = store_group };
const struct option_type type_shard = { .store = store_shard };
const struct option_type type_help = { .optional = true, .store = store_word };
const struct option_type type_heading = { .store = NULL };
const struct option_type type_rare_heading = { .store = NULL };
