/* Source text for OpenCL C, token by token. */
#include "ppf/run/translate_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"

enum word_use {
	WORD_KEEP,
	WORD_DROP,
	WORD_ATTRIBUTE, /* with the parentheses that follow */
	WORD_LONG,      /* the second of long long is dropped: OpenCL's long has 64 bits */
	WORD_REFUSE
};

/* All other words are the source's own names, or names that OpenCL C does not know: with their prefix they are
 * unknown to it. */
static const struct {
	const char *word;
	enum word_use use;
	const char *instead; /* or NULL */
} words[] = {
	{ "break", WORD_KEEP, NULL },
	{ "case", WORD_KEEP, NULL },
	{ "char", WORD_KEEP, NULL },
	{ "const", WORD_KEEP, NULL },
	{ "continue", WORD_KEEP, NULL },
	{ "default", WORD_KEEP, NULL },
	{ "do", WORD_KEEP, NULL },
	{ "double", WORD_KEEP, NULL },
	{ "else", WORD_KEEP, NULL },
	{ "enum", WORD_KEEP, NULL },
	{ "float", WORD_KEEP, NULL },
	{ "for", WORD_KEEP, NULL },
	{ "goto", WORD_KEEP, NULL },
	{ "if", WORD_KEEP, NULL },
	{ "int", WORD_KEEP, NULL },
	{ "long", WORD_LONG, NULL },
	{ "return", WORD_KEEP, NULL },
	{ "short", WORD_KEEP, NULL },
	{ "signed", WORD_KEEP, NULL },
	{ "sizeof", WORD_KEEP, NULL },
	{ "struct", WORD_KEEP, NULL },
	{ "switch", WORD_KEEP, NULL },
	{ "typedef", WORD_KEEP, NULL },
	{ "union", WORD_KEEP, NULL },
	{ "unsigned", WORD_KEEP, NULL },
	{ "void", WORD_KEEP, NULL },
	{ "while", WORD_KEEP, NULL },
	{ "typeof", WORD_KEEP, "__typeof__" },
	{ "__typeof__", WORD_KEEP, NULL },
	{ "__typeof", WORD_KEEP, "__typeof__" },
	{ "_Bool", WORD_KEEP, "bool" },
	{ "__const", WORD_KEEP, "const" },
	{ "__const__", WORD_KEEP, "const" },
	{ "__signed", WORD_KEEP, "signed" },
	{ "__signed__", WORD_KEEP, "signed" },
	{ "auto", WORD_DROP, NULL },
	{ "extern", WORD_DROP, NULL },
	{ "inline", WORD_DROP, NULL },
	{ "__inline", WORD_DROP, NULL },
	{ "__inline__", WORD_DROP, NULL },
	{ "register", WORD_DROP, NULL },
	{ "restrict", WORD_DROP, NULL },
	{ "__restrict", WORD_DROP, NULL },
	{ "__restrict__", WORD_DROP, NULL },
	{ "volatile", WORD_DROP, NULL },
	{ "__volatile__", WORD_DROP, NULL },
	{ "static", WORD_DROP, NULL }, /* of parameters: a[static 4]; variables are objects */
	{ "__extension__", WORD_DROP, NULL },
	{ "__attribute__", WORD_ATTRIBUTE, NULL },
	{ "__attribute", WORD_ATTRIBUTE, NULL },
	{ "__builtin_bswap16", WORD_KEEP, NULL },
	{ "__builtin_bswap32", WORD_KEEP, NULL },
	{ "__builtin_bswap64", WORD_KEEP, NULL },
	{ "__builtin_expect", WORD_KEEP, NULL },
	{ "asm", WORD_REFUSE, NULL },
	{ "__asm", WORD_REFUSE, NULL },
	{ "__asm__", WORD_REFUSE, NULL },
	{ "__int128", WORD_REFUSE, NULL },
	{ "__int128_t", WORD_REFUSE, NULL },
	{ "__uint128_t", WORD_REFUSE, NULL },
	{ "_Alignas", WORD_REFUSE, NULL },
	{ "_Atomic", WORD_REFUSE, NULL },
	{ "_Complex", WORD_REFUSE, NULL },
	{ "_Generic", WORD_REFUSE, NULL },
	{ "_Static_assert", WORD_REFUSE, NULL },
	{ "_Thread_local", WORD_REFUSE, NULL },
	{ "__thread", WORD_REFUSE, NULL },
};

/* Attributes that change sizes or places of data. */
static const char *const refused_attributes[] = { "packed", "align", "mode", "vector_size", "section",
	"scalar_storage" };

struct scanner {
	struct translator *translator;
	FILE *out;
	const char *text;
	unsigned at, end;
	bool after_long;
	CXCursor cursor; /* for messages */
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_attribute(struct scanner *s)
{
	unsigned begin = s->at, depth = 0;
	char text[256];

	do {
		depth += s->text[s->at] == '(';
		depth -= s->text[s->at] == ')' && depth > 0;
		s->at++;
	} while (s->at < s->end && (depth > 0 || s->text[s->at - 1] != ')'));
	snprintf(text, sizeof text, "%.*s", (int)(s->at - begin), s->text + begin);
	for (size_t i = 0; i < sizeof refused_attributes / sizeof *refused_attributes; i++)
		if (strstr(text, refused_attributes[i]))
			translate_fail(s->translator, s->cursor, "attribute '%s' is not translated to OpenCL C",
			        refused_attributes[i]);
}

static void use_word(struct scanner *s, size_t i)
{
	bool again = words[i].use == WORD_LONG && s->after_long;

	s->after_long = words[i].use == WORD_LONG;
	if (words[i].use == WORD_ATTRIBUTE)
		skip_attribute(s);
	else if (words[i].use == WORD_REFUSE)
		translate_fail(s->translator, s->cursor, "'%s' is not translated to OpenCL C", words[i].word);
	else if (words[i].use != WORD_DROP && !again)
		fputs(words[i].instead ? words[i].instead : words[i].word, s->out);
}

static void emit_word(struct scanner *s)
{
	const char *word = s->text + s->at;
	size_t length = 0;

	while (s->at + length < s->end && is_name(word[length]))
		length++;
	s->at += (unsigned)length;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].word) != length || strncmp(words[i].word, word, length) != 0)
			continue;
		use_word(s, i);
		return;
	}
	s->after_long = false;
	if (length > 9 && !strncmp(word, "__builtin_", 10))
		translate_fail(s->translator, s->cursor, "'%.*s' is not translated to OpenCL C", (int)length, word);
	fprintf(s->out, "c_%.*s", (int)length, word);
}

/* 1ULL has one L in OpenCL C. */
static void emit_number(struct scanner *s)
{
	char last = 0;

	s->after_long = false;
	while (s->at < s->end && (is_name(s->text[s->at]) || s->text[s->at] == '.')) {
		char c = s->text[s->at++];

		if (!(toupper((unsigned char)c) == 'L' && toupper((unsigned char)last) == 'L'))
			fputc(c, s->out);
		last = c;
	}
}

static void emit_character(struct scanner *s)
{
	fputc(s->text[s->at++], s->out);
	while (s->at < s->end && s->text[s->at] != '\'') {
		if (s->text[s->at] == '\\')
			fputc(s->text[s->at++], s->out);
		fputc(s->text[s->at++], s->out);
	}
	if (s->at < s->end)
		fputc(s->text[s->at++], s->out);
}

/* A line marker, or a pragma; no directive is passed on. */
static bool is_directive(const struct scanner *s)
{
	return s->text[s->at] == '#' || (s->text[s->at] == '%' && s->text[s->at + 1] == ':');
}

static void emit_token(struct scanner *s)
{
	char c = s->text[s->at];

	if (is_directive(s)) {
		s->at += (unsigned)strcspn(s->text + s->at, "\n");
	} else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)s->text[s->at + 1]))) {
		emit_number(s);
	} else if (is_name(c)) {
		emit_word(s);
	} else if (c == '\'') {
		emit_character(s);
	} else if (c == '"' || c == '\\' || c == '@' || c == '`' || (unsigned char)c >= 0x80) {
		translate_fail(s->translator, s->cursor, "a string or '%c' is not translated to OpenCL C",
		        (unsigned char)c < 0x80 ? c : '?');
		s->at = s->end;
	} else {
		s->after_long &= isspace((unsigned char)c) != 0;
		fputc(c, s->out);
		s->at++;
	}
}

void text_emit(struct translator *t, FILE *out, unsigned start, unsigned end, const struct body *body, CXCursor cursor)
{
	struct scanner s = {
		.translator = t, .out = out, .text = t->source->text, .at = start, .end = end, .cursor = cursor
	};
	const struct edit *edit = body ? body->edits : NULL, *last = body ? edit + body->n_edits : NULL;

	if (end > t->source->n_bytes)
		translate_fail(t, cursor, "declared in another file, which a directive made by a macro includes");
	while (t->status == GPUCRYPT_OK && (s.at < end || (edit < last && edit->start == end))) {
		while (edit < last && edit->start < s.at)
			edit++;
		if (edit < last && edit->start == s.at) {
			fputs(edit->text, out);
			s.at = edit->end;
			edit++;
		} else {
			emit_token(&s);
		}
	}
}

/* Edits. */

/* At one place, insertions come before what replaces text. */
static bool goes_before(const struct edit *edit, const struct edit *other)
{
	if (edit->start != other->start)
		return edit->start < other->start;
	return edit->end == edit->start && other->end > other->start;
}

void edit_add(
        struct translator *t, struct body *body, CXCursor at, unsigned start, unsigned end, const char *format, ...)
{
	struct edit edit = { start, end, NULL };
	va_list arguments;
	unsigned i = body->n_edits;
	int made;

	va_start(arguments, format);
	made = vasprintf(&edit.text, format, arguments);
	va_end(arguments);
	if (made < 0 || body->n_edits == MAX_EDITS) {
		translate_fail(t, at, "a function that is too long to translate");
		return;
	}
	for (; i > 0 && goes_before(&edit, &body->edits[i - 1]); i--)
		body->edits[i] = body->edits[i - 1];
	body->edits[i] = edit;
	body->n_edits++;
}
