#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/analysis/lower.h"
#include "ppf/analysis/preprocess.h"

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

static int find_entry(CXCursor *entry, CXTranslationUnit parsed, const struct analysis *analysis)
{
	struct wanted wanted = { analysis->function, libclang.getNullCursor(), libclang.getNullCursor(), 0 };

	libclang.visitChildren(libclang.getTranslationUnitCursor(parsed), match, &wanted);
	if (libclang.Cursor_isNull(wanted.found) && wanted.n_prefixed == 1)
		wanted.found = wanted.prefixed;
	if (libclang.Cursor_isNull(wanted.found))
		return fail(GPUCRYPT_USAGE, "%s: defines no function %s", analysis->file, analysis->function);
	*entry = wanted.found;
	return GPUCRYPT_OK;
}

/* The text is preprocessed, but libclang obeys a directive that a macro produced, and reads the included file: the
 * limits of this process cover that too. clang 16 and later treats an undeclared function as an error; a later check
 * reports the function by name. */
static int parse_text(struct parsed_source *source, const struct analysis *analysis, parsed_use *use, void *self)
{
	static const char *const arguments[] = { "-x", "cpp-output", "-std=gnu11", "-w",
		"-Wno-error=implicit-function-declaration", "-ferror-limit=1" };
	struct CXUnsavedFile text = { "source.i", source->text, source->n_bytes };
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
		status = find_entry(&source->entry, parsed, analysis);
	if (status == GPUCRYPT_OK)
		status = use(self, source);
	if (parsed)
		libclang.disposeTranslationUnit(parsed);
	libclang.disposeIndex(index);
	return status;
}

int parse_source(const struct analysis *analysis, parsed_use *use, void *self)
{
	struct parsed_source source;
	char *text;
	int status = libclang_load(analysis->file);

	if (status == GPUCRYPT_OK)
		status = preprocess(&text, &source.n_bytes, analysis->file, analysis->options);
	if (status != GPUCRYPT_OK)
		return status;
	source.text = text;
	status = parse_text(&source, analysis, use, self);
	free(text);
	return status;
}

static int lower_source(void *unit, const struct parsed_source *source)
{
	struct lowering lowering = { .unit = unit, .text = source->text, .n_bytes = source->n_bytes };

	return lower_bodies(&lowering, source->entry);
}

int unit_read(struct unit *unit, const struct analysis *analysis)
{
	return parse_source(analysis, lower_source, unit);
}
