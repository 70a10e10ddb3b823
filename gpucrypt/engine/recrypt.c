#include "gpucrypt/engine/engine.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"

/* The CPU does both, where a device has room for one engine only.  The plan's table form is of the
 * new suite's cipher, which the old one's may lack; the CPU engine chooses its own. */
static int replace_by_cpu(struct engine **before, const struct gpucrypt_plan *plan)
{
	struct gpucrypt_plan without_table = *plan;
	struct engine *cpu;
	char why[200];
	int status;

	without_table.kernel.table = TABLE_OPEN;
	snprintf(why, sizeof(why), "%s", gpucrypt_error());
	fail_clear();
	status = engine_open_cpu(&cpu, &(*before)->suite, &without_table, why);
	if (status != GPUCRYPT_OK)
		return status;
	engine_close(*before);
	*before = cpu;
	return GPUCRYPT_OK;
}

int engine_open_after(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine **before)
{
	struct engine *opened = NULL;
	int status = engine_open_tested(&opened, (*before)->class, suite, plan, *before);
	char own[sizeof(opened->note)];

	*engine = NULL;
	if (status == GPUCRYPT_DEVICE && (*before)->class != &engine_cpu && plan_gives_way(plan)) {
		status = replace_by_cpu(before, plan);
		if (status == GPUCRYPT_OK)
			status = engine_open_tested(&opened, &engine_cpu, suite, plan, *before);
	}
	if (status != GPUCRYPT_OK)
		return status;
	snprintf(own, sizeof(own), "%s", opened->note);
	snprintf(opened->note, sizeof(opened->note), "%.250s%s%.250s", (*before)->note,
	        (*before)->note[0] != '\0' && own[0] != '\0' ? "; " : "", own);
	*engine = opened;
	return GPUCRYPT_OK;
}

struct gpucrypt_plan plan_before(const struct gpucrypt_plan *decrypt, const struct gpucrypt_plan *encrypt)
{
	struct gpucrypt_plan plan = *decrypt;

	plan.engine = encrypt->engine;
	plan.device = encrypt->device;
	plan.or_cpu = encrypt->or_cpu;
	plan.threads = encrypt->threads;
	plan.n_parts = 0;
	return plan;
}

static int recrypt_piece(struct engine *engine, unsigned lane, struct recryption *recryption)
{
	const struct work *decrypt = &recryption->decrypt, *encrypt = &recryption->encrypt;
	size_t plain = recryption->plain_bytes;
	int status = engine_crypt(engine->before, lane, decrypt);

	if (status != GPUCRYPT_OK)
		return status;
	if (decrypt->n_bytes > plain)
		memcpy(recryption->filler, decrypt->out + plain, decrypt->n_bytes - plain);
	if (encrypt->n_bytes > plain)
		memset(encrypt->out + plain, 0, encrypt->n_bytes - plain);
	return engine_crypt(engine, lane, encrypt);
}

struct recryption recryption_piece(const struct recryption *whole, size_t start, size_t n)
{
	size_t plain = whole->plain_bytes > start ? whole->plain_bytes - start : 0;

	return (struct recryption){ .decrypt = work_slice(&whole->decrypt, start, n),
		.encrypt = work_slice(&whole->encrypt, start, n),
		.plain_bytes = plain < n ? plain : n,
		.alone = whole->alone };
}

/* A piece of so many bytes is in the processor's cache from its first step to its last. */
#define PIECE_LOG2 17

/* One after the other, by chunks. */
static int recrypt_by_pieces(struct engine *engine, unsigned lane, struct recryption *whole)
{
	unsigned chunk_log2 = whole->encrypt.tag_r != NULL ? whole->encrypt.chunk_log2 : whole->decrypt.chunk_log2;
	size_t n = (size_t)1 << (chunk_log2 != 0 ? chunk_log2 : PIECE_LOG2);
	int status = GPUCRYPT_OK;

	for (size_t start = 0; start < whole->plain_bytes && status == GPUCRYPT_OK; start += n) {
		struct recryption piece = recryption_piece(whole, start, n);

		status = recrypt_piece(engine, lane, &piece);
		memcpy(whole->filler, piece.filler, sizeof(whole->filler));
	}
	return status;
}

int engine_recrypt(struct engine *engine, unsigned lane, struct recryption *recryption)
{
	if (recryption->alone)
		return engine_crypt(engine, lane, &recryption->encrypt);
	if (recryption->plain_bytes == 0)
		return GPUCRYPT_OK;
	return (engine->class->recrypt != NULL ? engine->class->recrypt : recrypt_by_pieces)(engine, lane, recryption);
}
