/* The amount of written data that the system keeps in memory before it starts to store the data. */
#ifndef WRITEBACK_H
#define WRITEBACK_H

#include <stdint.h>

/* Returns UINT64_MAX, which means all data, if the system does not report a limit. */
uint64_t writeback_bytes(void);

#endif
