/* Arithmetic on integers that are known while a program is compiled. */
#include "ppf/analysis/count.h"

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

static int compare(int64_t left, int64_t right, const struct type *operand)
{
	if (operand->is_signed)
		return (left > right) - (left < right);
	return ((uint64_t)left > (uint64_t)right) - ((uint64_t)left < (uint64_t)right);
}

/* Does C define the result?  Operations that C does not define are not folded. */
static bool is_defined(enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	if (operation == OP_DIV || operation == OP_REM)
		return right != 0 && !(operand->is_signed && left == INT64_MIN && right == -1);
	if (operation == OP_SHL || operation == OP_SHR)
		return right >= 0 && (uint64_t)right < 8 * operand->bytes;
	return operation >= OP_ADD && operation <= OP_NE;
}

static int64_t fold_defined(enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	uint64_t a = (uint64_t)left, b = (uint64_t)right;
	int order = compare(left, right, operand);

	switch ((int)operation) {
	case OP_ADD:
		return (int64_t)(a + b);
	case OP_SUB:
		return (int64_t)(a - b);
	case OP_MUL:
		return (int64_t)(a * b);
	case OP_DIV:
		return operand->is_signed ? left / right : (int64_t)(a / b);
	case OP_REM:
		return operand->is_signed ? left % right : (int64_t)(a % b);
	case OP_AND:
		return left & right;
	case OP_OR:
		return left | right;
	case OP_XOR:
		return left ^ right;
	case OP_SHL:
		return (int64_t)(a << right);
	case OP_SHR:
		return operand->is_signed ? left >> right : (int64_t)(a >> right);
	case OP_LT:
		return order < 0;
	case OP_GT:
		return order > 0;
	case OP_LE:
		return order <= 0;
	case OP_GE:
		return order >= 0;
	case OP_EQ:
		return order == 0;
	default: /* OP_NE */
		return order != 0;
	}
}

bool fold_binary(int64_t *result, enum operation operation, int64_t left, int64_t right, const struct type *operand)
{
	bool defined = is_defined(operation, left, right, operand);

	if (defined)
		*result = fold_defined(operation, left, right, operand);
	return defined;
}

bool fold_is_zero(enum operation operation, int64_t known, bool is_left)
{
	return known == 0 && (operation == OP_MUL || operation == OP_AND ||
	                             (is_left && (operation == OP_SHL || operation == OP_SHR)));
}

bool fold_is_other(enum operation operation, int64_t known, bool is_left, const struct type *type)
{
	switch ((int)operation) {
	case OP_ADD:
	case OP_OR:
	case OP_XOR:
		return known == 0;
	case OP_SUB:
	case OP_SHL:
	case OP_SHR:
		return known == 0 && !is_left;
	case OP_MUL:
	case OP_DIV:
		return known == 1 && (operation == OP_MUL || !is_left);
	case OP_AND:
		return (~known & (int64_t)values_mask(type->bytes)) == 0;
	default:
		return false;
	}
}
