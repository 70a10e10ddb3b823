#include "command/text.h"

#include <math.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#define MAX_DESCRIPTOR (1 << 20)

const char *number_parse(uint64_t *value, const char *text, bool units)
{
	static const char letters[] = "KMGT";
	const char *letter;
	const char *wrong =
	        units ? "not a number of bytes (suffixes: K, M, G, T, or KiB, MiB, GiB, TiB)" : "not a number";
	bool fits = true;

	if (*text < '0' || *text > '9')
		return wrong;
	for (*value = 0; *text >= '0' && *text <= '9'; text++)
		fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
		       !__builtin_add_overflow(*value, (uint64_t)(*text - '0'), value);
	if (units && *text && (letter = strchr(letters, *text))) {
		fits = fits && !__builtin_mul_overflow(*value, UINT64_C(1) << (10 * (letter - letters + 1)), value);
		text += !strcmp(text + 1, "iB") ? 3 : 1;
	}
	return *text ? wrong : fits ? NULL : "too large";
}

const char *figure_text(char text[16], double value)
{
	snprintf(text, 16, value <= 0 ? "-" : value >= 100 ? "%.0f" : "%.3g", value);
	return text;
}

void size_text(char text[32], uint64_t n_bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)n_bytes;
	size_t unit = 0;

	for (; value >= 1024 && fmod(value, 256) == 0; unit++)
		value /= 1024;
	snprintf(text, 32, "%.10g %s", value, units[unit]);
}

void amount_text(char text[16], double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	size_t unit = 0;

	for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		bytes /= 1000;
	snprintf(text, 16, "%.*f %s", unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2, bytes, units[unit]);
}

double gigabytes_per_s(uint64_t n_bytes, double seconds)
{
	return seconds > 0 ? 1e-9 * (double)n_bytes / seconds : 0;
}

static const char small[] = "0123456789abcdef";

void hex_encode(char *digits, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++) {
		*digits++ = small[bytes[i] >> 4];
		*digits++ = small[bytes[i] & 15];
	}
	*digits = '\0';
}

bool hex_decode(uint8_t *bytes, size_t n_bytes, const char *digits)
{
	for (size_t i = 0; i < n_bytes; i++) {
		int high = OPENSSL_hexchar2int((unsigned char)digits[2 * i]);
		int low = high < 0 ? -1 : OPENSSL_hexchar2int((unsigned char)digits[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

enum secret_source secret_source_parse(const char *text, const char **rest)
{
	static const char *const prefixes[] = { [SECRET_FROM_ENV] = "env:",
		[SECRET_FROM_FILE] = "file:",
		[SECRET_FROM_FD] = "fd:",
		[SECRET_FROM_COMMAND] = "cmd:" };

	for (size_t i = SECRET_FROM_ENV; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);

		*rest = text + n;
		if (!strncmp(text, prefixes[i], n) && text[n])
			return (enum secret_source)i;
	}
	return SECRET_SOURCE_UNKNOWN;
}

int descriptor_parse(const char *text)
{
	uint64_t number;

	return number_parse(&number, text, false) || number > MAX_DESCRIPTOR ? -1 : (int)number;
}
