/* SSH keys: the conversion of Ed25519 keys and bcrypt_pbkdf, by vectors of other implementations, and malformed keys.
 */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/public_key.h"

static int map_hex(uint8_t u[32], const char *hex)
{
	uint8_t point[32];

	from_hex(point, sizeof point, hex);
	return ed25519_public_u(u, point);
}

/* filippo.io/edwards25519, TestBytesMontgomerySodium, whose value is libsodium's. */
TEST(public_conversion)
{
	uint8_t u[32];

	assert_ok(map_hex(u, "3bf918ffc2c955dc895bf145f566fb96623c1cadbe040091175764b5fde322c0"));
	assert_hex(u, sizeof u, "efc6c9d0738e9ea18d738ad4a2653631558931b0f1fde4dd58c436d19686dc28");
}

/* libsodium, test/default/ed25519_convert. */
TEST(private_conversion)
{
	uint8_t seed[32], scalar[32], public[32];
	size_t n = sizeof public;
	EVP_PKEY *key;

	from_hex(seed, sizeof seed, "421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee");
	assert_ok(ed25519_private_scalar(scalar, seed));
	assert_hex(scalar, sizeof scalar, "8052030376d47112be7f73ed7a019293dd12ad910b654455798b4667d73de166");
	key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
	assert_ok(ed25519_convert(&key));
	assert_int_equal(EVP_PKEY_get_raw_public_key(key, public, &n), 1);
	assert_hex(public, n, "f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50");
	EVP_PKEY_free(key);
}

/* The neutral point, y = 2^255 - 19 (not reduced), and y = 2, with which there is no x. */
TEST(no_points)
{
	uint8_t u[32];

	assert_status(map_hex(u, "0100000000000000000000000000000000000000000000000000000000000000"), GPUCRYPT_USAGE);
	assert_status(map_hex(u, "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"), GPUCRYPT_USAGE);
	assert_status(map_hex(u, "0200000000000000000000000000000000000000000000000000000000000000"), GPUCRYPT_USAGE);
}

/* golang.org/x/crypto/ssh/internal/bcrypt_pbkdf. */
TEST(bcrypt_known)
{
	static const uint8_t passphrase[] = "passwordy\0PASSWORD", salt[] = "salty\0SALT";
	uint8_t key[64];

	assert_ok(bcrypt_pbkdf(key, 32, (const uint8_t *)"password", 8, (const uint8_t *)"salt", 4, 12));
	assert_hex(key, 32, "1ae42c05d487bc02f64921a4ebe4ea93bcacfe135fda99974c06b7b01fae149a");
	assert_ok(bcrypt_pbkdf(key, 32, passphrase, sizeof passphrase, salt, sizeof salt, 3));
	assert_hex(key, 32, "7f310bd3e78c3280c59ce4595211a2928e8d4ec744c1ed2efc9f764e3388e0ad");
}

static int parse(const char *line)
{
	EVP_PKEY *key;
	bool unusable;
	int status = ssh_public_parse(&key, line, strlen(line), &unusable);

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
		assert_ok(parse(line));
	}
	for (size_t i = 0; i < 3; i++) { /* written without the end of a line between them */
		static const char *const forms[] = { "ssh-ed25519 %s a\rssh-ed25519 %s", "sk-x %s \"assh-ed25519 %s",
			"ssh-ed25519 %s ssh-ed25519\t%s a" };

		snprintf(line, sizeof line, forms[i], key, key);
		assert_status(parse(line), GPUCRYPT_USAGE);
		assert_string_equal(gpucrypt_error(), "two keys on one line");
	}
	snprintf(line, sizeof line, "\xef\xbb\xbfssh-ed25519 %s", key);
	assert_true(ssh_public_line(line, strlen(line)));
	snprintf(line, sizeof line, "ssh-rsa %s", key);
	assert_status(parse(line), GPUCRYPT_USAGE);
	snprintf(line, sizeof line, "ssh-ed25519 %.*s", (int)sizeof key - 5, key);
	assert_status(parse(line), GPUCRYPT_USAGE);
	assert_status(parse("ssh-ed25519"), GPUCRYPT_USAGE);
	assert_status(parse("ecdsa-sha2-nistp521 AAAA"), GPUCRYPT_USAGE);
	assert_false(ssh_public_line("hello world ssh-rsa", 19));
}

static const char *typed;

static int answer(void *self, uint8_t *bytes, size_t room, size_t *length)
{
	(void)self;
	*length = strlen(typed);
	assert_in_range(*length, 0, room);
	memcpy(bytes, typed, *length);
	return GPUCRYPT_OK;
}

/* Keys by ssh-keygen -a 1 -Z aes256-gcm@openssh.com and chacha20-poly1305@openssh.com, of OpenSSH 9.2. */
TEST(authenticated_ciphers)
{
	static const char *const keys[][2] = {
		{ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ/0Y896j6rPcANI3lCtrmbb0lodfSeXOzP744xpy4ld",
		        "-----BEGIN OPENSSH PRIVATE KEY-----\n"
		        "b3BlbnNzaC1rZXktdjEAAAAAFmFlczI1Ni1nY21Ab3BlbnNzaC5jb20AAAAGYmNyeXB0AA\n"
		        "AAGAAAABDMD03/VEZLIkyyYDhQoPMmAAAAAQAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAA\n"
		        "IJ/0Y896j6rPcANI3lCtrmbb0lodfSeXOzP744xpy4ldAAAAkL4Thw2NUpfWYYJn/EIiHq\n"
		        "gmsIkH76QSEibW92nagHzgW5k4GCNPYgIg7kKYq9URu7PNIdXin3kz+l9aDtTfAkK2wfQl\n"
		        "ePJTvQUhTZIBSYbz4JZ8H49svbBLZ7pTC2tTSiPyTe7m9pBBYxydaVUMsP4tI+7T9b5Hfn\n"
		        "fhbY6DOU6E1BG3zTxNgo96S2d142RbRLNPvVWdclYQ/xQuWO+k8ms=\n"
		        "-----END OPENSSH PRIVATE KEY-----\n" },
		{ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIInW5W2oEZoUSrVUXvH4ilZ+WEy6ZSzBs4+De4zP4uFj",
		        "-----BEGIN OPENSSH PRIVATE KEY-----\n"
		        "b3BlbnNzaC1rZXktdjEAAAAAHWNoYWNoYTIwLXBvbHkxMzA1QG9wZW5zc2guY29tAAAABm\n"
		        "JjcnlwdAAAABgAAAAQgmaQeSdHx8+ndGF+33GV/QAAAAEAAAABAAAAMwAAAAtzc2gtZWQy\n"
		        "NTUxOQAAACCJ1uVtqBGaFEq1VF7x+IpWflhMumUswbOPg3uMz+LhYwAAAIiWbZkvTrmIm9\n"
		        "ObvucIxQebxcEcTlKYgpS2a5fmiJ4PFr32/5cDR5+FOpTevxrE+iauegBIgH1bSm4SxfxM\n"
		        "oHriu84sLnKJt9GnEkKsK0/ue8uLNGTAGXi66H4yJIg3nUMGxZR+dCkelNq2Aid6bm/Uqo\n"
		        "zvLCu8qqZQAlkp3uFr9w2uxF3yawxTDgc5ZInU5Dz3xT9vYp+zXw==\n"
		        "-----END OPENSSH PRIVATE KEY-----\n" },
	};
	const struct pem_question question = { answer, NULL };

	for (size_t i = 0; i < N_OF(keys); i++) {
		uint8_t der[MAX_KEY_DER_BYTES], wanted[8], id[8];
		struct gpucrypt_secret secret;
		char pem[1024], *in_tag;
		bool unusable;

		assert_ok(public_key_read(&secret, der, keys[i][0], strlen(keys[i][0]), &unusable));
		assert_ok(public_key_id(wanted, &secret));
		strcpy(pem, keys[i][1]);
		typed = "hunter2";
		assert_ok(private_key_read(&secret, der, pem, strlen(pem), &question));
		assert_ok(public_key_id(id, &secret));
		assert_memory_equal(id, wanted, sizeof id);
		typed = "hunter3";
		assert_fails(private_key_read(&secret, der, pem, strlen(pem), &question), GPUCRYPT_NO_KEY,
		        "its passphrase is wrong");
		typed = "hunter2";
		in_tag = strstr(pem, "=\n-----END") - 8; /* which is at the end */
		*in_tag = *in_tag == 'A' ? 'B' : 'A';
		assert_status(private_key_read(&secret, der, pem, strlen(pem), &question), GPUCRYPT_NO_KEY);
	}
}
