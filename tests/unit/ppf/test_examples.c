/* The ciphers of examples/ciphers/ on the test vectors of their standards, and beside libcrypto where it has them. */
#include <openssl/evp.h>

#include "tests/unit/cmocka_all.h"

#include "examples/ciphers/chacha20.c"
#include "examples/ciphers/clefia.c"
#include "examples/ciphers/hight.c"
#include "examples/ciphers/misty1.c"
#include "examples/ciphers/present80.c"
#include "examples/ciphers/sm4.c"
#include "examples/ciphers/speck128.c"

/* Appendix A. */
TEST(clefia_128)
{
	static const word key[4] = { 0xffeeddcc, 0xbbaa9988, 0x77665544, 0x33221100 };
	static word table[8 * 256];
	word k[40], s[4] = { 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f };

	clefia_make_tables(table);
	assert_int_equal(clefia_s0(0), 0x57);
	assert_int_equal(clefia_s0(1), 0x49);
	clefia_expand_key(k, key, table);
	clefia_encrypt(s, k, table);
	assert_int_equal(s[0], 0xde2bf2fd);
	assert_int_equal(s[1], 0x9b74aacd);
	assert_int_equal(s[2], 0xf1298555);
	assert_int_equal(s[3], 0x459494fd);
}

/* GB/T 32907-2016, annex A.1. */
TEST(sm4)
{
	uint8_t key[16], block[16];
	uint32_t rk[32];

	from_hex(key, 16, "0123456789abcdeffedcba9876543210");
	sm4_expand_key(rk, key);
	assert_int_equal(rk[0], 0xf12186f9);
	sm4_encrypt(rk, key, block);
	assert_hex(block, 16, "681edf34d206965e86b3e94f536e4246");
}

/* Each key and block is the ciphertext before it. */
TEST(sm4_beside_libcrypto)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t key[16] = { 1 }, in[16] = { 2 }, out[16], expected[32];
	uint32_t rk[32];
	int n;

	assert_non_null(context);
	for (int i = 0; i < 1000; i++) {
		assert_true(EVP_EncryptInit_ex(context, EVP_sm4_ecb(), NULL, key, NULL));
		assert_true(EVP_EncryptUpdate(context, expected, &n, in, 16));
		sm4_expand_key(rk, key);
		sm4_encrypt(rk, in, out);
		assert_memory_equal(out, expected, 16);
		memcpy(key, in, 16);
		memcpy(in, out, 16);
	}
	EVP_CIPHER_CTX_free(context);
}

/* The test vector of the paper. */
TEST(speck_128_128)
{
	static const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	uint64_t rk[SPECK128_ROUNDS], block[2] = { 0x7469206564616d20, 0x6c61766975716520 };

	speck128_expand_key(rk, key);
	speck128_encrypt(rk, block);
	assert_int_equal(block[1], 0xa65d985179783265);
	assert_int_equal(block[0], 0x7860fedf5c570d18);
}

/* Appendix I of the paper. */
TEST(present_80)
{
	static const struct {
		uint8_t key;
		uint32_t plain, high, low;
	} vectors[] = {
		{ 0, 0, 0x5579c138, 0x7b228445 },
		{ 0xff, 0, 0xe72c46c0, 0xf5945049 },
		{ 0, 0xffffffff, 0xa112ffc7, 0x2f68417b },
		{ 0xff, 0xffffffff, 0x3333dcd3, 0x213210d2 },
	};

	for (size_t i = 0; i < N_OF(vectors); i++) {
		uint32_t rk[PRESENT_ROUNDS + 1][2], block[2] = { vectors[i].plain, vectors[i].plain };
		uint8_t key[10];

		memset(key, vectors[i].key, sizeof key);
		present80_expand_key(rk, key);
		present80_encrypt(rk, block);
		assert_int_equal(block[1], vectors[i].high);
		assert_int_equal(block[0], vectors[i].low);
	}
}

/* The example data of RFC 2994: two blocks. */
TEST(misty1)
{
	struct misty1 context;
	uint8_t key[16], in[16], out[16];

	from_hex(key, 16, "00112233445566778899aabbccddeeff");
	from_hex(in, 16, "0123456789abcdeffedcba9876543210");
	misty1_expand_key(&context, key);
	misty1_encrypt(&context, in, out);
	misty1_encrypt(&context, in + 8, out + 8);
	assert_hex(out, 16, "8b1da5f56ab3d07c04b68240b13be95d");
}

/* RFC 8439, section 2.3.2: the key stream is the ciphertext of zeros. */
TEST(chacha20)
{
	static const uint32_t nonce[3] = { 0x09000000, 0x4a000000, 0 };
	static const uint8_t zeros[64];
	uint32_t key[8];
	uint8_t out[64];

	for (uint32_t i = 0; i < 8; i++)
		key[i] = 0x03020100 + i * 0x04040404;
	chacha20_encrypt(key, nonce, 1, zeros, out);
	assert_hex(out, 64,
	        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
	        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

TEST(chacha20_beside_libcrypto)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t state[48] = { 0 }, in[64], out[64], expected[64];
	uint32_t words[12];
	int n;

	assert_non_null(context);
	count_up(in, sizeof in, 1);
	for (uint8_t i = 0; i < 100; i++) {
		memcpy(state, in, sizeof state);
		for (int j = 0; j < 12; j++)
			words[j] = (uint32_t)state[4 * j] | (uint32_t)state[4 * j + 1] << 8 |
			           (uint32_t)state[4 * j + 2] << 16 | (uint32_t)state[4 * j + 3] << 24;
		/* the key, then libcrypto's initialization vector: the counter and the nonce */
		assert_true(EVP_EncryptInit_ex(context, EVP_chacha20(), NULL, state, state + 32));
		assert_true(EVP_EncryptUpdate(context, expected, &n, in, 64));
		chacha20_encrypt(words, words + 9, words[8], in, out);
		assert_memory_equal(out, expected, 64);
		memcpy(in, out, 64);
	}
	EVP_CIPHER_CTX_free(context);
}

/* The first two test vectors of the paper, which writes byte 0 on the right. */
TEST(hight)
{
	static const struct {
		const char *key, *plain, *cipher;
	} vectors[] = {
		{ "ffeeddccbbaa99887766554433221100", "0000000000000000", "f2034fd9ae18f400" },
		{ "00112233445566778899aabbccddeeff", "7766554433221100", "d8e643e5729fce23" },
	};

	for (size_t i = 0; i < N_OF(vectors); i++) {
		struct hight context;
		uint8_t key[16], block[8];

		from_hex(key, sizeof key, vectors[i].key);
		from_hex(block, sizeof block, vectors[i].plain);
		hight_expand_key(&context, key);
		hight_encrypt(&context, block, block);
		assert_hex(block, sizeof block, vectors[i].cipher);
	}
}
