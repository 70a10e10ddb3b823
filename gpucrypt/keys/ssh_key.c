#include "gpucrypt/keys/public_key.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/param_build.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

#define MAX_BLOB_BYTES 2048 /* RSA of 4096 bits: 535 */

bool ssh_take(struct ssh_reader *reader, size_t n, const uint8_t **bytes)
{
	*bytes = reader->bytes;
	if (n > reader->n)
		return false;
	reader->bytes += n;
	reader->n -= n;
	return true;
}

bool ssh_take_number(struct ssh_reader *reader, uint32_t *number)
{
	const uint8_t *bytes;

	if (!ssh_take(reader, 4, &bytes))
		return false;
	*number = load_be32(bytes);
	return true;
}

bool ssh_take_string(struct ssh_reader *reader, struct ssh_reader *string)
{
	uint32_t n;

	if (!ssh_take_number(reader, &n) || !ssh_take(reader, n, &string->bytes))
		return false;
	string->n = n;
	return true;
}

bool ssh_equals(const struct ssh_reader *string, const char *text)
{
	return string->n == strlen(text) && memcmp(string->bytes, text, string->n) == 0;
}

/* An mpint (RFC 4251, 5) that is not negative. */
BIGNUM *ssh_take_mpint(struct ssh_reader *reader)
{
	struct ssh_reader string;

	if (!ssh_take_string(reader, &string) || string.n > MAX_BLOB_BYTES || (string.n > 0 && string.bytes[0] & 0x80))
		return NULL;
	return BN_bin2bn(string.bytes, (int)string.n, BN_secure_new());
}

EVP_PKEY *ssh_rsa_key(BIGNUM *const numbers[N_SSH_RSA], bool private)
{
	static const char *const names[N_SSH_RSA] = { OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E,
		OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
		OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1 };
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	OSSL_PARAM *parameters = NULL;
	EVP_PKEY *key = NULL;
	bool good = context != NULL && builder != NULL;

	for (unsigned i = 0; good && i < (private ? N_SSH_RSA : SSH_RSA_D); i++)
		good = numbers[i] != NULL && OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]) == 1;
	good = good && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL &&
	       EVP_PKEY_fromdata_init(context) == 1 &&
	       EVP_PKEY_fromdata(context, &key, private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) == 1;
	OSSL_PARAM_free(parameters);
	OSSL_PARAM_BLD_free(builder);
	EVP_PKEY_CTX_free(context);
	for (unsigned i = 0; i < N_SSH_RSA; i++)
		BN_clear_free(numbers[i]);
	return good ? key : NULL;
}

static EVP_PKEY *read_ed25519(struct ssh_reader *blob)
{
	struct ssh_reader point;

	return ssh_take_string(blob, &point) && point.n == 32
	               ? EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, point.bytes, point.n)
	               : NULL;
}

static EVP_PKEY *read_rsa(struct ssh_reader *blob)
{
	BIGNUM *numbers[N_SSH_RSA] = { [SSH_RSA_E] = ssh_take_mpint(blob) };

	numbers[SSH_RSA_N] = ssh_take_mpint(blob);
	return ssh_rsa_key(numbers, false);
}

const struct ssh_type *ssh_type_of(const struct ssh_reader *name)
{
	static const struct ssh_type types[] = { { "ssh-ed25519", read_ed25519, ssh_ed25519_private },
		{ "ssh-rsa", read_rsa, ssh_rsa_private } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (ssh_equals(name, types[i].name))
			return &types[i];
	return NULL;
}

EVP_PKEY *ssh_public_decode(struct ssh_reader blob, const struct ssh_type *type)
{
	const struct ssh_type *own_type;
	struct ssh_reader own;
	EVP_PKEY *key = NULL;

	if (!ssh_take_string(&blob, &own) || (own_type = ssh_type_of(&own)) == NULL)
		return NULL;
	if (type == NULL || type == own_type)
		key = own_type->read_public(&blob);
	if (blob.n == 0)
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Find the end of a word, which is a blank; quotes: not within double quotes, as in options (sshd(8)). */
static struct ssh_reader next_word(const char **at, const char *end, bool quotes)
{
	struct ssh_reader word;
	bool quoted = false;

	while (*at < end && is_blank(**at))
		++*at;
	word.bytes = (const uint8_t *)*at;
	for (; *at < end && (quoted || !is_blank(**at)); ++*at) {
		if (quoted && **at == '\\' && *at + 1 < end)
			++*at;
		else
			quoted ^= quotes && **at == '"';
	}
	word.n = (size_t)(*at - (const char *)word.bytes);
	return word;
}

static bool names_type(const struct ssh_reader *word)
{
	static const char *const prefixes[] = { "ssh-", "ecdsa-sha2-", "sk-" };

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (word->n > strlen(prefixes[i]) && memcmp(word->bytes, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* The word that names the type; *at: behind it. */
static bool find_type(struct ssh_reader *word, const char **at, const char *end)
{
	*word = next_word(at, end, true);
	if (!names_type(word))
		*word = next_word(at, end, true);
	return names_type(word);
}

bool ssh_line_empty(const char *line, size_t n_line)
{
	struct ssh_reader word = next_word(&line, line + n_line, true);

	return word.n == 0 || word.bytes[0] == '#';
}

/* Decode a base64 word into blob.  Returns false if the word is malformed or too long for `out`. */
static bool decode_word(uint8_t out[MAX_BLOB_BYTES], struct ssh_reader *blob, const struct ssh_reader *word)
{
	int n;

	if (word->n == 0 || word->n % 4 != 0 || word->n > MAX_BLOB_BYTES / 3 * 4)
		return false;
	n = EVP_DecodeBlock(out, word->bytes, (int)word->n);
	for (size_t i = 1; i <= 2; i++)
		n -= word->bytes[word->n - i] == '=';
	*blob = (struct ssh_reader){ out, n > 0 ? (size_t)n : 0 };
	return n > 0;
}

/* Does any word hold a key, of any type?  Quotes in a comment have no meaning. */
static bool has_key(const char *at, const char *end)
{
	uint8_t bytes[MAX_BLOB_BYTES];
	struct ssh_reader blob, name, word;

	while ((word = next_word(&at, end, false)).n > 0)
		if (decode_word(bytes, &blob, &word) && ssh_take_string(&blob, &name) && names_type(&name))
			return true;
	return false;
}

bool ssh_public_line(const char *line, size_t n_line)
{
	struct ssh_reader word;

	return has_key(line, line + n_line) || find_type(&word, &line, line + n_line);
}

int ssh_public_parse(EVP_PKEY **key, const char *line, size_t n_line, bool *unusable)
{
	const char *at = line, *end = line + n_line;
	struct ssh_reader name, word, blob;
	uint8_t bytes[MAX_BLOB_BYTES];
	const struct ssh_type *type;

	*key = NULL;
	*unusable = !find_type(&name, &at, end);
	if (*unusable)
		return fail(GPUCRYPT_USAGE, "not a public key in PEM or OpenSSH's form");
	word = next_word(&at, end, true);
	if (has_key(at, end)) /* without the end of a line between them: skipping the line would lose a recipient */
		return fail(GPUCRYPT_USAGE, "two keys on one line");
	type = ssh_type_of(&name);
	*unusable = type == NULL;
	if (*unusable)
		return fail(GPUCRYPT_USAGE, "unknown type of SSH key '%.*s' (choose from: ssh-ed25519, ssh-rsa)",
		        (int)(name.n < 64 ? name.n : 64), (const char *)name.bytes);
	*key = decode_word(bytes, &blob, &word) ? ssh_public_decode(blob, type) : NULL;
	return *key != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "a malformed %s key", type->name);
}
