#include "cli/terminal/pace.h"

#include <errno.h>
#include <linux/ioprio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command/message.h"
#include "gpucrypt/pipeline/rate.h"

#define LOWEST_PRIORITY 19

static void become_idle(const struct options *options)
{
	if (setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY) != 0 && !options->quiet)
		message_warning(NULL, "--idle: the lowest priority was refused: %s", strerror(errno));
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)) != 0 &&
	        !options->quiet)
		message_warning(NULL, "--idle: the idle class of storage was refused: %s", strerror(errno));
}

void pace_start(const struct options *options)
{
	rate_limit(options->rate_bytes);
	if (options->idle)
		become_idle(options);
}
