#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"
#include "ppf/analysis/preprocess.h"

#define STATEMENT "ppf_prepare" /* the function that holds it */

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

/* The first error, with its place in the source; GPUCRYPT_OK: there is none. */
static int check_parsed(CXTranslationUnit parsed)
{
	for (unsigned i = 0; i < libclang.getNumDiagnostics(parsed); i++) {
		CXDiagnostic diagnostic = libclang.getDiagnostic(parsed, i);
		CXString text = libclang.getDiagnosticSpelling(diagnostic), file;
		int status = GPUCRYPT_OK;
		unsigned line;

		libclang.getPresumedLocation(libclang.getDiagnosticLocation(diagnostic), &file, &line, NULL);
		if (libclang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			status = fail(GPUCRYPT_CORRUPT, "%s:%u: does not parse: %s%s", libclang.getCString(file), line,
			        libclang.getCString(text), advice(libclang.getCString(text)));
		libclang.disposeString(file);
		libclang.disposeString(text);
		libclang.disposeDiagnostic(diagnostic);
		if (status != GPUCRYPT_OK)
			return status;
	}
	return GPUCRYPT_OK;
}

/* A definition of this name, or else the only one that a macro gave a prefix: nettle_NAME. */
struct wanted {
	const char *name;
	CXCursor found, prefixed;
	unsigned n_prefixed;
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
	CXString name;

	(void)parent;
	if (libclang.getCursorKind(cursor) != CXCursor_FunctionDecl || !libclang.isCursorDefinition(cursor))
		return CXChildVisit_Continue;
	name = libclang.getCursorSpelling(cursor);
	if (!strcmp(libclang.getCString(name), wanted->name))
		wanted->found = cursor;
	else if (is_prefixed(libclang.getCString(name), wanted->name) && ++wanted->n_prefixed == 1)
		wanted->prefixed = cursor;
	libclang.disposeString(name);
	return CXChildVisit_Continue;
}

/* A source while it is read. */
struct reading {
	const struct analysis *analysis;
	struct unit *unit; /* not owned */
	const char *text;  /* preprocessed */
	size_t n_bytes;
	bool has_statement; /* the text ends with ppf_prepare() */
	CXCursor entry;
};

static int find_function(
        CXCursor *function, CXTranslationUnit parsed, const struct analysis *analysis, const char *name)
{
	struct wanted wanted = { name, libclang.getNullCursor(), libclang.getNullCursor(), 0 };

	libclang.visitChildren(libclang.getTranslationUnitCursor(parsed), match, &wanted);
	if (libclang.Cursor_isNull(wanted.found) && wanted.n_prefixed == 1)
		wanted.found = wanted.prefixed;
	if (libclang.Cursor_isNull(wanted.found))
		return fail(GPUCRYPT_USAGE, "%s: defines no function %s", analysis->file, name);
	*function = wanted.found;
	return GPUCRYPT_OK;
}

static int lower_functions(struct reading *reading, CXTranslationUnit parsed)
{
	struct lowering lowering = { .unit = reading->unit, .text = reading->text, .n_bytes = reading->n_bytes };
	CXCursor statement;

	reading->unit->entry = lower_function(&lowering, reading->entry);
	reading->unit->at_entry = lower_node(&lowering, reading->entry, NODE_BLOCK);
	if (reading->has_statement) {
		lowering.status = find_function(&statement, parsed, reading->analysis, STATEMENT);
		if (lowering.status == GPUCRYPT_OK)
			reading->unit->prepare = lower_function(&lowering, statement);
	}
	lower_bodies(&lowering);
	return lowering.status;
}

static int parse_text(struct reading *reading);

/* Once the entry's parameters are known, parse again, with the statement in a function that has them, too. */
static int parse_with_statement(const struct reading *first)
{
	struct reading second = { .analysis = first->analysis, .unit = first->unit, .has_statement = true };
	int n = libclang.Cursor_getNumArguments(first->entry), n_bytes, status;
	unsigned start = 0, end = 0;
	char *text;

	if (n > 0) {
		start = lower_start(libclang.Cursor_getArgument(first->entry, 0));
		end = lower_end(libclang.Cursor_getArgument(first->entry, (unsigned)n - 1));
	}
	n_bytes = asprintf(&text,
	        "%s\nvoid " STATEMENT "(const unsigned char *random%s%.*s)\n{\n# 1 \"--prepare\"\n%s;\n}\n",
	        first->text, n > 0 ? ", " : "", (int)(end - start), first->text + start, first->analysis->prepare);
	if (n_bytes < 0)
		return fail(GPUCRYPT_OTHER, "out of memory");
	second.text = text;
	second.n_bytes = (size_t)n_bytes;
	status = parse_text(&second);
	free(text);
	return status;
}

/* The text is preprocessed, but libclang obeys a directive that a macro produced, and reads the included file: the
 * limits of this process cover that too. clang 16 and later treats an undeclared function as an error; a later check
 * reports the function by name. */
static int parse_text(struct reading *reading)
{
	static const char *const arguments[] = { "-x", "cpp-output", "-std=gnu11", "-w",
		"-Wno-error=implicit-function-declaration", "-ferror-limit=1" };
	const struct analysis *analysis = reading->analysis;
	struct CXUnsavedFile text = { "source.i", reading->text, reading->n_bytes };
	CXIndex index = libclang.createIndex(0, 0);
	CXTranslationUnit parsed = NULL;
	enum CXErrorCode error = libclang.parseTranslationUnit2(index, text.Filename, arguments,
	        sizeof arguments / sizeof *arguments, &text, 1, CXTranslationUnit_None, &parsed);
	int status;

	if (error != CXError_Success || !parsed)
		status = fail(GPUCRYPT_CORRUPT, "%s: does not parse: libclang gives up", analysis->file);
	else
		status = check_parsed(parsed);
	if (status == GPUCRYPT_OK)
		status = find_function(&reading->entry, parsed, analysis, analysis->function);
	if (status == GPUCRYPT_OK)
		status = analysis->prepare && !reading->has_statement ? parse_with_statement(reading)
		                                                      : lower_functions(reading, parsed);
	if (parsed)
		libclang.disposeTranslationUnit(parsed);
	libclang.disposeIndex(index);
	return status;
}

int unit_read(struct unit *unit, const struct analysis *analysis)
{
	struct reading reading = { .analysis = analysis, .unit = unit };
	char *text;
	int status = libclang_load(analysis->file);

	if (status == GPUCRYPT_OK)
		status = preprocess(&text, &reading.n_bytes, analysis->file, analysis->options);
	if (status != GPUCRYPT_OK)
		return status;
	reading.text = text;
	status = parse_text(&reading);
	free(text);
	return status;
}
