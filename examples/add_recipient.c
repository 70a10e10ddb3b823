/*
 * Let the owner of a public key open containers, and list their key slots:
 * add_recipient PRIVATE.pem PUBLIC CONTAINER…
 */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_key(struct gpucrypt_secret *secret, uint8_t der[GPUCRYPT_KEY_BYTES], const char *name)
{
	char text[16384];
	FILE *stream = fopen(name, "r");
	size_t n = stream ? fread(text, 1, sizeof text, stream) : 0;
	int status = gpucrypt_key_read(secret, der, text, n, NULL);

	if (stream)
		fclose(stream);
	if (status != GPUCRYPT_OK)
		fprintf(stderr, "add_recipient: %s: %s\n", name, gpucrypt_error());
	explicit_bzero(text, sizeof text);
	return status;
}

static void list_slots(const struct gpucrypt_slot *slots, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		printf("  slot %u, type %d%s", slots[i].number, slots[i].type, slots[i].opened ? ", opened" : "");
		for (unsigned j = 0; slots[i].type >= GPUCRYPT_X25519 && j < sizeof slots[i].key_id; j++)
			printf("%s%02x", j == 0 ? ", key " : "", slots[i].key_id[j]);
		putchar('\n');
	}
}

static int add(const char *name, const struct gpucrypt_secret *own, const struct gpucrypt_secret *recipient)
{
	struct gpucrypt_source source = { .fd = open(name, O_RDWR | O_CLOEXEC) };
	struct gpucrypt_slot slots[GPUCRYPT_SLOTS];
	unsigned n = GPUCRYPT_SLOTS;
	int status = gpucrypt_slots_change(source.fd, own, recipient, -1);

	if (status == GPUCRYPT_OK)
		status = gpucrypt_slots_read(slots, &n, &source, own);
	if (status == GPUCRYPT_OK) {
		printf("%s:\n", name);
		list_slots(slots, n);
	} else {
		fprintf(stderr, "add_recipient: %s: %s\n", name, gpucrypt_error());
	}
	close(source.fd);
	return status;
}

int main(int argc, char **argv)
{
	uint8_t own_der[GPUCRYPT_KEY_BYTES], public_der[GPUCRYPT_KEY_BYTES];
	struct gpucrypt_secret own, recipient;
	int status = GPUCRYPT_USAGE;

	if (argc < 4)
		fputs("usage: add_recipient PRIVATE.pem PUBLIC CONTAINER...\n", stderr);
	else if (!(status = read_key(&own, own_der, argv[1])) && !(status = read_key(&recipient, public_der, argv[2])))
		for (int i = 3; i < argc && status == GPUCRYPT_OK; i++)
			status = add(argv[i], &own, &recipient);
	explicit_bzero(own_der, sizeof own_der);
	return status;
}
