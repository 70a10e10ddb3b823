/* The public functions for keys: made, read, protected, and named by their ids. */
#include "tests/unit/containers.h"

/* With a libcrypto that has no ML-KEM the pair is refused; else it opens what it closes. */
TEST(hybrid_keys)
{
	char private_pem[GPUCRYPT_PEM_BYTES], public_pem[GPUCRYPT_PEM_BYTES];
	uint8_t der[2][GPUCRYPT_KEY_BYTES], container[16384 + 4096 + 1];
	struct gpucrypt_secret public, private;
	struct gpucrypt_sink to = { .bytes = container, .size = sizeof container };
	const struct gpucrypt_source from = { .bytes = "x", .size = 1 },
	                             made_hybrid = { .bytes = container, .size = sizeof container };
	const struct gpucrypt_options options = { { .engine = GPUCRYPT_CPU, .chunk_log2 = 12, .group_log2 = 12 } };
	int status = gpucrypt_key_generate(private_pem, public_pem, GPUCRYPT_X25519_ML_KEM);

	assert_status(gpucrypt_key_generate(private_pem, public_pem, GPUCRYPT_RSA), GPUCRYPT_USAGE);
	if (status == GPUCRYPT_USAGE)
		skip();
	assert_ok(gpucrypt_key_generate(private_pem, public_pem, GPUCRYPT_X25519_ML_KEM));
	assert_ok(gpucrypt_key_read(&public, der[0], public_pem, strlen(public_pem), NULL));
	assert_ok(gpucrypt_key_read(&private, der[1], private_pem, strlen(private_pem), NULL));
	assert_int_equal(private.type, GPUCRYPT_X25519_ML_KEM);
	assert_ok(gpucrypt_encrypt(&from, &to, &options, &public, NULL));
	assert_ok(gpucrypt_verify(&made_hybrid, NULL, &private, NULL));
}

/* The id of RFC 7748's Alice: the first bytes of SHA-256 of `openssl pkey -pubin -outform DER`. */
TEST(keys)
{
#define ALICE                                                            \
	"-----BEGIN PUBLIC KEY-----\n"                                   \
	"MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n" \
	"-----END PUBLIC KEY-----\n"
#define LINE "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"
	static const char alice[] = ALICE, two[] = ALICE ALICE, line[] = "# a key\n" LINE, lines[] = LINE LINE;
	static const char protected_pem[] = /* openssl genpkey -algorithm X25519 -aes256 -pass pass:secret */
	        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
	        "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi1yV25a9UPaQICCAAw\n"
	        "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDhdYakrR4ZWT9jOZSO2WpwEQFhN\n"
	        "HHnGnDCD6xjxodUZd5RJBHTBh4JQV7p+MHfyCj4/6fbDXZoHJJ37UVEthDRZTHYw\n"
	        "BQ7kGTlKc7HyykmMcOE=\n"
	        "-----END ENCRYPTED PRIVATE KEY-----\n";
	static const uint8_t alice_id[8] = { 0x29, 0x1c, 0x52, 0x93, 0xe0, 0x30, 0x45, 0x2a };
	const struct gpucrypt_secret passphrase = {
		.type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)"secret", .length = 6
	};
	struct gpucrypt_secret secret;
	uint8_t der[GPUCRYPT_KEY_BYTES], id[GPUCRYPT_KEY_ID_BYTES];

	assert_ok(gpucrypt_key_read(&secret, der, alice, strlen(alice), NULL));
	assert_ok(gpucrypt_key_id(id, &secret));
	assert_memory_equal(id, alice_id, sizeof id);
	assert_status(gpucrypt_key_id(id, &a_secret), GPUCRYPT_USAGE);
	assert_fails(gpucrypt_key_read(&secret, der, two, strlen(two), NULL), GPUCRYPT_USAGE, "more than one key");
	assert_ok(gpucrypt_key_read(&secret, der, line, strlen(line), NULL));
	assert_fails(gpucrypt_key_read(&secret, der, lines, strlen(lines), NULL), GPUCRYPT_USAGE, "more than one key");
	assert_status(gpucrypt_key_read(&secret, der, "text", 4, NULL), GPUCRYPT_USAGE);
	assert_status(gpucrypt_key_read(&secret, der, "text", (size_t)1 << 31, NULL), GPUCRYPT_USAGE);
	assert_status(gpucrypt_key_read(&secret, der, protected_pem, strlen(protected_pem), NULL), GPUCRYPT_NO_KEY);
	assert_status(
	        gpucrypt_key_read(&secret, der, protected_pem, strlen(protected_pem), &a_secret), GPUCRYPT_NO_KEY);
	assert_ok(gpucrypt_key_read(&secret, der, protected_pem, strlen(protected_pem), &passphrase));
	assert_int_equal(secret.type, GPUCRYPT_X25519);
}
