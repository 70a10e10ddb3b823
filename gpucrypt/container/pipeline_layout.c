#include "gpucrypt/container/container.h"

#include "gpucrypt/container/group.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

static unsigned layout_lanes(const struct layout_part *part)
{
	return part->on_device ? opencl_lanes(part->device_is_cpu) : part->threads;
}

struct pipeline_layout pipeline_layout(const struct gpucrypt_plan *plan, const struct layout_part *parts,
        unsigned n_parts, uint64_t n_bytes, bool tags)
{
	struct pipeline_layout layout = { .group_bytes = UINT64_C(1)
		                                         << (plan->group_log2 ? plan->group_log2 : GROUP_LOG2_DEFAULT),
		.engine_tags = n_parts > 1 || !parts->on_device || !parts->device_is_cpu };
	unsigned spare = 0, waiting;
	struct read_threads read;

	for (unsigned i = 0; i < n_parts; i++) {
		layout.lanes += layout_lanes(&parts[i]);
		layout.devices += parts[i].on_device;
		layout.results += parts[i].on_device ? layout_lanes(&parts[i]) : 0;
		if (n_parts > 1 && !parts[i].on_device)
			spare = ALL_SPARE_SLOTS;
	}
	read = read_threads(plan, layout.devices, layout.group_bytes);
	layout.readers = read.readers;
	layout.helpers = read.helpers;
	layout.taggers = tags ? tag_workers(plan, layout.engine_tags) : 0;
	waiting = layout.devices == 0 ? layout.lanes : layout.readers;
	layout.slots = ring_slots(waiting + layout.lanes + layout.taggers + spare, layout.results, layout.group_bytes,
	        n_bytes / layout.group_bytes + 1, plan->memory_bytes);
	return layout;
}
