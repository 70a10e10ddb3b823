#include "cli/terminal/orderly_end.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/children.h"

#define MOST_MILLISECONDS 1000

/* `asked` is set before `request` is read, and read after `request` is cleared: a flag that is gone is never set. */
static atomic_bool *_Atomic request;
static atomic_bool asked, reached;

void orderly_end_request(atomic_bool *flag)
{
	request = flag;
}

void orderly_end_reached(void)
{
	request = NULL;
	reached = true;
	while (asked)
		pause();
}

void orderly_end_after_fork(void)
{
	asked = false;
}

static bool await_reached(void)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };

	for (int i = 0; i < MOST_MILLISECONDS && !reached; i++)
		nanosleep(&millisecond, NULL);
	return reached;
}

/* Children that need longer are ended, and the run records what others have done. */
void orderly_end_await(void)
{
	atomic_bool *flag;

	asked = true;
	flag = request;
	if (flag == NULL)
		return;
	*flag = true;
	if (!await_reached() && children_end())
		await_reached();
}
