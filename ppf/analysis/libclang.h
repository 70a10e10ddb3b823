/*
 * libclang's functions, loaded when the first file is analysed, and only in the process that analyses:
 * OpenCL drivers bring an LLVM of their own, and two of them in one process break each other.
 */
#ifndef LIBCLANG_H
#define LIBCLANG_H

#include <clang-c/Index.h>

#include "ppf/shared_library.h"

#define LIBCLANG_FUNCTIONS(X)                   \
	X(clang_, Cursor_Evaluate)              \
	X(clang_, Cursor_getArgument)           \
	X(clang_, Cursor_getNumArguments)       \
	X(clang_, Cursor_getOffsetOfField)      \
	X(clang_, Cursor_getStorageClass)       \
	X(clang_, Cursor_getVarDeclInitializer) \
	X(clang_, Cursor_isBitField)            \
	X(clang_, Cursor_isNull)                \
	X(clang_, EvalResult_dispose)           \
	X(clang_, EvalResult_getAsLongLong)     \
	X(clang_, EvalResult_getAsUnsigned)     \
	X(clang_, EvalResult_getKind)           \
	X(clang_, EvalResult_isUnsignedInt)     \
	X(clang_, Type_getOffsetOf)             \
	X(clang_, Type_getSizeOf)               \
	X(clang_, Type_visitFields)             \
	X(clang_, createIndex)                  \
	X(clang_, disposeDiagnostic)            \
	X(clang_, disposeIndex)                 \
	X(clang_, disposeString)                \
	X(clang_, disposeTranslationUnit)       \
	X(clang_, equalCursors)                 \
	X(clang_, getArrayElementType)          \
	X(clang_, getCString)                   \
	X(clang_, getCanonicalType)             \
	X(clang_, getCursorDefinition)          \
	X(clang_, getCursorExtent)              \
	X(clang_, getCursorKind)                \
	X(clang_, getCursorLocation)            \
	X(clang_, getCursorReferenced)          \
	X(clang_, getCursorResultType)          \
	X(clang_, getCursorSemanticParent)      \
	X(clang_, getCursorSpelling)            \
	X(clang_, getCursorType)                \
	X(clang_, getDiagnostic)                \
	X(clang_, getDiagnosticLocation)        \
	X(clang_, getDiagnosticSeverity)        \
	X(clang_, getDiagnosticSpelling)        \
	X(clang_, getEnumConstantDeclValue)     \
	X(clang_, getEnumDeclIntegerType)       \
	X(clang_, getFileLocation)              \
	X(clang_, getNullCursor)                \
	X(clang_, getNumDiagnostics)            \
	X(clang_, getPointeeType)               \
	X(clang_, getPresumedLocation)          \
	X(clang_, getRangeEnd)                  \
	X(clang_, getRangeStart)                \
	X(clang_, getTranslationUnitCursor)     \
	X(clang_, getTypeDeclaration)           \
	X(clang_, getTypedefDeclUnderlyingType) \
	X(clang_, hashCursor)                   \
	X(clang_, isConstQualifiedType)         \
	X(clang_, isCursorDefinition)           \
	X(clang_, isDeclaration)                \
	X(clang_, isExpression)                 \
	X(clang_, isStatement)                  \
	X(clang_, parseTranslationUnit2)        \
	X(clang_, visitChildren)

struct libclang {
	LIBCLANG_FUNCTIONS(SHARED_LIBRARY_MEMBER)
};

extern struct libclang libclang;

/* Load libclang before any other call.  GPUCRYPT_UNKNOWN. */
int libclang_load(const char *needed_by);

#endif
