/* The parts of the translation.  All run in a child process that ends with _exit(). */
#ifndef TRANSLATE_PARTS_H
#define TRANSLATE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "ppf/analysis/lower.h"
#include "ppf/run/translate.h"

#define MAX_OBJECTS   64
#define MAX_PLACES    256 /* pointers of a function, functions, edits and types have limits, all far above any cipher */
#define MAX_ARGUMENTS 16
#define MAX_EDITS     4096

/* What a pointer points to. */
enum space { SPACE_OPEN, SPACE_PRIVATE, SPACE_TABLE, SPACE_KEY };

/* A table or key array: a parameter of the entry, or a variable with static storage. */
struct object {
	CXCursor declaration;
	enum object_kind kind;
	uint32_t offset, n_bytes;
	bool is_parameter;
	bool is_inner; /* static, within a function: the host has a copy named ppf_static_N */
};

/* A function for one combination of address spaces. */
struct instance {
	CXCursor definition;
	enum space arguments[MAX_ARGUMENTS], result;
	unsigned number;
	bool active; /* its body is being read */
};

struct edit {
	unsigned start, end; /* offsets in the source; equal: an insertion */
	char *text;
};

/* A function while its body is read. */
struct body {
	struct instance *instance;
	struct {
		CXCursor declaration;
		enum space space;
	} pointers[MAX_PLACES];
	struct edit edits[MAX_EDITS];
	unsigned n_pointers, n_edits;
};

struct extent {
	unsigned start, end;
	CXCursor cursor;
	bool emitted;
};

/* A text that grows in memory. */
struct memory_text {
	FILE *file;
	char *bytes; /* owned; right after fflush() */
	size_t n_bytes;
};

/* A parameter of the entry that points to plaintext, ciphertext or state. */
struct port {
	bool reads, writes;
	uint32_t in_offset, out_offset; /* in the block */
	uint32_t n_bytes;
	unsigned number; /* of the parameter */
	CXCursor parameter;
};

struct translator {
	const struct translation_request *request;
	const struct parsed_source *source;
	struct memory_text types, functions; /* emitted so far */
	struct extent *tops;                 /* declarations at file scope, in order */
	unsigned n_tops;
	struct object objects[MAX_OBJECTS];
	struct instance instances[MAX_PLACES];
	struct port ports[MAX_ARGUMENTS];
	unsigned n_objects, n_instances, n_ports;
	uint32_t n_bytes[N_OBJECT_KINDS], random_bytes;
	int status; /* the first failure; nothing is translated after it */
};

/* FILE:LINE: OpenCL C 1.2 cannot express it, or so. */
void translate_fail(struct translator *t, CXCursor cursor, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* All children, to be freed. */
struct cursors translate_children(struct translator *t, CXCursor cursor);

bool cursor_is(CXCursor cursor, enum CXCursorKind kind);

/* The name of a declaration, cut to this length. */
struct name {
	char text[128];
};
struct name cursor_name(CXCursor cursor);

/* types: emit the declaration at file scope that holds this one, after those that it needs. */
void type_need(struct translator *t, CXCursor declaration);
void type_need_all(struct translator *t, CXCursor cursor); /* all that are named in it */

/* A declaration of `declarator` with this type; the space is that of the memory at the end of all pointers. */
void type_print(struct translator *t, FILE *out, CXType type, enum space space, const char *declarator);

bool type_is_pointer(CXType type); /* or an array */
bool type_is_array(CXType type);

/* Source text from start to end with edits, token by token. */
void text_emit(struct translator *t, FILE *out, unsigned start, unsigned end, const struct body *body, CXCursor at);

/* objects: the table or key that a variable is; NULL with a failure: it is neither. */
struct object *object_of_variable(struct translator *t, CXCursor declaration);
void objects_add_parameters(struct translator *t);
static inline enum space object_space(const struct object *object)
{
	return object->kind == OBJECT_TABLE ? SPACE_TABLE : SPACE_KEY;
}

/* Read a function for these spaces, and emit it after those that it calls.  NULL: failure. */
struct instance *instance_get(struct translator *t, CXCursor call, CXCursor definition, const enum space *arguments);

/* pointers: where a pointer's value points, and where an object lies. */
enum space space_of_pointer(struct translator *t, struct body *body, CXCursor expression);
enum space space_of_object(struct translator *t, struct body *body, CXCursor expression);
enum space *space_find(struct translator *t, struct body *body, CXCursor declaration); /* NULL: no pointer */
void space_set(struct translator *t, struct body *body, CXCursor at, CXCursor declaration, enum space space);
struct instance *space_call(struct translator *t, struct body *body, CXCursor call);

void edit_add(struct translator *t, struct body *body, CXCursor at, unsigned start, unsigned end, const char *format,
        ...) __attribute__((format(printf, 6, 7)));

/* Read a body's statements: find the spaces of pointers, and note the edits. */
void body_read(struct translator *t, struct body *body, CXCursor statements);

/* Do these variables have static storage?  Such a declaration is not emitted. */
bool is_static_statement(const struct cursors *variables);

/* ports: find the entry's; a failure unless they have the request's block. */
void ports_find(struct translator *t);
const struct port *port_of_parameter(const struct translator *t, unsigned number); /* NULL: it is none */

/* The type of the words that a port's parameter points to: uchar, ushort, uint or ulong, by their bytes. */
unsigned port_word_bytes(const struct port *port);

/* The parameter with another name, as a function declares it. */
void parameter_print(struct translator *t, FILE *out, CXCursor parameter, enum space space, const char *name);

/* The texts. */
bool memory_text_open(struct memory_text *text);
void memory_text_close(struct memory_text *text);
void kernel_emit(struct translator *t, FILE *out);
void host_emit(struct translator *t, FILE *out);

/* The role that the analysis gave a parameter or variable, "" if none; *n_bytes: as far as it is used. */
const char *role_of(const struct translation_request *request, const char *name, unsigned *n_bytes);

/* --set NAME=VALUE.  false: not set. */
bool setting_of(const struct translation_request *request, const char *name, long long *value);

#endif
