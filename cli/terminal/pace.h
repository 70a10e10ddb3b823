/* Leave storage, network and processors to other programs: --bwlimit and --idle. */
#ifndef PACE_H
#define PACE_H

#include "cli/args/options.h"

/* Before working threads are started: they inherit the priorities.  The thread that waits for signals keeps its own. */
void pace_start(const struct options *options);

#endif
