/* What memory is for, by type and by name: the rules are in analyze.h. */
#ifndef ROLES_H
#define ROLES_H

#include "ppf/analysis/analyze.h"
#include "ppf/analysis/tree.h"

/* Is this a name of a function that rotates? */
bool role_is_wide(const struct patterns *patterns, const char *name);
bool role_is_permute(const struct patterns *patterns, const char *name);
bool role_is_rotate(const struct patterns *patterns, const char *name);

/* Of a parameter of the function that is analysed. */
enum role role_of_parameter(const struct patterns *patterns, const struct symbol *symbol);

/* Of a pointer that was passed or assigned to a variable; given: what it brings along. */
enum role role_of_pointer(const struct patterns *patterns, const struct symbol *symbol, enum role given);

/* Of a global or local variable that is no pointer. */
enum role role_of_variable(const struct patterns *patterns, const struct symbol *symbol);

/* Of a member that is an array or a pointer; given: that of its structure. */
enum role role_of_member(const struct patterns *patterns, const char *name, const struct type *type, enum role given);

#endif
