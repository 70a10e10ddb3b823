#include "cli/bench/bench.h"

#include "gpucrypt/status.h"

#ifdef WITH_LIBGCRYPT

#include <gcrypt.h>
#include <stdlib.h>

#include "gpucrypt/crypto/host_core.h"

struct engine_of_libgcrypt {
	struct engine engine;
	gcry_cipher_hd_t cipher;
};

static const int mode_numbers[N_MODES] = {
	[MODE_ECB] = GCRY_CIPHER_MODE_ECB, [MODE_CTR] = GCRY_CIPHER_MODE_CTR, [MODE_XTS] = GCRY_CIPHER_MODE_XTS
};
_Static_assert(N_MODES == 3, "a mode lacks libgcrypt's number of it");

const char *libgcrypt_version(void)
{
	const char *version = gcry_check_version(NULL);

	if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
		gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	}
	return version;
}

/* 0: it has none. */
static int algorithm(const struct suite *suite)
{
	char name[32];

	libgcrypt_version();
	snprintf(name, sizeof name, "%s%u", suite->cipher->name, 8 * suite->key_bytes);
	return gcry_cipher_map_name(name);
}

bool libgcrypt_has(const struct suite *suite)
{
	return algorithm(suite) != 0;
}

static void close_cipher(struct engine *engine)
{
	gcry_cipher_close(((struct engine_of_libgcrypt *)engine)->cipher);
	free(engine);
}

static int open_cipher(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	struct engine_of_libgcrypt *new = calloc(1, sizeof *new);
	gcry_error_t error;

	(void)plan;
	(void)before;
	if (!new)
		return fail(GPUCRYPT_OTHER, "out of memory");
	new->engine.class = &engine_libgcrypt;
	new->engine.suite = *suite;
	new->engine.lanes = 1;
	snprintf(new->engine.description, sizeof new->engine.description, "CPU, libgcrypt %s", libgcrypt_version());
	error = gcry_cipher_open(&new->cipher, algorithm(suite), mode_numbers[suite->mode->number], 0);
	if (error) {
		free(new);
		return fail(GPUCRYPT_DEVICE, "libgcrypt: %s-%u-%s: %s", suite->cipher->name, 8 * suite->key_bytes,
		        suite->mode->name, gcry_strerror(error));
	}
	*engine = &new->engine;
	return GPUCRYPT_OK;
}

/* One message, under the block's or unit's number. */
static gcry_error_t crypt_message(const struct engine_of_libgcrypt *of, const struct work *work, const uint8_t iv[16],
        size_t done, size_t n_bytes)
{
	const struct mode *mode = of->engine.suite.mode;
	gcry_error_t error = 0;

	if (mode->takes_iv)
		error = gcry_cipher_setctr(of->cipher, iv, BLOCK_BYTES);
	else if (mode->has_tweaks)
		error = gcry_cipher_setiv(of->cipher, iv, BLOCK_BYTES);
	if (error)
		return error;
	return of->engine.suite.direction == ENCRYPT
	               ? gcry_cipher_encrypt(of->cipher, work->out + done, n_bytes, work->in + done, n_bytes)
	               : gcry_cipher_decrypt(of->cipher, work->out + done, n_bytes, work->in + done, n_bytes);
}

/* In XTS, each data unit is a separate message. */
static gcry_error_t crypt_messages(const struct engine_of_libgcrypt *of, const struct work *work)
{
	bool units = of->engine.suite.mode->has_tweaks;
	size_t message = units ? (size_t)1 << work->unit_log2 : work->n_bytes;
	gcry_error_t error = 0;
	uint64_t number = work->first_block;
	struct span span;
	uint8_t iv[16];

	span_of_work(&span, &of->engine.suite, work);
	if (units)
		number = (number >> span.unit_log2) * span.step;
	for (size_t done = 0; done < work->n_bytes && !error; done += message) {
		size_t left = work->n_bytes - done;

		iv_of_number(iv, &span, number, units);
		error = crypt_message(of, work, iv, done, left < message ? left : message);
		number += span.step;
	}
	return error;
}

static int crypt_work(struct engine *engine, unsigned lane, const struct work *work)
{
	const struct engine_of_libgcrypt *of = (const struct engine_of_libgcrypt *)engine;
	const struct suite *suite = &engine->suite;
	gcry_error_t error = gcry_cipher_setkey(of->cipher, work->key, (size_t)suite->mode->n_keys * suite->key_bytes);

	(void)lane;
	if (!error)
		error = crypt_messages(of, work);
	return error ? fail(GPUCRYPT_DEVICE, "libgcrypt: %s-%u-%s: %s", suite->cipher->name, 8 * suite->key_bytes,
	                       suite->mode->name, gcry_strerror(error))
	             : GPUCRYPT_OK;
}

#else

const char *libgcrypt_version(void)
{
	return NULL;
}

bool libgcrypt_has(const struct suite *suite)
{
	(void)suite;
	return false;
}

static int open_cipher(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	(void)engine, (void)suite, (void)plan, (void)before;
	return fail(GPUCRYPT_DEVICE, "libgcrypt: not there when this program was built");
}

#define crypt_work   NULL
#define close_cipher NULL

#endif

const struct engine_class engine_libgcrypt = {
	.name = "libgcrypt", .open = open_cipher, .crypt = crypt_work, .close = close_cipher
};
