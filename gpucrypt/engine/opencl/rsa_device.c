#include "gpucrypt/engine/opencl/rsa_device.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"

#define MAX_WORDS (MAX_RSA_BITS / 32)

enum buffer { BUFFER_IN, BUFFER_OUT, BUFFER_POWERS, BUFFER_SQUARE, N_BUFFERS };

/* struct rsa_modulus of the kernel: the words, the lowest first, and behind them the inverse. */
struct constants {
	uint32_t modulus[MAX_WORDS + 1], square[MAX_WORDS];
};

struct rsa_device {
	const struct device *device; /* not owned */
	struct rsa_shape shape;
	unsigned words;   /* of a number */
	size_t most, n;   /* numbers: room, loaded */
	uint32_t *staged; /* owned; locked: numbers in the device's order; NULL: none yet */
	size_t staged_bytes;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffers[N_BUFFERS];
};

struct rsa_shape rsa_shape_of(const struct device *device)
{
	return (struct rsa_shape){
		.coalesced = true, .chains = device->ptx, .ptx = device->ptx, .work_items = device->gpu ? 128 : 16
	};
}

/* Whole work-groups: what is behind the numbers is computed too. */
static size_t padded(const struct rsa_device *rsa, size_t n)
{
	size_t items = rsa->shape.work_items;

	return (n + items - 1) / items * items;
}

static size_t numbers_bytes(const struct rsa_device *rsa, size_t n)
{
	return padded(rsa, n) * rsa->words * 4;
}

/* The modulus' numbers. */

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

/* Opening and closing. */

static cl_int make_buffers(struct rsa_device *rsa, struct constants *constants)
{
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < BUFFER_SQUARE && error == CL_SUCCESS; i++)
		rsa->buffers[i] =
		        clCreateBuffer(rsa->context, CL_MEM_READ_WRITE, numbers_bytes(rsa, rsa->most), NULL, &error);
	if (error == CL_SUCCESS)
		rsa->buffers[BUFFER_SQUARE] = clCreateBuffer(rsa->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
		        4 * (size_t)rsa->words, constants->square, &error);
	return error;
}

static cl_int make_kernel(struct rsa_device *rsa, const struct constants *constants, cl_ulong exponent)
{
	cl_int error;

	rsa->kernel = clCreateKernel(rsa->program, "rsa", &error);
	for (cl_uint i = 0; i < N_BUFFERS && error == CL_SUCCESS; i++)
		error = clSetKernelArg(rsa->kernel, i, sizeof(cl_mem), &rsa->buffers[i]);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_BUFFERS, sizeof(exponent), &exponent);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(rsa->kernel, N_BUFFERS + 1, 4 * (size_t)(rsa->words + 1), constants->modulus);
	return error;
}

static int open_device(struct rsa_device *rsa, struct constants *constants, const struct rsa_key *key)
{
	cl_int error;
	int status;

	rsa->context = clCreateContext(NULL, 1, &rsa->device->id, NULL, NULL, &error);
	if (error == CL_SUCCESS)
		rsa->queue = clCreateCommandQueue(rsa->context, rsa->device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	if (error != CL_SUCCESS)
		return device_failure(rsa->device, "no context", error);
	status = program_build_rsa(&rsa->program, rsa->context, rsa->device, &rsa->shape, rsa->words);
	if (status != GPUCRYPT_OK)
		return status;
	error = make_buffers(rsa, constants);
	if (error == CL_SUCCESS)
		error = make_kernel(rsa, constants, key->exponent);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(rsa->device, "no kernel or memory", error);
}

int rsa_device_open(struct rsa_device **result, const struct device *device, const struct rsa_key *key,
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
	*rsa = (struct rsa_device){ .device = device, .shape = *shape, .words = key->bits / 32, .most = most };
	status = open_device(rsa, &constants, key);
	if (status != GPUCRYPT_OK) {
		rsa_device_close(rsa);
		return status;
	}
	*result = rsa;
	return GPUCRYPT_OK;
}

static void release_wiped(struct rsa_device *rsa, cl_mem buffer)
{
	static const cl_uint zero;

	if (buffer == NULL)
		return;
	if (clEnqueueFillBuffer(rsa->queue, buffer, &zero, sizeof(zero), 0, numbers_bytes(rsa, rsa->most), 0, NULL,
	            NULL) == CL_SUCCESS)
		clFinish(rsa->queue);
	clReleaseMemObject(buffer);
}

void rsa_device_close(struct rsa_device *rsa)
{
	if (rsa == NULL)
		return;
	for (unsigned i = 0; i < BUFFER_SQUARE; i++)
		release_wiped(rsa, rsa->buffers[i]);
	if (rsa->buffers[BUFFER_SQUARE] != NULL)
		clReleaseMemObject(rsa->buffers[BUFFER_SQUARE]);
	if (rsa->kernel != NULL)
		clReleaseKernel(rsa->kernel);
	if (rsa->program != NULL)
		clReleaseProgram(rsa->program);
	if (rsa->queue != NULL)
		clReleaseCommandQueue(rsa->queue);
	if (rsa->context != NULL)
		clReleaseContext(rsa->context);
	locked_free(rsa->staged, rsa->staged_bytes);
	free(rsa);
}

/* Working. */

/* Where word 0 of a number lies, as in the kernel. */
static uint32_t *first_word(const struct rsa_device *rsa, size_t number)
{
	size_t items = rsa->shape.work_items;

	if (!rsa->shape.coalesced)
		return rsa->staged + number * rsa->words;
	return rsa->staged + number / items * items * rsa->words + number % items;
}

static int stage(struct rsa_device *rsa, size_t n_bytes)
{
	if (n_bytes <= rsa->staged_bytes)
		return GPUCRYPT_OK;
	locked_free(rsa->staged, rsa->staged_bytes);
	rsa->staged = locked_allocate(n_bytes);
	rsa->staged_bytes = rsa->staged != NULL ? n_bytes : 0;
	return rsa->staged != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

int rsa_device_load(struct rsa_device *rsa, const uint8_t *numbers, size_t n)
{
	size_t step = rsa->shape.coalesced ? rsa->shape.work_items : 1;
	cl_int error;

	if (n > rsa->most)
		return fail(GPUCRYPT_USAGE, "more numbers than there is room for");
	if (stage(rsa, numbers_bytes(rsa, n)) != GPUCRYPT_OK)
		return GPUCRYPT_OTHER;
	rsa->n = n;
	memset(rsa->staged, 0, numbers_bytes(rsa, n));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = numbers + 4 * (i + 1) * rsa->words;
		uint32_t *words = first_word(rsa, i);

		for (unsigned j = 0; j < rsa->words; j++)
			words[j * step] = load_be32(end - 4 * (size_t)(j + 1));
	}
	error = clEnqueueWriteBuffer(
	        rsa->queue, rsa->buffers[BUFFER_IN], CL_TRUE, 0, numbers_bytes(rsa, n), rsa->staged, 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(rsa->device, "no transfer", error);
}

int rsa_device_repeat(struct rsa_device *rsa)
{
	size_t done = numbers_bytes(rsa, rsa->n), all = numbers_bytes(rsa, rsa->most);
	cl_mem in = rsa->buffers[BUFFER_IN];
	cl_int error = CL_SUCCESS;

	while (done < all && error == CL_SUCCESS) {
		size_t more = all - done < done ? all - done : done;

		error = clEnqueueCopyBuffer(rsa->queue, in, in, 0, done, more, 0, NULL, NULL);
		done += more;
	}
	rsa->n = rsa->most;
	if (error == CL_SUCCESS)
		error = clFinish(rsa->queue);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(rsa->device, "no copy", error);
}

int rsa_device_run(struct rsa_device *rsa, double *seconds)
{
	size_t items = rsa->shape.work_items, all = padded(rsa, rsa->n);
	cl_event event = NULL;
	cl_int error = clEnqueueNDRangeKernel(rsa->queue, rsa->kernel, 1, NULL, &all, &items, 0, NULL, &event);

	if (error == CL_SUCCESS)
		error = clWaitForEvents(1, &event);
	if (error == CL_SUCCESS)
		error = event_seconds(event, seconds);
	if (event != NULL)
		clReleaseEvent(event);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(rsa->device, "RSA", error);
}

int rsa_device_fetch(struct rsa_device *rsa, uint8_t *numbers)
{
	size_t step = rsa->shape.coalesced ? rsa->shape.work_items : 1;
	cl_int error;

	if (stage(rsa, numbers_bytes(rsa, rsa->n)) != GPUCRYPT_OK)
		return GPUCRYPT_OTHER;
	error = clEnqueueReadBuffer(rsa->queue, rsa->buffers[BUFFER_OUT], CL_TRUE, 0, numbers_bytes(rsa, rsa->n),
	        rsa->staged, 0, NULL, NULL);
	if (error != CL_SUCCESS)
		return device_failure(rsa->device, "no transfer", error);
	for (size_t i = 0; i < rsa->n; i++) {
		uint8_t *end = numbers + 4 * (i + 1) * rsa->words;
		const uint32_t *words = first_word(rsa, i);

		for (unsigned j = 0; j < rsa->words; j++)
			store_be32(end - 4 * (size_t)(j + 1), words[j * step]);
	}
	return GPUCRYPT_OK;
}
