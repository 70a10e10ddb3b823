/*
 * libclang's functions, loaded when the first file is analysed, and only in the process that analyses:
 * OpenCL drivers bring an LLVM of their own, and two of them in one process break each other.
 */
#ifndef LIBCLANG_H
#define LIBCLANG_H

#include <clang-c/Index.h>

/* Without the prefix clang_. */
#define LIBCLANG_FUNCTIONS(X)           \
	X(Cursor_Evaluate)              \
	X(Cursor_getArgument)           \
	X(Cursor_getNumArguments)       \
	X(Cursor_getOffsetOfField)      \
	X(Cursor_getStorageClass)       \
	X(Cursor_getVarDeclInitializer) \
	X(Cursor_isBitField)            \
	X(Cursor_isNull)                \
	X(EvalResult_dispose)           \
	X(EvalResult_getAsLongLong)     \
	X(EvalResult_getAsUnsigned)     \
	X(EvalResult_getKind)           \
	X(EvalResult_isUnsignedInt)     \
	X(Type_getOffsetOf)             \
	X(Type_getSizeOf)               \
	X(Type_visitFields)             \
	X(createIndex)                  \
	X(disposeDiagnostic)            \
	X(disposeIndex)                 \
	X(disposeString)                \
	X(disposeTranslationUnit)       \
	X(equalCursors)                 \
	X(getArrayElementType)          \
	X(getArraySize)                 \
	X(getCString)                   \
	X(getCanonicalType)             \
	X(getCursorDefinition)          \
	X(getCursorExtent)              \
	X(getCursorKind)                \
	X(getCursorKindSpelling)        \
	X(getCursorLocation)            \
	X(getCursorReferenced)          \
	X(getCursorResultType)          \
	X(getCursorSemanticParent)      \
	X(getCursorSpelling)            \
	X(getCursorType)                \
	X(getDiagnostic)                \
	X(getDiagnosticLocation)        \
	X(getDiagnosticSeverity)        \
	X(getDiagnosticSpelling)        \
	X(getEnumConstantDeclValue)     \
	X(getEnumDeclIntegerType)       \
	X(getFileLocation)              \
	X(getNullCursor)                \
	X(getNumDiagnostics)            \
	X(getPointeeType)               \
	X(getPresumedLocation)          \
	X(getRangeEnd)                  \
	X(getRangeStart)                \
	X(getTranslationUnitCursor)     \
	X(getTypeDeclaration)           \
	X(getTypeSpelling)              \
	X(getTypedefDeclUnderlyingType) \
	X(hashCursor)                   \
	X(isConstQualifiedType)         \
	X(isCursorDefinition)           \
	X(isDeclaration)                \
	X(isExpression)                 \
	X(isStatement)                  \
	X(parseTranslationUnit2)        \
	X(visitChildren)

#define LIBCLANG_MEMBER(name) __typeof__(clang_##name) *name;
struct libclang {
	LIBCLANG_FUNCTIONS(LIBCLANG_MEMBER)
};
#undef LIBCLANG_MEMBER

extern struct libclang libclang;

/* GPUCRYPT_OTHER: the library is not there, or lacks a function. */
int libclang_load(void);

#endif
