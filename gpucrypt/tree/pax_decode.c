#include "gpucrypt/tree/pax_decode.h"

#include <string.h>
#include <sys/stat.h>

#include "gpucrypt/status.h"

static int damaged(const char *what)
{
	return fail(GPUCRYPT_CORRUPT, "tree: the archive in the container is damaged: %s", what);
}

/* Records. */

/* Decimal digits without a sign; *used of them. */
static int decode_digits(uint64_t *number, const char *text, size_t n_bytes, size_t *used)
{
	*number = 0;
	for (*used = 0; *used < n_bytes && text[*used] >= '0' && text[*used] <= '9'; ++*used)
		if (__builtin_mul_overflow(*number, 10, number) ||
		        __builtin_add_overflow(*number, (uint64_t)(text[*used] - '0'), number))
			return damaged("a number of more than 64 bits");
	return *used > 0 ? GPUCRYPT_OK : damaged("a record without its number");
}

static int decode_decimal(uint64_t *number, const char *text, size_t n_bytes, uint64_t limit)
{
	size_t used;
	int status = decode_digits(number, text, n_bytes, &used);

	if (status == GPUCRYPT_OK && (used != n_bytes || *number > limit))
		return damaged("a number out of range");
	return status;
}

static int decode_size(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	fields->has_size = true;
	return decode_decimal(&fields->stored_bytes, text, n_bytes, INT64_MAX);
}

static int decode_expanded(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_decimal(&fields->expanded_bytes, text, n_bytes, INT64_MAX);
}

static int decode_id(uint32_t *id, bool *has, const char *text, size_t n_bytes)
{
	uint64_t number;
	int status = decode_decimal(&number, text, n_bytes, UINT32_MAX);

	*has = true;
	*id = (uint32_t)number;
	return status;
}

static int decode_uid(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_id(&fields->entry.uid, &fields->has_uid, text, n_bytes);
}

static int decode_gid(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_id(&fields->entry.gid, &fields->has_gid, text, n_bytes);
}

static int decode_name(char name[PAX_NAME_BYTES], const char *text, size_t n_bytes)
{
	if (n_bytes == 0 || n_bytes >= PAX_NAME_BYTES || memchr(text, '\0', n_bytes) != NULL)
		return damaged("a name that is empty, or has more than 4095 bytes or a zero byte");
	memcpy(name, text, n_bytes);
	name[n_bytes] = '\0';
	return GPUCRYPT_OK;
}

static int decode_path(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_name(fields->path, text, n_bytes);
}

static int decode_link(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_name(fields->link, text, n_bytes);
}

/* Nanoseconds, of which later digits are left out. */
static int decode_fraction(uint32_t *ns, const char *text, size_t n_bytes)
{
	uint32_t unit = 100000000;

	*ns = 0;
	for (size_t i = 0; i < n_bytes; i++, unit /= 10) {
		if (text[i] < '0' || text[i] > '9')
			return damaged("a time that is no number");
		*ns += unit * (uint32_t)(text[i] - '0');
	}
	return GPUCRYPT_OK;
}

/* Seconds are rounded down. */
static int decode_time(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	bool negative = n_bytes > 0 && text[0] == '-';
	uint64_t seconds;
	uint32_t ns = 0;
	size_t used;
	int status;

	text += negative;
	n_bytes -= negative;
	status = decode_digits(&seconds, text, n_bytes, &used);
	if (status == GPUCRYPT_OK && (seconds >= INT64_MAX || (used < n_bytes && text[used] != '.')))
		status = damaged("a time out of range");
	if (status == GPUCRYPT_OK && used < n_bytes)
		status = decode_fraction(&ns, text + used + 1, n_bytes - used - 1);
	fields->has_time = true;
	fields->entry.mtime_seconds = negative ? -(int64_t)seconds - (ns > 0) : (int64_t)seconds;
	fields->entry.mtime_ns = negative && ns > 0 ? 1000000000 - ns : ns;
	return status;
}

static int decode_major(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	fields->sparse = true;
	return n_bytes == 1 && *text == '1' ? GPUCRYPT_OK : damaged("holes in another form than GNU's 1.0");
}

static int decode_minor(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	(void)fields;
	return n_bytes == 1 && *text == '0' ? GPUCRYPT_OK : damaged("holes in another form than GNU's 1.0");
}

static int decode_other_form(struct pax_fields *fields, const char *text, size_t n_bytes)
{
	return decode_major(fields, text, n_bytes & 0);
}

/* Keys that this reader knows: others, such as extended attributes, are skipped. */
static const struct {
	const char *key;
	int (*decode)(struct pax_fields *fields, const char *text, size_t n_bytes);
} records[] = { { "path", decode_path }, { "linkpath", decode_link }, { "size", decode_size }, { "mtime", decode_time },
	{ "uid", decode_uid }, { "gid", decode_gid }, { "GNU.sparse.major", decode_major },
	{ "GNU.sparse.minor", decode_minor }, { "GNU.sparse.name", decode_path },
	{ "GNU.sparse.realsize", decode_expanded }, { "GNU.sparse.map", decode_other_form },
	{ "GNU.sparse.size", decode_other_form }, { "GNU.sparse.numblocks", decode_other_form } };

static int decode_record(struct pax_fields *fields, const char *key, size_t key_bytes, const char *text, size_t n_bytes)
{
	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		if (strlen(records[i].key) == key_bytes && memcmp(records[i].key, key, key_bytes) == 0)
			return records[i].decode(fields, text, n_bytes);
	return GPUCRYPT_OK;
}

int pax_decode_records(struct pax_fields *fields, const uint8_t *bytes, size_t n_bytes)
{
	const char *next = (const char *)bytes, *end = next + n_bytes, *key, *equals;
	int status = GPUCRYPT_OK;
	uint64_t length;
	size_t used;

	for (; status == GPUCRYPT_OK && next < end; next += length) {
		status = decode_digits(&length, next, (size_t)(end - next), &used);
		if (status != GPUCRYPT_OK)
			break;
		if (length > (uint64_t)(end - next) || length < used + 3 || next[used] != ' ' ||
		        next[length - 1] != '\n')
			return damaged("a record of a wrong length");
		key = next + used + 1;
		equals = memchr(key, '=', (size_t)(next + length - key));
		if (equals == NULL)
			return damaged("a record without a value");
		status = decode_record(
		        fields, key, (size_t)(equals - key), equals + 1, (size_t)(next + length - 1 - (equals + 1)));
	}
	return status;
}

/* Headers. */

int pax_check_header(const struct ustar *header)
{
	uint64_t sum;
	int status = pax_decode_number(&sum, header->checksum, sizeof header->checksum);

	if (status == GPUCRYPT_OK &&
	        (sum != ustar_checksum(header) || memcmp(header->magic, USTAR_MAGIC, sizeof header->magic) != 0))
		return damaged("no header where one has to be");
	return status;
}

/* GNU's form of large numbers, which pax programs write as well. */
static int decode_binary(uint64_t *number, const uint8_t *field, size_t n_bytes)
{
	*number = field[0] & 0x3f;
	for (size_t i = 1; i < n_bytes; i++) {
		if (*number >> 55 != 0)
			return damaged("a number of more than 63 bits");
		*number = *number << 8 | field[i];
	}
	return field[0] & 0x40 ? damaged("a negative number") : GPUCRYPT_OK;
}

int pax_decode_number(uint64_t *number, const char *field, size_t n_bytes)
{
	size_t i = 0;

	if (field[0] & 0x80)
		return decode_binary(number, (const uint8_t *)field, n_bytes);
	*number = 0;
	while (i < n_bytes && field[i] == ' ')
		i++;
	for (; i < n_bytes && field[i] >= '0' && field[i] <= '7'; i++)
		*number = *number << 3 | (unsigned)(field[i] - '0');
	for (; i < n_bytes; i++)
		if (field[i] != ' ' && field[i] != '\0')
			return damaged("a number that is not octal");
	return GPUCRYPT_OK;
}

/* The name, with the prefix before a slash. */
static void join_name(char path[PAX_NAME_BYTES], const struct ustar *header)
{
	size_t n = strnlen(header->prefix, sizeof header->prefix), length = strnlen(header->name, sizeof header->name);

	memcpy(path, header->prefix, n);
	if (n > 0)
		path[n++] = '/';
	memcpy(path + n, header->name, length);
	path[n + length] = '\0';
}

static void add_names(struct pax_fields *fields, const struct ustar *header)
{
	size_t length = strnlen(header->link, sizeof header->link);

	if (fields->path[0] == '\0')
		join_name(fields->path, header);
	if (fields->link[0] == '\0') {
		memcpy(fields->link, header->link, length);
		fields->link[length] = '\0';
	}
	length = strlen(fields->path);
	if (header->type == USTAR_DIRECTORY && length > 1 && fields->path[length - 1] == '/')
		fields->path[length - 1] = '\0';
	fields->entry.path = fields->path;
}

/* Numbers that have no record.  A time before 1970 has one. */
static int add_numbers(struct pax_fields *fields, const struct ustar *header)
{
	struct gpucrypt_entry *entry = &fields->entry;
	uint64_t mode = 0, uid = entry->uid, gid = entry->gid, mtime = 0;
	int status = pax_decode_number(&mode, header->mode, sizeof header->mode);

	if (status == GPUCRYPT_OK && !fields->has_uid)
		status = pax_decode_number(&uid, header->uid, sizeof header->uid);
	if (status == GPUCRYPT_OK && !fields->has_gid)
		status = pax_decode_number(&gid, header->gid, sizeof header->gid);
	if (status == GPUCRYPT_OK && !fields->has_size)
		status = pax_decode_number(&fields->stored_bytes, header->size, sizeof header->size);
	if (status == GPUCRYPT_OK && !fields->has_time) {
		status = pax_decode_number(&mtime, header->mtime, sizeof header->mtime);
		entry->mtime_seconds = (int64_t)mtime;
	}
	if (status == GPUCRYPT_OK && (uid > UINT32_MAX || gid > UINT32_MAX))
		return damaged("an owner out of range");
	entry->mode = (uint32_t)mode & 07777;
	entry->uid = (uint32_t)uid;
	entry->gid = (uint32_t)gid;
	return status;
}

static int add_type(struct pax_fields *fields, const struct ustar *header)
{
	static const struct {
		char type;
		mode_t mode;
	} types[] = { { USTAR_FILE, S_IFREG }, { USTAR_HARD_LINK, S_IFREG }, { USTAR_SYMBOLIC_LINK, S_IFLNK },
		{ USTAR_CHARACTER_DEVICE, S_IFCHR }, { USTAR_BLOCK_DEVICE, S_IFBLK }, { USTAR_DIRECTORY, S_IFDIR },
		{ USTAR_FIFO, S_IFIFO } };
	struct gpucrypt_entry *entry = &fields->entry;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == header->type)
			entry->mode |= types[i].mode;
	entry->hard_link = header->type == USTAR_HARD_LINK;
	if (entry->hard_link || header->type == USTAR_SYMBOLIC_LINK)
		entry->link = fields->link;
	if (header->type != USTAR_FILE && (fields->stored_bytes > 0 || fields->sparse))
		return damaged("content of an entry that is no file");
	entry->size = fields->sparse ? fields->expanded_bytes : fields->stored_bytes;
	return GPUCRYPT_OK;
}

int pax_decode_header(struct pax_fields *fields, const struct ustar *header)
{
	int status = add_numbers(fields, header);

	add_names(fields, header);
	return status == GPUCRYPT_OK ? add_type(fields, header) : status;
}
