/* Arithmetic on integers that are known while a program is compiled. */
#ifndef FOLD_H
#define FOLD_H

#include "ppf/analysis/tree.h"

/* The integer as its type holds it. */
int64_t fold_to_type(int64_t bits, const struct type *type);

/* left operation right, both of type `operand`; false: C does not define it. */
bool fold_binary(int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand);

/* With one operand known, what an operation on data is. */
enum shortcut {
	SHORTCUT_NONE,  /* an operation */
	SHORTCUT_OTHER, /* its other operand */
	SHORTCUT_ZERO
};

enum shortcut fold_shortcut(enum operation operation, int64_t known, bool known_is_left, const struct type *type);

#endif
