#include "ppf/analysis/fold.h"

int64_t fold_to_type(int64_t bits, const struct type *type)
{
	unsigned unused = type->bytes < 8 ? 64 - 8 * (unsigned)type->bytes : 0;

	if (type->is_bool)
		return bits != 0;
	if (type->kind != TYPE_INTEGER || unused == 0 || unused >= 64)
		return bits;
	if (type->is_signed)
		return (int64_t)((uint64_t)bits << unused) >> unused;
	return (int64_t)((uint64_t)bits << unused >> unused);
}

static bool fold_division(
        int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	if (right == 0 || (operand->is_signed && left == INT64_MIN && right == -1))
		return false;
	if (operand->is_signed)
		*result = operation == OP_DIV ? left / right : left % right;
	else
		*result = (int64_t)(operation == OP_DIV ? (uint64_t)left / (uint64_t)right
		                                        : (uint64_t)left % (uint64_t)right);
	return true;
}

static bool fold_shift(
        int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	if (right < 0 || (uint64_t)right >= 8 * operand->bytes)
		return false;
	if (operation == OP_SHL)
		*result = (int64_t)((uint64_t)left << right);
	else
		*result = operand->is_signed ? left >> right : (int64_t)((uint64_t)left >> right);
	return true;
}

static int compare(int64_t left, int64_t right, const struct type *operand)
{
	if (operand->is_signed)
		return (left > right) - (left < right);
	return ((uint64_t)left > (uint64_t)right) - ((uint64_t)left < (uint64_t)right);
}

bool fold_binary(int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	uint64_t a = (uint64_t)left, b = (uint64_t)right;
	int order = compare(left, right, operand);

	switch (operation) {
	case OP_ADD:
		*result = (int64_t)(a + b);
		return true;
	case OP_SUB:
		*result = (int64_t)(a - b);
		return true;
	case OP_MUL:
		*result = (int64_t)(a * b);
		return true;
	case OP_AND:
		*result = left & right;
		return true;
	case OP_OR:
		*result = left | right;
		return true;
	case OP_XOR:
		*result = left ^ right;
		return true;
	case OP_LT:
		*result = order < 0;
		return true;
	case OP_GT:
		*result = order > 0;
		return true;
	case OP_LE:
		*result = order <= 0;
		return true;
	case OP_GE:
		*result = order >= 0;
		return true;
	case OP_EQ:
		*result = order == 0;
		return true;
	case OP_NE:
		*result = order != 0;
		return true;
	case OP_DIV:
	case OP_REM:
		return fold_division(result, operation, left, right, operand);
	case OP_SHL:
	case OP_SHR:
		return fold_shift(result, operation, left, right, operand);
	default:
		return false;
	}
}

/* x op 0 */
static enum shortcut zero(enum operation operation, bool is_left)
{
	switch (operation) {
	case OP_ADD:
	case OP_OR:
	case OP_XOR:
		return SHORTCUT_OTHER;
	case OP_SUB:
		return is_left ? SHORTCUT_NONE : SHORTCUT_OTHER;
	case OP_SHL:
	case OP_SHR:
		return is_left ? SHORTCUT_ZERO : SHORTCUT_OTHER;
	case OP_MUL:
	case OP_AND:
		return SHORTCUT_ZERO;
	default:
		return SHORTCUT_NONE;
	}
}

enum shortcut fold_shortcut(enum operation operation, int64_t known, bool known_is_left, const struct type *type)
{
	struct type plain = *type;

	plain.is_signed = false;
	if (known == 0)
		return zero(operation, known_is_left);
	if (known == 1 && (operation == OP_MUL || (operation == OP_DIV && !known_is_left)))
		return SHORTCUT_OTHER;
	if (operation == OP_AND && fold_to_type(known, &plain) == fold_to_type(-1, &plain))
		return SHORTCUT_OTHER;
	return SHORTCUT_NONE;
}
