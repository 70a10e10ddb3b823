/* Serve the plaintext of a container on 127.0.0.1, with ranges: a player seeks in a film that stays encrypted on disk.
 * http_ranges KEY CONTAINER PORT, then: curl -r 1000000-1999999 http://127.0.0.1:PORT/ */
#define _GNU_SOURCE
#include <gpucrypt.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gpucrypt_file *file; /* all threads read it at the same time */

/* If a read fails, the client notices that the connection ends before Content-Length. */
static void send_range(int client, uint64_t from, uint64_t end)
{
	char bytes[1 << 16];

	for (size_t n; from < end; from += n) {
		n = end - from < sizeof bytes ? (size_t)(end - from) : sizeof bytes;
		if (gpucrypt_pread(file, bytes, n, from) != GPUCRYPT_OK)
			fprintf(stderr, "http_ranges: %s\n", gpucrypt_error());
		else if (write(client, bytes, n) == (ssize_t)n)
			continue;
		break;
	}
}

/* One request. Several ranges, and a number of last bytes, are answered with the whole, as RFC 9110 permits. */
static void *answer(void *stream)
{
	static const char *const kinds[] = { "200 OK", "206 Partial Content", "416 Range Not Satisfiable" };
	uint64_t size = gpucrypt_size(file), from = 0, last = UINT64_MAX, end;
	int client = fileno(stream), kind = 0; /* 1: partial, 2: impossible */
	char line[4096];

	while (fgets(line, sizeof line, stream) && strcmp(line, "\r\n") != 0)
		if (strncasecmp(line, "Range: bytes=", 13) == 0 && line[13] != '-' && !strchr(line, ','))
			kind = sscanf(line + 13, "%" SCNu64 "-%" SCNu64, &from, &last) > 0;
	end = last < size ? last + 1 : size;
	if (from > end || (kind == 1 && from == end))
		kind = 2;
	dprintf(client, "HTTP/1.1 %s\r\nConnection: close\r\nAccept-Ranges: bytes\r\nContent-Length: %" PRIu64 "\r\n",
	        kinds[kind], kind == 2 ? 0 : end - from);
	if (kind == 1)
		dprintf(client, "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n", from, end - 1, size);
	dprintf(client, "\r\n");
	send_range(client, from, end);
	fclose(stream);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned char key[33]; /* one more, to reject a longer file */
	int key_fd = argc == 4 ? open(argv[1], O_RDONLY) : -1, listener = socket(AF_INET, SOCK_STREAM, 0);
	struct gpucrypt_source source = { .fd = argc == 4 ? open(argv[2], O_RDONLY) : -1 };
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = 32 };
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	pthread_t thread;
	int status;

	if (key_fd < 0 || source.fd < 0 || read(key_fd, key, sizeof key) != 32)
		return fputs("usage: http_ranges KEY CONTAINER PORT, where KEY has 32 bytes\n", stderr), GPUCRYPT_USAGE;
	status = gpucrypt_open(&file, &source, NULL, &secret);
	if (status != GPUCRYPT_OK)
		return fprintf(stderr, "http_ranges: %s: %s\n", argv[2], gpucrypt_error()), status;
	here.sin_port = htons((uint16_t)atoi(argv[3]));
	signal(SIGPIPE, SIG_IGN); /* a client may close its connection early */
	if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 64) != 0)
		return perror("http_ranges"), GPUCRYPT_IO;
	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;)
		if (pthread_create(&thread, NULL, answer, fdopen(fd, "r")) == 0)
			pthread_detach(thread);
	return GPUCRYPT_IO;
}
