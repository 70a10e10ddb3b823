/* How much of what is written the system keeps in memory before it begins to store it. */
#ifndef WRITEBACK_H
#define WRITEBACK_H

#include <stdint.h>

/* UINT64_MAX where the system does not say: all of it. */
uint64_t writeback_bytes(void);

#endif
