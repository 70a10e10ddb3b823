#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/status.h"

int input_open(struct input *input, const char *name)
{
	int fd;

	*input = (struct input){ .source.fd = -1, .name = name };
	input->standard = !strcmp(name, "-");
	if (input->standard)
		input->name = "standard input";
	fd = input->standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	input->source.fd = fd;
	if (fstat(fd, &input->stat) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot read: %s", input->name, strerror(errno));
	if (S_ISDIR(input->stat.st_mode))
		return fail(GPUCRYPT_USAGE, "%s: directories are not supported by this release",
		        input->name);
	return source_open(&input->source, fd, input->name);
}

void input_close(struct input *input)
{
	if (input->source.fd >= 0 && !input->standard)
		close(input->source.fd);
	input->source.fd = -1;
}
