#include "research/rsa.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define MAX_WORDS (MAX_RSA_BITS / 32)

/* Whole work-groups: the kernel also processes the padding after the numbers. */
static size_t padded(const struct rsa *rsa)
{
	size_t items = rsa->shape.work_items;

	return (rsa->n + items - 1) / items * items;
}

static size_t numbers_bytes(const struct rsa *rsa)
{
	return padded(rsa) * rsa->words * 4;
}

/* -x^-1 mod 2^32 for an odd x: each of Newton's steps doubles the number of correct bits. */
static uint32_t negative_inverse(uint32_t x)
{
	uint32_t inverse = x;

	for (int i = 0; i < 4; i++)
		inverse *= 2 - x * inverse;
	return 0 - inverse;
}

static void words_of_bytes(uint32_t *words, const uint8_t *bytes, unsigned n_words)
{
	for (unsigned i = 0; i < n_words; i++)
		words[i] = load_be32(bytes + 4 * (size_t)(n_words - 1 - i));
}

/* 2^(64·words) mod the modulus */
static int find_square(uint32_t *square, const struct rsa_key *key)
{
	uint8_t bytes[MAX_RSA_BYTES];
	int n_bytes = (int)key->bits / 8;
	BN_CTX *memory = BN_CTX_new();
	BIGNUM *modulus = BN_bin2bn(key->modulus, n_bytes, NULL), *x = BN_new();
	bool good = memory != NULL && modulus != NULL && x != NULL && BN_set_bit(x, 2 * (int)key->bits) == 1 &&
	            BN_mod(x, x, modulus, memory) == 1 && BN_bn2binpad(x, bytes, n_bytes) == n_bytes;

	if (good)
		words_of_bytes(square, bytes, key->bits / 32);
	BN_free(x);
	BN_free(modulus);
	BN_CTX_free(memory);
	return good ? GPUCRYPT_OK : libcrypto_failed("RSA");
}

/* The modulus behind the buffers is struct rsa_modulus of the kernel: the words, the lowest first, and the inverse. */
static int set_arguments(struct rsa *rsa, const struct rsa_key *key)
{
	uint32_t modulus[MAX_WORDS + 1];
	const cl_ulong exponent = key->exponent;
	cl_int error;

	words_of_bytes(modulus, key->modulus, rsa->words);
	modulus[rsa->words] = negative_inverse(modulus[0]);
	rsa->kernel = clCreateKernel(rsa->bench->program, "rsa", &error);
	for (cl_uint i = 0; i < N_RSA_BUFFERS && error == CL_SUCCESS; i++)
		error = clSetKernelArg(rsa->kernel, i, sizeof(cl_mem), &rsa->buffers[i]);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_RSA_BUFFERS, sizeof exponent, &exponent);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_RSA_BUFFERS + 1, 4 * (size_t)(rsa->words + 1), modulus);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(rsa->bench, "no kernel", error);
}

int rsa_open(struct rsa *rsa, struct bench *bench, const struct rsa_key *key, const struct rsa_shape *shape, size_t n)
{
	uint32_t square[MAX_WORDS] = { 0 };
	char options[128];
	int status;

	*rsa = (struct rsa){ .bench = bench, .shape = *shape, .words = key->bits / 32, .n = n };
	status = find_square(square, key);
	if (status != GPUCRYPT_OK)
		return status;
	rsa->staged = malloc(numbers_bytes(rsa));
	if (rsa->staged == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	snprintf(options, sizeof options, "-DWORDS=%u -DWORK_ITEMS=%u%s%s%s%s", rsa->words, shape->work_items,
	        shape->coalesced ? " -DCOALESCED" : "", shape->chains ? " -DCHAINS" : "", shape->ptx ? " -DPTX" : "",
	        bench->device->cpu ? "" : " -DUNROLL");
	status = bench_build(bench, "word.cl carry.cl rsa.cl", NULL, options);
	for (unsigned i = 0; i < RSA_SQUARE && status == GPUCRYPT_OK; i++)
		status = bench_buffer(bench, &rsa->buffers[i], numbers_bytes(rsa), NULL);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &rsa->buffers[RSA_SQUARE], 4 * (size_t)rsa->words, square);
	return status == GPUCRYPT_OK ? set_arguments(rsa, key) : status;
}

void rsa_close(struct rsa *rsa)
{
	for (unsigned i = 0; i < N_RSA_BUFFERS; i++)
		bench_release(rsa->buffers[i]);
	if (rsa->kernel != NULL)
		clReleaseKernel(rsa->kernel);
	free(rsa->staged);
	*rsa = (struct rsa){ .bench = NULL };
}

/* The address of word j of a number in the kernel's order; word 0 is the lowest. */
static uint32_t *staged_word(const struct rsa *rsa, size_t number, unsigned j)
{
	size_t items = rsa->shape.work_items;

	return rsa->staged + (rsa->shape.coalesced ? (number / items * rsa->words + j) * items + number % items
	                                           : number * rsa->words + j);
}

int rsa_load(struct rsa *rsa, const uint8_t *numbers, size_t n)
{
	size_t n_bytes = numbers_bytes(rsa);
	cl_int error;

	memset(rsa->staged, 0, n_bytes);
	for (size_t i = 0; i < rsa->n; i++)
		for (unsigned j = 0; j < rsa->words; j++)
			*staged_word(rsa, i, j) = load_be32(numbers + 4 * ((i % n + 1) * rsa->words - j - 1));
	error = clEnqueueWriteBuffer(
	        rsa->bench->queue, rsa->buffers[RSA_IN], CL_TRUE, 0, n_bytes, rsa->staged, 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(rsa->bench, "no transfer", error);
}

int rsa_run(struct rsa *rsa, double *seconds)
{
	return bench_run(rsa->bench, rsa->kernel, padded(rsa), rsa->shape.work_items, seconds);
}

int rsa_check(struct rsa *rsa, const uint8_t *results, size_t n)
{
	cl_int error = clEnqueueReadBuffer(
	        rsa->bench->queue, rsa->buffers[RSA_OUT], CL_TRUE, 0, numbers_bytes(rsa), rsa->staged, 0, NULL, NULL);

	if (error != CL_SUCCESS)
		return bench_failed(rsa->bench, "no transfer", error);
	for (size_t i = 0; i < rsa->n; i++)
		for (unsigned j = 0; j < rsa->words; j++)
			if (*staged_word(rsa, i, j) != load_be32(results + 4 * ((i % n + 1) * rsa->words - j - 1)))
				return fail(GPUCRYPT_CORRUPT, "the results differ from libcrypto's");
	return GPUCRYPT_OK;
}

int rsa_power(const struct rsa_key *key, uint8_t *numbers, size_t n)
{
	int n_bytes = (int)key->bits / 8;
	BN_CTX *memory = BN_CTX_new();
	BN_MONT_CTX *montgomery = BN_MONT_CTX_new();
	BIGNUM *modulus = BN_bin2bn(key->modulus, n_bytes, NULL), *exponent = BN_new(), *x = BN_new();
	bool good = memory != NULL && montgomery != NULL && modulus != NULL && exponent != NULL && x != NULL &&
	            BN_set_word(exponent, key->exponent) == 1 && BN_MONT_CTX_set(montgomery, modulus, memory) == 1;

	for (uint8_t *number = numbers; number < numbers + n * (size_t)n_bytes && good; number += n_bytes)
		good = BN_bin2bn(number, n_bytes, x) != NULL &&
		       BN_mod_exp_mont(x, x, exponent, modulus, memory, montgomery) == 1 &&
		       BN_bn2binpad(x, number, n_bytes) == n_bytes;
	BN_free(x);
	BN_free(exponent);
	BN_free(modulus);
	BN_MONT_CTX_free(montgomery);
	BN_CTX_free(memory);
	return good ? GPUCRYPT_OK : libcrypto_failed("RSA");
}
