/* Roles of memory by type and by name; analyze.h has the rules. */
#ifndef ROLES_H
#define ROLES_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

/* Is this a name of a function that rotates? */
bool role_is_wide(const struct patterns *patterns, const char *name);
bool role_is_permute(const struct patterns *patterns, const char *name);
bool role_is_rotate(const struct patterns *patterns, const char *name);

/* Role of a parameter of the analysed function. */
enum role role_of_parameter(const struct patterns *patterns, const struct symbol *symbol);

/*
 * Give a role to each parameter of the function that has none by name, by its recorded uses: only written, ciphertext;
 * read and written, plaintext that is encrypted in place; only read, the plaintext if no other parameter is, else key.
 * GPUCRYPT_UNKNOWN where several parameters may be the plaintext.
 */
int roles_find(struct function *function, const struct node *at, const struct patterns *patterns);

/* Role of a pointer that was passed or assigned to a variable; given: the role of the value. */
enum role role_of_pointer(const struct patterns *patterns, const struct symbol *symbol, enum role given);

/* Role of a global or local variable that is not a pointer. */
enum role role_of_variable(const struct patterns *patterns, const struct symbol *symbol);

/* Role of a member that is an array or a pointer; given: the role of its structure. */
enum role role_of_member(const struct patterns *patterns, const char *name, const struct type *type, enum role given);

#endif
