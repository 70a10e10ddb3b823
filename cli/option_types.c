/* The types of option values: how the text of each is read and stored. */
#include "option_table.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/keys.h"
#include "gpucrypt/status.h"

/* A decimal number, the whole text; with units, K, M, G or T (powers of 1024) may follow. */
static bool read_number(const char *text, bool units, uint64_t *value)
{
	static const char unit_letters[] = "KMGT";
	uint64_t number = 0;
	const char *unit;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		        __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
			return false;
	if (units && *text && (unit = strchr(unit_letters, *text))) {
		if (__builtin_mul_overflow(
		            number, UINT64_C(1) << (10 * (unit - unit_letters + 1)), &number))
			return false;
		text++;
	}
	*value = number;
	return *text == '\0';
}

static int read_bounded(const struct option_row *row, const char *text, bool units, uint64_t *value)
{
	if (!read_number(text, units, value))
		return fail(GPUCRYPT_USAGE, "--%s: '%s' is not a number", row->name, text);
	if (*value < row->least || *value > row->most)
		return fail(GPUCRYPT_USAGE, "--%s: %s is not from %llu to %llu", row->name, text,
		        (unsigned long long)row->least, (unsigned long long)row->most);
	return GPUCRYPT_OK;
}

static int store_flag(const struct option_row *row, void *field, char *text, bool yes)
{
	(void)row, (void)text, (void)yes;
	*(bool *)field = true;
	return GPUCRYPT_OK;
}

static int store_choice(const struct option_row *row, void *field, char *text, bool yes)
{
	(void)row, (void)text;
	*(enum choice *)field = yes ? CHOICE_YES : CHOICE_NO;
	return GPUCRYPT_OK;
}

static int store_text(const struct option_row *row, void *field, char *text, bool yes)
{
	(void)yes;
	if (!*text)
		return fail(GPUCRYPT_USAGE, "--%s: its value is empty", row->name);
	*(const char **)field = text;
	return GPUCRYPT_OK;
}

/* Only where the passphrase comes from.  Whoever gives the passphrase itself is told off, and what
 * was given is neither repeated nor left in argv. */
static int store_passphrase(const struct option_row *row, void *field, char *text, bool yes)
{
	static const char *const schemes[] = { "env:", "file:", "fd:", "cmd:" };

	(void)yes;
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (!strncmp(text, schemes[i], strlen(schemes[i])) && text[strlen(schemes[i])]) {
			*(const char **)field = text;
			return GPUCRYPT_OK;
		}
	wipe(text, strlen(text));
	return fail(GPUCRYPT_USAGE,
	        "--%s: takes env:VAR, file:PATH, fd:N or cmd:COMMAND, never the passphrase itself",
	        row->name);
}

static int store_number(const struct option_row *row, void *field, char *text, bool yes)
{
	uint64_t value;
	int status = read_bounded(row, text, false, &value);

	(void)yes;
	if (status == GPUCRYPT_OK)
		*(unsigned *)field = (unsigned)value;
	return status;
}

/* Devices are numbered from 0 for people and from 1 in a plan, where 0 means the best one. */
static int store_device(const struct option_row *row, void *field, char *text, bool yes)
{
	int status = store_number(row, field, text, yes);

	if (status == GPUCRYPT_OK)
		++*(unsigned *)field;
	return status;
}

static int store_bytes(const struct option_row *row, void *field, char *text, bool yes)
{
	(void)yes;
	return read_bounded(row, text, true, field);
}

static int store_count(const struct option_row *row, void *field, char *text, bool yes)
{
	(void)yes;
	return read_bounded(row, text, false, field);
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* Hexadecimal digits, at most row->most bytes.  The text is not repeated: it may be a key. */
static int store_hex(const struct option_row *row, void *field, char *text, bool yes)
{
	struct hex_bytes *hex = field;
	size_t digits = strlen(text);

	(void)yes;
	if (digits == 0 || digits % 2 || digits / 2 > row->most)
		return fail(GPUCRYPT_USAGE, "--%s: %zu hexadecimal digits: wrong length", row->name,
		        digits);
	hex->length = digits / 2;
	for (size_t i = 0; i < hex->length; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return fail(GPUCRYPT_USAGE, "--%s: not hexadecimal at digit %zu", row->name,
			        2 * i + 1);
		hex->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return GPUCRYPT_OK;
}

/* argv can be read by every user (ps): the key stays there as short as possible. */
static int store_key_hex(const struct option_row *row, void *field, char *text, bool yes)
{
	int status = store_hex(row, field, text, yes);

	wipe(text, strlen(text));
	return status;
}

static int store_group(const struct option_row *row, void *field, char *text, bool yes)
{
	struct group_choice *choice = field;

	(void)yes;
	choice->chosen = true;
	choice->group = UINT64_MAX;
	return text ? read_bounded(row, text, false, &choice->group) : GPUCRYPT_OK;
}

/* I/N: part I, counted from 0, of N parts. */
static int store_shard(const struct option_row *row, void *field, char *text, bool yes)
{
	struct shard *shard = field;
	char *slash = strchr(text, '/');
	uint64_t index, count;
	bool good;

	(void)yes;
	if (slash)
		*slash = '\0';
	good = slash && read_number(text, false, &index) && read_number(slash + 1, false, &count) &&
	       index < count && count <= row->most;
	if (slash)
		*slash = '/';
	if (!good)
		return fail(GPUCRYPT_USAGE, "--%s: '%s' is not I/N with I from 0 to N-1", row->name,
		        text);
	shard->index = (unsigned)index;
	shard->count = (unsigned)count;
	return GPUCRYPT_OK;
}

const struct option_type type_flag = { .store = store_flag };
const struct option_type type_choice = { .negation = true, .store = store_choice };
const struct option_type type_text = { .argument = true, .store = store_text };
const struct option_type type_passphrase = {
	.argument = true, .secret = true, .store = store_passphrase
};
const struct option_type type_key_file = { .argument = true, .secret = true, .store = store_text };
const struct option_type type_number = { .argument = true, .store = store_number };
const struct option_type type_device = { .argument = true, .store = store_device };
const struct option_type type_count = { .argument = true, .store = store_count };
const struct option_type type_bytes = { .argument = true, .store = store_bytes };
const struct option_type type_key_hex = {
	.argument = true, .secret = true, .store = store_key_hex
};
const struct option_type type_iv_hex = { .argument = true, .store = store_hex };
const struct option_type type_group = { .argument = true, .optional = true, .store = store_group };
const struct option_type type_shard = { .argument = true, .store = store_shard };
