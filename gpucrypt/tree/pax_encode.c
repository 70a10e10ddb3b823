#include "gpucrypt/tree/pax_encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/utf8.h"

static bool is_utf8(const char *text)
{
	const unsigned char *next = (const unsigned char *)text;
	size_t n;

	for (; *next != '\0'; next += n) {
		n = utf8_character_bytes(next);
		if (n == 0)
			return false;
	}
	return true;
}

/* "LENGTH KEY=VALUE\n", where the length counts its own digits. */
static size_t put_record(char *to, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1;

	while ((size_t)snprintf(NULL, 0, "%zu", length) + rest != length)
		length++;
	return (size_t)sprintf(to, "%zu %s=%s\n", length, key, value);
}

static size_t put_number(char *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	return put_record(to, key, text);
}

/* Seconds are rounded down: -1.5 is -2 and 500000000 ns. */
static size_t put_time(char *to, int64_t seconds, uint32_t ns)
{
	bool borrows = seconds < 0 && ns > 0;
	char text[48];

	snprintf(text, sizeof text, "%s%" PRIu64 ".%09" PRIu32, seconds < 0 ? "-" : "",
	        (seconds < 0 ? -(uint64_t)seconds : (uint64_t)seconds) - borrows, borrows ? 1000000000 - ns : ns);
	return put_record(to, "mtime", text);
}

static bool has_link(const struct gpucrypt_entry *entry)
{
	return entry->hard_link || S_ISLNK(entry->mode);
}

uint64_t pax_content_bytes(const struct gpucrypt_entry *entry)
{
	return S_ISREG(entry->mode) && !entry->hard_link ? entry->size : 0;
}

/* All that has no room in a header, or is rounded there. */
static size_t put_records(char *to, const struct gpucrypt_entry *entry, const char *path)
{
	size_t n = 0;

	if (!is_utf8(path) || (has_link(entry) && !is_utf8(entry->link)))
		n += put_record(to + n, "hdrcharset", "BINARY");
	n += put_record(to + n, "path", path);
	if (has_link(entry))
		n += put_record(to + n, "linkpath", entry->link);
	n += put_time(to + n, entry->mtime_seconds, entry->mtime_ns);
	n += put_number(to + n, "size", pax_content_bytes(entry));
	n += put_number(to + n, "uid", entry->uid);
	return n + put_number(to + n, "gid", entry->gid);
}

/* As much of the number as has room: records have all of it. */
static void put_octal(char *field, size_t n_bytes, uint64_t value)
{
	uint64_t limit = (uint64_t)1 << 3 * (n_bytes - 1);

	snprintf(field, n_bytes, "%0*" PRIo64, (int)n_bytes - 1, value < limit ? value : 0);
}

static void seal(struct ustar *header, char type, uint64_t n_bytes)
{
	header->type = type;
	put_octal(header->size, sizeof header->size, n_bytes);
	memcpy(header->magic, USTAR_MAGIC, sizeof header->magic);
	snprintf(header->checksum, sizeof header->checksum, "%06o", ustar_checksum(header));
	header->checksum[7] = ' ';
}

static char type_of(const struct gpucrypt_entry *entry)
{
	if (entry->hard_link)
		return USTAR_HARD_LINK;
	return S_ISDIR(entry->mode)    ? USTAR_DIRECTORY
	       : S_ISLNK(entry->mode)  ? USTAR_SYMBOLIC_LINK
	       : S_ISFIFO(entry->mode) ? USTAR_FIFO
	                               : USTAR_FILE;
}

size_t pax_encode(uint8_t head[PAX_HEAD_BYTES], const struct gpucrypt_entry *entry)
{
	struct ustar *of_records = (struct ustar *)head, *of_entry;
	char path[PAX_NAME_BYTES];
	size_t n;

	memset(head, 0, PAX_HEAD_BYTES);
	snprintf(path, sizeof path, "%s%s", entry->path, S_ISDIR(entry->mode) ? "/" : "");
	n = put_records((char *)head + PAX_BLOCK_BYTES, entry, path);
	strcpy(of_records->name, "PaxHeader");
	put_octal(of_records->mode, sizeof of_records->mode, 0644);
	seal(of_records, USTAR_RECORDS, n);
	n += PAX_BLOCK_BYTES + pax_padding(n);
	of_entry = (struct ustar *)(head + n);
	memcpy(of_entry->name, path, strnlen(path, sizeof of_entry->name));
	if (has_link(entry))
		memcpy(of_entry->link, entry->link, strnlen(entry->link, sizeof of_entry->link));
	put_octal(of_entry->mode, sizeof of_entry->mode, entry->mode & 07777);
	put_octal(of_entry->uid, sizeof of_entry->uid, entry->uid);
	put_octal(of_entry->gid, sizeof of_entry->gid, entry->gid);
	put_octal(
	        of_entry->mtime, sizeof of_entry->mtime, entry->mtime_seconds > 0 ? (uint64_t)entry->mtime_seconds : 0);
	seal(of_entry, type_of(entry), pax_content_bytes(entry));
	return n + PAX_BLOCK_BYTES;
}
