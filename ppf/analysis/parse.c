#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"
#include "ppf/isolate.h"

#define STATEMENT "ppf_prepare" /* the function that holds it */

struct libclang libclang;

int libclang_load(const char *needed_by)
{
	static struct shared_library library = { .file = LIBCLANG,
		.package = "libclang1",
		.names = LIBCLANG_FUNCTIONS(SHARED_LIBRARY_NAME),
		.functions = &libclang };

	return shared_library_load(&library, needed_by);
}

bool analyze_available(void)
{
	return true;
}

/* What to do about a message of libclang; "" if that is plain. */
static const char *advice(const char *text)
{
	if (!strncmp(text, "unknown type name", strlen("unknown type name")))
		return ": declare it by -D or --include, for example --include stdint.h";
	if (!strncmp(text, "use of undeclared identifier", strlen("use of undeclared identifier")))
		return ": define it by -D or --include";
	if (!strncmp(text, "expected", strlen("expected")))
		return ": if a macro of the project is missing, define it by -D or --include";
	return "";
}

/* The first error, with its place in the source. */
static void check_parsed(CXTranslationUnit parsed)
{
	for (unsigned i = 0; i < libclang.getNumDiagnostics(parsed); i++) {
		CXDiagnostic diagnostic = libclang.getDiagnostic(parsed, i);
		const char *text = lower_text(libclang.getDiagnosticSpelling(diagnostic));
		CXString file;
		unsigned line;

		if (libclang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
			libclang.getPresumedLocation(libclang.getDiagnosticLocation(diagnostic), &file, &line, NULL);
			isolate_end(fail(GPUCRYPT_CORRUPT, "%s:%u: does not parse: %s%s", lower_text(file), line, text,
			        advice(text)));
		}
		libclang.disposeDiagnostic(diagnostic);
	}
}

/* A definition of this name, or else the only one that a macro gave a prefix: nettle_NAME. */
struct wanted {
	const char *name;
	CXCursor found, prefixed;
	unsigned n_prefixed, n_others;
	char others[400]; /* names of the functions that are defined */
};

static bool is_prefixed(const char *name, const char *wanted)
{
	size_t length = strlen(name), wanted_length = strlen(wanted);

	return length > wanted_length && name[length - wanted_length - 1] == '_' &&
	       !strcmp(name + length - wanted_length, wanted);
}

static enum CXChildVisitResult match(CXCursor cursor, CXCursor parent, CXClientData self)
{
	struct wanted *wanted = self;
	const char *name;
	size_t used;

	(void)parent;
	if (libclang.getCursorKind(cursor) != CXCursor_FunctionDecl || !libclang.isCursorDefinition(cursor))
		return CXChildVisit_Continue;
	name = lower_text(libclang.getCursorSpelling(cursor));
	if (!strcmp(name, wanted->name))
		wanted->found = cursor;
	else if (is_prefixed(name, wanted->name) && ++wanted->n_prefixed == 1)
		wanted->prefixed = cursor;
	if (strncmp(name, "__", 2) == 0) /* defined in headers of the C library */
		return CXChildVisit_Continue;
	used = strlen(wanted->others);
	if (wanted->n_others > 0 || used + strlen(name) + 3 > sizeof wanted->others)
		wanted->n_others++;
	else
		snprintf(wanted->others + used, sizeof wanted->others - used, "%s%s", used > 0 ? ", " : "", name);
	return CXChildVisit_Continue;
}

static CXCursor find_function(CXTranslationUnit parsed, const struct analysis *analysis, const char *name)
{
	struct wanted wanted = { name, libclang.getNullCursor(), libclang.getNullCursor(), 0, 0, "" };
	char more[32] = "";

	libclang.visitChildren(libclang.getTranslationUnitCursor(parsed), match, &wanted);
	if (libclang.Cursor_isNull(wanted.found) && wanted.n_prefixed == 1)
		wanted.found = wanted.prefixed;
	if (wanted.n_others > 0)
		snprintf(more, sizeof more, " and %u more", wanted.n_others);
	if (libclang.Cursor_isNull(wanted.found))
		isolate_end(fail(GPUCRYPT_USAGE, "%s: defines no function %s%s%s%s%s", analysis->file, name,
		        *wanted.others ? " (choose from: " : "", wanted.others, more, *wanted.others ? ")" : ""));
	return wanted.found;
}

/* The text is preprocessed, but libclang obeys a directive that a macro produced, and reads the included file: the
 * limits of this process cover that too. clang 16 and later treats an undeclared function as an error; a later check
 * reports the function by name. */
static CXTranslationUnit parse(const struct analysis *analysis, const char *text, size_t n_bytes)
{
	static const char *const arguments[] = { "-x", "cpp-output", "-std=gnu11", "-w",
		"-Wno-error=implicit-function-declaration", "-ferror-limit=1" };
	struct CXUnsavedFile file = { "source.i", text, n_bytes };
	CXTranslationUnit parsed = NULL;
	enum CXErrorCode error = libclang.parseTranslationUnit2(libclang.createIndex(0, 0), file.Filename, arguments,
	        sizeof arguments / sizeof *arguments, &file, 1, CXTranslationUnit_None, &parsed);

	if (error != CXError_Success || !parsed)
		isolate_end(fail(GPUCRYPT_CORRUPT, "%s: does not parse: libclang gives up", analysis->file));
	check_parsed(parsed);
	return parsed;
}

/* The text with the statement in a function that has the entry's parameters, too. */
static const char *add_statement(const char *text, CXCursor entry, const char *statement)
{
	static const char format[] =
	        "%s\nvoid " STATEMENT "(const unsigned char *random%s%.*s)\n{\n# 1 \"--prepare\"\n%s;\n}\n";
	int n = libclang.Cursor_getNumArguments(entry);
	unsigned start = n > 0 ? lower_start(libclang.Cursor_getArgument(entry, 0)) : 0,
	         end = n > 0 ? lower_end(libclang.Cursor_getArgument(entry, (unsigned)n - 1)) : 0;
	size_t n_bytes = sizeof format + strlen(text) + (end - start) + strlen(statement);
	char *added = tree_allocate(n_bytes);

	snprintf(added, n_bytes, format, text, n > 0 ? ", " : "", (int)(end - start), text + start, statement);
	return added;
}

void unit_read(struct unit *unit, const struct analysis *analysis)
{
	struct lowering lowering = { .unit = unit };
	CXTranslationUnit parsed;
	CXCursor entry;

	if (libclang_load(analysis->file) != GPUCRYPT_OK)
		isolate_end(GPUCRYPT_UNKNOWN);
	lowering.text = preprocess(&lowering.n_bytes, analysis->file, analysis->options);
	parsed = parse(analysis, lowering.text, lowering.n_bytes);
	entry = find_function(parsed, analysis, analysis->function);
	if (analysis->prepare) { /* once the entry's parameters are known, parse again */
		lowering.text = add_statement(lowering.text, entry, analysis->prepare);
		lowering.n_bytes = strlen(lowering.text);
		parsed = parse(analysis, lowering.text, lowering.n_bytes);
		entry = find_function(parsed, analysis, analysis->function);
	}
	unit->entry = lower_function(&lowering, entry);
	unit->at_entry = lower_node(&lowering, entry, NODE_BLOCK);
	if (analysis->prepare)
		unit->prepare = lower_function(&lowering, find_function(parsed, analysis, STATEMENT));
	lower_bodies(&lowering);
}
