/* The parts of the translation.  All run in a child process, which any failure ends (fail_at()). */
#ifndef PPF_RUN_INTERNAL_H
#define PPF_RUN_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "ppf/analysis/tree.h"
#include "ppf/run/translate.h"

#define MAX_OBJECTS   80
#define MAX_INSTANCES 256
#define MAX_ARGUMENTS 16

/* What a pointer points to.  SPACE_OPEN: nothing was assigned to it yet but 0. */
enum space { SPACE_OPEN, SPACE_PRIVATE, SPACE_TABLE, SPACE_KEY };

/* Memory that a parameter of the entry points to, or a variable with static storage, which is a table or key.  A part
 * of the block is plaintext, ciphertext, state, or a buffer, which only the function uses. */
struct object {
	const struct symbol *symbol;
	enum object_kind kind;
	bool reads, writes;       /* of OBJECT_BLOCK: the input, the output */
	uint32_t offset[2];       /* in the area of its kind; of OBJECT_BLOCK: in the input and the output block */
	uint32_t n_bytes, before; /* before: of them, those in front of the place that the parameter points to */
};

/* A function for one combination of address spaces. */
struct instance {
	const struct function *function;
	enum space arguments[MAX_ARGUMENTS], result;
	bool active; /* it is being read */
};

/* A text that grows in memory, until memory_text_end() closes it. */
struct memory_text {
	FILE *file;
	char *bytes;
	size_t n_bytes;
};

struct translator {
	const struct translation_request *request;
	struct unit unit;
	struct object objects[MAX_OBJECTS];
	unsigned n_objects;
	uint32_t block_bytes[2]; /* of input and output */
	uint32_t n_bytes[N_OBJECT_KINDS], random_bytes, key_at;

	char *files; /* member of the result (translate.h) */

	/* The program that is printed now. */
	bool is_kernel;                             /* else it is the host's, where all memory has one address space */
	struct memory_text declarations, functions; /* so far */
	bool in_record;                             /* the members of a structure are being printed */
	bool *records, *variables;                  /* by number: it is declared */
	struct instance instances[MAX_INSTANCES];
	unsigned n_instances;
};

/* A function while it is read and printed; or an initial value at file scope, without instance and spaces. */
struct body {
	struct translator *translator;
	struct instance *instance;
	enum space *spaces;           /* by the number of a variable that is a pointer or an array of pointers */
	const struct node *addressed; /* the operand of the last & */
	FILE *out;
};

/* A place of the source as a number: the line in the lower 32 bits, the offset of the file's name in t->files above. */
uint64_t place_number(struct translator *t, const struct node *node);

void memory_text_open(struct memory_text *text);
const char *memory_text_end(struct memory_text *text);

/* A declaration of `declarator` with this type; the space is that of the memory at the end of all pointers. */
void type_print(struct translator *t, FILE *out, const struct type *type, enum space space, const char *declarator);

/* The same for a parameter: an array is a pointer to its first element. */
void parameter_print(
        struct translator *t, FILE *out, const struct type *type, enum space space, const char *declarator);

/* Are both the same to the compiler? */
bool type_equals(const struct type *a, const struct type *b);

/* .m1.m0: where the member lies in a structure or in structures without a name within it; false: nowhere. */
bool member_path(char *path, size_t n, const struct record *record, const char *name);

/* Statements and expressions; an initial value is in braces if it is one of an array or structure. */
void statement_print(struct body *body, const struct node *node);
void expression_print(struct body *body, const struct node *node);
void initial_print(struct body *body, const struct node *node);

/* Of one kind each. */
void constant_print(struct body *body, const struct node *node);
void text_print(struct body *body, const struct node *node);
void name_print(struct body *body, const struct node *node);
void call_print(struct body *body, const struct node *call);
void object_print(struct body *body, const struct node *node);

/* (type) */
void cast_print(struct body *body, const struct type *type, enum space space);

/* A variable's declaration, without a semicolon. */
void variable_print(struct body *body, const struct symbol *symbol, enum space space);

/* The host's: declare a variable with static storage, once. */
void variable_need(struct translator *t, const struct symbol *symbol);

/* A constant of which the value is printed instead of the name. */
bool variable_is_literal(const struct symbol *symbol);

/* The next object of this kind behind another one, or the first one; NULL: there is none. */
const struct object *object_next(const struct translator *t, const struct object *object, enum object_kind kind);

/* The bytes of the integers that a parameter points to. */
unsigned object_word_bytes(const struct object *object);

/* The table or key that a variable with static storage is. */
struct object *object_of_variable(struct translator *t, const struct symbol *symbol);
struct object *object_find(struct translator *t, const struct symbol *symbol); /* NULL: it is none so far */
void objects_add_parameters(struct translator *t);                             /* which must have the request's block */
static inline bool object_is_parameter(const struct object *object)
{
	return object->symbol->storage == STORAGE_PARAMETER;
}
/* The type of a pointer to the memory of a parameter, which may be a structure itself. */
static inline struct type object_pointer(const struct symbol *parameter)
{
	const struct type *type = &parameter->type;

	return type->kind != TYPE_RECORD
	               ? *type
	               : (struct type){ .kind = TYPE_POINTER, .target = type, .target_bytes = type->bytes, .bytes = 8 };
}
static inline enum space object_space(const struct object *object)
{
	return object->kind == OBJECT_TABLE ? SPACE_TABLE : object->kind == OBJECT_KEY ? SPACE_KEY : SPACE_PRIVATE;
}

static inline bool node_is_parameter(const struct node *node)
{
	return node->kind == NODE_NAME && node->symbol->storage == STORAGE_PARAMETER;
}

/* Where a pointer's value points, and where an object lies. */
enum space space_of_pointer(struct body *body, const struct node *node);
enum space space_of_object(struct body *body, const struct node *node);

/* Print an argument of the call of the entry. */
void argument_print(struct translator *t, FILE *out, unsigned number);

/* Find the spaces of a body's pointers, and print the functions that it calls. */
void spaces_find(struct body *body, const struct node *node);

/* The instance that a call calls. */
struct instance *instance_of_call(struct body *body, const struct node *call);

/* A function for these spaces, printed behind those that it calls. */
struct instance *instance_get(
        struct translator *t, const struct node *at, const struct function *function, const enum space *arguments);
unsigned instance_number(const struct translator *t, const struct instance *instance);

/* Replacements for functions of compilers and of the C library, for the texts of host and kernel. */
#define BUILTINS                                                                                       \
	"#define ppf_htonl ppf_bswap32\n#define ppf_ntohl ppf_bswap32\n"                               \
	"#define PPF_ROTATE(B, U) \\\n"                                                                \
	"static U ppf_rotateleft##B(U x, U n) { n %= B; return (U)(x << n | x >> (B - n) % B); } \\\n" \
	"static U ppf_rotateright##B(U x, U n) { n %= B; return (U)(x >> n | x << (B - n) % B); }\n"   \
	"PPF_ROTATE(8, u8) PPF_ROTATE(16, u16) PPF_ROTATE(32, u32) PPF_ROTATE(64, u64)\n"

/* The texts. */
void kernel_print(struct translator *t, FILE *out);
void host_print(struct translator *t, FILE *out);

#endif
