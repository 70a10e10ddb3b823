/* The key hierarchy against values computed elsewhere: by plain Python (hmac, hashlib, and RFC 7914
 * written out, each checked against its RFC's own vectors first) from the text of gcrypt(5). */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/crypto/keys.h"

TEST(file_keys)
{
	uint8_t file_key[FILE_KEY_BYTES], p[HEADER_P_BYTES];
	struct file_keys keys;

	count_up(file_key, sizeof file_key, 0x40);
	count_up(p, sizeof p, 0);
	assert_ok(file_keys_derive(&keys, file_key, p));
	assert_hex(keys.header, 32, "060983eb2cf35f4e4d2b02d24c4c1744ba54bbc05b01bae4dde4f1165bcfe28a");
	assert_hex(keys.root, 32, "e7803005b2903b86622d7ca60445e571ddb2b0a5a47e1c848bd53fb626fcf4c1");
	assert_hex(keys.group, 32, "e7e8b038b26e99dca8630618f7d7d37505a96b212a991320c5d6712a824c5e46");
}

/* One cipher key for all groups, their own for the rest. */
TEST(volume_key)
{
	uint8_t file_key[FILE_KEY_BYTES], p[HEADER_P_BYTES];
	uint8_t salt[GROUP_SALT_BYTES] = { 0 };
	struct file_keys keys;
	struct group_keys of_image, of_group;

	count_up(file_key, sizeof file_key, 0x40);
	count_up(p, sizeof p, 0);
	p[HEADER_P_LAYOUT] = LAYOUT_DETACHED;
	assert_ok(file_keys_derive(&keys, file_key, p));
	assert_hex(keys.volume, 64,
	        "19e2a6caf8f2918a86d16b13987276a61a536fa7704eb4d174f9baf5a57589d0"
	        "c9d7d8471256ace3baac118d5be513574f8ebf344eb4cef79325123a9e5e0d5b");
	assert_ok(group_keys_derive(&of_image, &keys, 7, salt));
	keys.detached = false;
	assert_ok(group_keys_derive(&of_group, &keys, 7, salt));
	assert_memory_equal(of_image.cipher, keys.volume, 64);
	assert_memory_not_equal(of_group.cipher, keys.volume, 64);
	assert_memory_equal(of_image.r, of_group.r, 80);
}

TEST(group_keys)
{
	uint8_t salt[GROUP_SALT_BYTES];
	struct group_keys keys;
	struct file_keys file = { .detached = false };

	count_up(salt, sizeof salt, 0x80);
	from_hex(file.group, 32, "e7e8b038b26e99dca8630618f7d7d37505a96b212a991320c5d6712a824c5e46");
	assert_ok(group_keys_derive(&keys, &file, 0x0102030405060708, salt));
	assert_hex(keys.cipher, 64,
	        "d84c1e8ae698a46a8ba9a6e6fd26572e2f6d249187b8ca72ee0d516e1e9b0003"
	        "b12292ba241749aa067f42dea88d43bf08093a7db66534662110fc5577f976be");
	assert_hex(keys.r, 16, "0138a9f0295859252ed6bcc371d9ca44");
	assert_hex(keys.tag, 32, "3064129304a2abd3f2bb2849d20be01088ee06b0d5dc2af86b5b6b8ee1a5f537");
	assert_hex(keys.page, 32, "3698547a0abac8ae411dae22fa767123c5bd1ddc8f64447ba838801063e9fd1f");
}

TEST(key_file)
{
	uint8_t kek[32], key[32], salt[SALT_BYTES], file_salt[SALT_BYTES];

	count_up(key, sizeof key, 0x20);
	count_up(salt, sizeof salt, 0xa0);
	count_up(file_salt, sizeof file_salt, 0xc0);
	assert_ok(kek_from_key_file(kek, key, salt, file_salt));
	assert_hex(kek, 32, "9327b4a9c25c1b8200b821fc72dcf8ede93f11d669f21669673520daf6e4d9bc");
}

/* All bytes of a passphrase count, zeros and newlines too; none at all is a passphrase. */
TEST(passphrase)
{
	uint8_t kek[32], other[32], salt[SALT_BYTES];

	count_up(salt, sizeof salt, 0);
	assert_ok(kek_from_passphrase(kek, (const uint8_t *)"pass\0word\n", 10, salt, 10, 2));
	assert_hex(kek, 32, "bc2ae84e6e6d783d58b80ca4e137ae1dac4533702e5103f766b0502f5bdc22c1");
	assert_ok(kek_from_passphrase(other, (const uint8_t *)"pass\0word", 9, salt, 10, 2));
	assert_memory_not_equal(kek, other, 32);
	assert_ok(kek_from_passphrase(kek, NULL, 0, salt, 10, 1));
	assert_ok(kek_from_passphrase(other, salt, 0, salt, 10, 1));
	assert_memory_equal(kek, other, 32);
}

/* The default cost needs 128 MiB, more than libcrypto allows by default. */
TEST(passphrase_default_cost)
{
	uint8_t kek[32], salt[SALT_BYTES] = { 0 };

	assert_ok(kek_from_passphrase(kek, salt, 1, salt, 17, 1));
}

/* RFC 3394, 4.6 */
TEST(wrap)
{
	uint8_t kek[32], key[32], wrapped[WRAPPED_BYTES], unwrapped[32];

	count_up(kek, sizeof kek, 0);
	from_hex(key, 32, "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f");
	assert_ok(key_wrap(wrapped, key, kek));
	assert_hex(wrapped, sizeof wrapped,
	        "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21");
	assert_ok(key_unwrap(unwrapped, wrapped, kek));
	assert_memory_equal(key, unwrapped, 32);
}

TEST(unwrap_refuses)
{
	uint8_t kek[32], key[32], wrapped[WRAPPED_BYTES], unwrapped[32];

	count_up(kek, sizeof kek, 0);
	count_up(key, sizeof key, 99);
	assert_ok(key_wrap(wrapped, key, kek));
	for (unsigned bit = 0; bit < 8 * WRAPPED_BYTES; bit++) {
		wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_status(key_unwrap(unwrapped, wrapped, kek), GPUCRYPT_NO_KEY);
		wrapped[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	kek[31] ^= 1;
	assert_status(key_unwrap(unwrapped, wrapped, kek), GPUCRYPT_NO_KEY);
}

TEST(hmac)
{
	const char *expected = "a01b984b568c779e134ce721f74d44464740e85109754c488fbb5d61d164d999";
	struct running_hmac running = { NULL };
	uint8_t key[32], mac[MAC_BYTES];

	count_up(key, sizeof key, 0);
	assert_ok(hmac_sha256(mac, key, (const uint8_t *)"gcrypt", 6));
	assert_hex(mac, sizeof mac, expected);
	memset(mac, 0, sizeof mac);
	assert_ok(running_hmac_start(&running, key));
	assert_ok(running_hmac_add(&running, (const uint8_t *)"gcr", 3));
	assert_ok(running_hmac_add(&running, (const uint8_t *)"ypt", 3));
	assert_ok(running_hmac_finish(&running, mac));
	running_hmac_free(&running);
	running_hmac_free(&running);
	assert_hex(mac, sizeof mac, expected);
}

TEST(randomness)
{
	uint8_t a[32] = { 0 }, b[32] = { 0 };

	assert_ok(random_bytes(a, sizeof a));
	assert_ok(random_bytes(b, sizeof b));
	assert_memory_not_equal(a, b, sizeof a);
	wipe(a, sizeof a);
	for (size_t i = 0; i < sizeof a; i++)
		assert_int_equal(a[i], 0);
	wipe(NULL, 0);
}
