/*
 * Threads, slots and sizes of the pipeline that a plan makes a container with, before anything is opened: what
 * writer_run_items() uses, for predictions.
 */
#ifndef GPUCRYPT_CONTAINER_PIPELINE_LAYOUT_H
#define GPUCRYPT_CONTAINER_PIPELINE_LAYOUT_H

#include "gpucrypt/engine/engine.h"

/* One engine of the run: a device, or threads of the CPU. */
struct layout_part {
	bool on_device, device_is_cpu;
	unsigned threads; /* of the CPU engine */
};

struct pipeline_layout {
	uint64_t group_bytes;
	unsigned readers, helpers; /* struct read_threads */
	unsigned lanes, devices;
	bool engine_tags; /* the lanes compute the tags */
	unsigned taggers; /* threads that compute tags, or only finish those of the lanes; 0: the run has no tags */
	unsigned slots;   /* of the ring, each with a group */
	unsigned results; /* buffers of a slot's size that lanes of devices own */
};

/* n_parts 1: that engine alone; more: a hybrid.  Only plan's threads, group_log2 and memory_bytes count. */
struct pipeline_layout pipeline_layout(const struct gpucrypt_plan *plan, const struct layout_part *parts,
        unsigned n_parts, uint64_t n_bytes, bool tags);

#endif
