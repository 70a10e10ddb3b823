#include "parse.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "lower.h"
#include "preprocess.h"

bool analyze_available(void)
{
	return true;
}

/* The first error, with its place in the source; GPUCRYPT_OK: there is none. */
static int check_parsed(CXTranslationUnit parsed)
{
	for (unsigned i = 0; i < clang_getNumDiagnostics(parsed); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parsed, i);
		CXString text = clang_getDiagnosticSpelling(diagnostic), file;
		int status = GPUCRYPT_OK;
		unsigned line;

		clang_getPresumedLocation(
		        clang_getDiagnosticLocation(diagnostic), &file, &line, NULL);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			status = fail(GPUCRYPT_CORRUPT, "%s:%u: does not parse: %s",
			        clang_getCString(file), line, clang_getCString(text));
		clang_disposeString(file);
		clang_disposeString(text);
		clang_disposeDiagnostic(diagnostic);
		if (status != GPUCRYPT_OK)
			return status;
	}
	return GPUCRYPT_OK;
}

struct wanted {
	const char *name;
	CXCursor found;
};

static enum CXChildVisitResult match(CXCursor cursor, CXCursor parent, CXClientData self)
{
	struct wanted *wanted = self;
	CXString name;

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl ||
	        !clang_isCursorDefinition(cursor))
		return CXChildVisit_Continue;
	name = clang_getCursorSpelling(cursor);
	if (!strcmp(clang_getCString(name), wanted->name))
		wanted->found = cursor;
	clang_disposeString(name);
	return CXChildVisit_Continue;
}

static int lower_entry(
        struct lowering *lowering, CXTranslationUnit parsed, const struct analysis *analysis)
{
	struct wanted wanted = { analysis->function, clang_getNullCursor() };

	clang_visitChildren(clang_getTranslationUnitCursor(parsed), match, &wanted);
	if (clang_Cursor_isNull(wanted.found))
		return fail(GPUCRYPT_USAGE, "%s: defines no function %s", analysis->file,
		        analysis->function);
	return lower_bodies(lowering, wanted.found);
}

/* The text has been preprocessed, and is parsed as such: nothing in it can open a file. */
static int parse_text(struct lowering *lowering, const struct analysis *analysis)
{
	static const char *const arguments[] = { "-x", "cpp-output", "-std=gnu11", "-w",
		"-ferror-limit=1" };
	struct CXUnsavedFile text = { "source.i", lowering->text, lowering->n_bytes };
	CXIndex index = clang_createIndex(0, 0);
	CXTranslationUnit parsed = NULL;
	enum CXErrorCode error = clang_parseTranslationUnit2(index, text.Filename, arguments,
	        sizeof arguments / sizeof *arguments, &text, 1, CXTranslationUnit_None, &parsed);
	int status;

	if (error != CXError_Success || !parsed)
		status = fail(
		        GPUCRYPT_CORRUPT, "%s: does not parse: libclang gives up", analysis->file);
	else
		status = check_parsed(parsed);
	if (status == GPUCRYPT_OK)
		status = lower_entry(lowering, parsed, analysis);
	if (parsed)
		clang_disposeTranslationUnit(parsed);
	clang_disposeIndex(index);
	return status;
}

int unit_read(struct unit *unit, const struct analysis *analysis)
{
	struct lowering lowering = { .unit = unit };
	char *text;
	int status = preprocess(&text, &lowering.n_bytes, analysis->file, analysis->options);

	if (status != GPUCRYPT_OK)
		return status;
	lowering.text = text;
	status = parse_text(&lowering, analysis);
	free(text);
	return status;
}
