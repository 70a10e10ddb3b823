#include "ppf/study/rsa_device.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define MAX_WORDS (MAX_RSA_BITS / 32)

enum buffer { BUFFER_IN, BUFFER_OUT, BUFFER_POWERS, BUFFER_SQUARE, N_BUFFERS };

/* struct rsa_modulus of the kernel: the words, the lowest first, and behind them the inverse. */
struct constants {
	uint32_t modulus[MAX_WORDS + 1], square[MAX_WORDS];
};

struct rsa_device {
	struct bench *bench; /* not owned */
	struct rsa_shape shape;
	unsigned words;   /* of a number */
	size_t most, n;   /* numbers: room, loaded */
	uint32_t *staged; /* owned; numbers in the device's order */
	cl_kernel kernel;
	cl_mem buffers[N_BUFFERS];
};

/* Whole work-groups: the kernel also processes the padding after the numbers. */
static size_t padded(const struct rsa_device *rsa, size_t n)
{
	size_t items = rsa->shape.work_items;

	return (n + items - 1) / items * items;
}

static size_t numbers_bytes(const struct rsa_device *rsa, size_t n)
{
	return padded(rsa, n) * rsa->words * 4;
}

/* -x^-1 mod 2^32 for an odd x: each step of Newton's doubles the bits that are right. */
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

static int check_key(const struct rsa_key *key)
{
	if (key->bits < 1024 || key->bits > MAX_RSA_BITS || key->bits % 1024 != 0)
		return fail(GPUCRYPT_USAGE, "no RSA modulus of %u bits on a device", key->bits);
	if (key->exponent < 3 || key->exponent % 2 == 0 || key->modulus[0] < 0x80 ||
	        key->modulus[key->bits / 8 - 1] % 2 == 0)
		return fail(GPUCRYPT_USAGE, "not an RSA key");
	return GPUCRYPT_OK;
}

static int find_constants(struct constants *constants, const struct rsa_key *key)
{
	unsigned words = key->bits / 32;
	int status = check_key(key);

	if (status != GPUCRYPT_OK)
		return status;
	words_of_bytes(constants->modulus, key->modulus, words);
	constants->modulus[words] = negative_inverse(constants->modulus[0]);
	return find_square(constants->square, key);
}

static cl_int create_buffers(struct rsa_device *rsa, struct constants *constants)
{
	cl_context context = rsa->bench->context;
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < BUFFER_SQUARE && error == CL_SUCCESS; i++)
		rsa->buffers[i] =
		        clCreateBuffer(context, CL_MEM_READ_WRITE, numbers_bytes(rsa, rsa->most), NULL, &error);
	if (error == CL_SUCCESS)
		rsa->buffers[BUFFER_SQUARE] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
		        4 * (size_t)rsa->words, constants->square, &error);
	return error;
}

static cl_int create_kernel(struct rsa_device *rsa, const struct constants *constants, cl_ulong exponent)
{
	cl_int error;

	rsa->kernel = clCreateKernel(rsa->bench->program, "rsa", &error);
	for (cl_uint i = 0; i < N_BUFFERS && error == CL_SUCCESS; i++)
		error = clSetKernelArg(rsa->kernel, i, sizeof(cl_mem), &rsa->buffers[i]);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_BUFFERS, sizeof(exponent), &exponent);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_BUFFERS + 1, 4 * (size_t)(rsa->words + 1), constants->modulus);
	return error;
}

static int prepare_device(struct rsa_device *rsa, struct constants *constants, const struct rsa_key *key)
{
	const struct rsa_shape *shape = &rsa->shape;
	char options[128];
	cl_int error;
	int status;

	snprintf(options, sizeof(options), "-DWORDS=%u -DWORK_ITEMS=%u%s%s%s%s", rsa->words, shape->work_items,
	        shape->coalesced ? " -DCOALESCED" : "", shape->chains ? " -DCHAINS" : "", shape->ptx ? " -DPTX" : "",
	        rsa->bench->device->cpu ? "" : " -DUNROLL");
	status = bench_build(rsa->bench, "word.cl carry.cl rsa.cl", NULL, options);
	if (status != GPUCRYPT_OK)
		return status;
	error = create_buffers(rsa, constants);
	if (error == CL_SUCCESS)
		error = create_kernel(rsa, constants, key->exponent);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(rsa->bench, "no kernel or memory", error);
}

int rsa_device_open(struct rsa_device **result, struct bench *bench, const struct rsa_key *key,
        const struct rsa_shape *shape, size_t most)
{
	struct constants constants = { 0 };
	struct rsa_device *rsa;
	int status = find_constants(&constants, key);

	if (status != GPUCRYPT_OK)
		return status;
	rsa = calloc(1, sizeof(*rsa));
	if (rsa == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*rsa = (struct rsa_device){ .bench = bench, .shape = *shape, .words = key->bits / 32, .most = most };
	rsa->staged = malloc(numbers_bytes(rsa, most));
	status = rsa->staged == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : prepare_device(rsa, &constants, key);
	if (status != GPUCRYPT_OK) {
		rsa_device_close(rsa);
		return status;
	}
	*result = rsa;
	return GPUCRYPT_OK;
}

void rsa_device_close(struct rsa_device *rsa)
{
	if (rsa == NULL)
		return;
	for (unsigned i = 0; i < N_BUFFERS; i++)
		bench_release(rsa->buffers[i]);
	if (rsa->kernel != NULL)
		clReleaseKernel(rsa->kernel);
	free(rsa->staged);
	free(rsa);
}

/* Index of word 0 of a number, as in the kernel. */
static uint32_t *first_word(const struct rsa_device *rsa, size_t number)
{
	size_t items = rsa->shape.work_items;

	if (!rsa->shape.coalesced)
		return rsa->staged + number * rsa->words;
	return rsa->staged + number / items * items * rsa->words + number % items;
}

int rsa_device_load(struct rsa_device *rsa, const uint8_t *numbers, size_t n)
{
	size_t step = rsa->shape.coalesced ? rsa->shape.work_items : 1;
	cl_int error;

	if (n > rsa->most)
		return fail(GPUCRYPT_USAGE, "too many numbers for the buffers");
	rsa->n = n;
	memset(rsa->staged, 0, numbers_bytes(rsa, n));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = numbers + 4 * (i + 1) * rsa->words;
		uint32_t *words = first_word(rsa, i);

		for (unsigned j = 0; j < rsa->words; j++)
			words[j * step] = load_be32(end - 4 * (size_t)(j + 1));
	}
	error = clEnqueueWriteBuffer(rsa->bench->queue, rsa->buffers[BUFFER_IN], CL_TRUE, 0, numbers_bytes(rsa, n),
	        rsa->staged, 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(rsa->bench, "no transfer", error);
}

int rsa_device_repeat(struct rsa_device *rsa)
{
	size_t done = numbers_bytes(rsa, rsa->n), all = numbers_bytes(rsa, rsa->most);
	cl_mem in = rsa->buffers[BUFFER_IN];
	cl_int error = CL_SUCCESS;

	while (done < all && error == CL_SUCCESS) {
		size_t more = all - done < done ? all - done : done;

		error = clEnqueueCopyBuffer(rsa->bench->queue, in, in, 0, done, more, 0, NULL, NULL);
		done += more;
	}
	rsa->n = rsa->most;
	if (error == CL_SUCCESS)
		error = clFinish(rsa->bench->queue);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(rsa->bench, "no copy", error);
}

int rsa_device_run(struct rsa_device *rsa, double *seconds)
{
	return bench_run(rsa->bench, rsa->kernel, padded(rsa, rsa->n), rsa->shape.work_items, seconds);
}

int rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers)
{
	size_t step = rsa->shape.coalesced ? rsa->shape.work_items : 1;
	cl_int error;

	error = clEnqueueReadBuffer(rsa->bench->queue, rsa->buffers[BUFFER_OUT], CL_TRUE, 0, numbers_bytes(rsa, rsa->n),
	        rsa->staged, 0, NULL, NULL);
	if (error != CL_SUCCESS)
		return bench_failed(rsa->bench, "no transfer", error);
	for (size_t i = 0; i < rsa->n; i++) {
		uint8_t *end = numbers + 4 * (i + 1) * rsa->words;
		const uint32_t *words = first_word(rsa, i);

		for (unsigned j = 0; j < rsa->words; j++)
			store_be32(end - 4 * (size_t)(j + 1), words[j * step]);
	}
	return GPUCRYPT_OK;
}
