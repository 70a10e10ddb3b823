/* SSH keys: the conversion of Ed25519 keys and bcrypt_pbkdf, by vectors of other implementations, and malformed keys.
 */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/crypto/bcrypt_pbkdf.h"
#include "gpucrypt/keys/ed25519.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/ssh_key.h"
#include "gpucrypt/status.h"

static int map_hex(uint8_t u[32], const char *hex)
{
	uint8_t point[32];

	fail_clear();
	from_hex(point, sizeof point, hex);
	return ed25519_public_u(u, point);
}

/* filippo.io/edwards25519, TestBytesMontgomerySodium, whose value is libsodium's. */
TEST(public_conversion)
{
	uint8_t u[32];

	assert_int_equal(map_hex(u, "3bf918ffc2c955dc895bf145f566fb96623c1cadbe040091175764b5fde322c0"), GPUCRYPT_OK);
	assert_hex(u, sizeof u, "efc6c9d0738e9ea18d738ad4a2653631558931b0f1fde4dd58c436d19686dc28");
}

/* libsodium, test/default/ed25519_convert. */
TEST(private_conversion)
{
	uint8_t seed[32], scalar[32], public[32];
	size_t n = sizeof public;
	EVP_PKEY *key;

	from_hex(seed, sizeof seed, "421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee");
	assert_int_equal(ed25519_private_scalar(scalar, seed), GPUCRYPT_OK);
	assert_hex(scalar, sizeof scalar, "8052030376d47112be7f73ed7a019293dd12ad910b654455798b4667d73de166");
	key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
	assert_int_equal(ed25519_convert(&key), GPUCRYPT_OK);
	assert_int_equal(EVP_PKEY_get_raw_public_key(key, public, &n), 1);
	assert_hex(public, n, "f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50");
	EVP_PKEY_free(key);
}

/* The neutral point, y = 2^255 - 19 (not reduced), and y = 2, with which there is no x. */
TEST(no_points)
{
	uint8_t u[32];

	assert_int_equal(
	        map_hex(u, "0100000000000000000000000000000000000000000000000000000000000000"), GPUCRYPT_USAGE);
	assert_int_equal(
	        map_hex(u, "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"), GPUCRYPT_USAGE);
	assert_int_equal(
	        map_hex(u, "0200000000000000000000000000000000000000000000000000000000000000"), GPUCRYPT_USAGE);
}

/* golang.org/x/crypto/ssh/internal/bcrypt_pbkdf. */
TEST(bcrypt_known)
{
	static const uint8_t passphrase[] = "passwordy\0PASSWORD", salt[] = "salty\0SALT";
	uint8_t key[64];

	assert_int_equal(
	        bcrypt_pbkdf(key, 32, (const uint8_t *)"password", 8, (const uint8_t *)"salt", 4, 12), GPUCRYPT_OK);
	assert_hex(key, 32, "1ae42c05d487bc02f64921a4ebe4ea93bcacfe135fda99974c06b7b01fae149a");
	assert_int_equal(bcrypt_pbkdf(key, 32, passphrase, sizeof passphrase, salt, sizeof salt, 3), GPUCRYPT_OK);
	assert_hex(key, 32, "7f310bd3e78c3280c59ce4595211a2928e8d4ec744c1ed2efc9f764e3388e0ad");
}

static int parse(const char *line)
{
	EVP_PKEY *key;
	int status;

	fail_clear();
	status = ssh_public_parse(&key, line, strlen(line));
	EVP_PKEY_free(key);
	return status;
}

/* The key of RFC 8709's form around the bytes 0, 1, 2, …, in lines of authorized_keys. */
TEST(lines)
{
	static const char key[] = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
	char line[256];

	for (size_t i = 0; i < 4; i++) {
		static const char *const forms[] = { "ssh-ed25519 %s", "ssh-ed25519 %s anna@host",
			"command=\"a \\\"b, ssh-rsa c\",no-pty ssh-ed25519 %s x y", "restrict\tssh-ed25519\t%s\r" };

		snprintf(line, sizeof line, forms[i], key);
		assert_true(ssh_public_line(line, strlen(line)));
		assert_int_equal(parse(line), GPUCRYPT_OK);
	}
	snprintf(line, sizeof line, "ssh-rsa %s", key);
	assert_int_equal(parse(line), GPUCRYPT_USAGE);
	snprintf(line, sizeof line, "ssh-ed25519 %.*s", (int)sizeof key - 5, key);
	assert_int_equal(parse(line), GPUCRYPT_USAGE);
	assert_int_equal(parse("ssh-ed25519"), GPUCRYPT_USAGE);
	assert_int_equal(parse("ecdsa-sha2-nistp521 AAAA"), GPUCRYPT_USAGE);
	assert_false(ssh_public_line("hello world ssh-rsa", 19));
}
