#include "ppf/measure/start.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpucrypt/device/probe.h"
#include "ppf/measure/bench.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

#define LANE_BYTES ((size_t)8 << 20)

/* Create used queues and memory, which a run leaves for the end of the process to release. */
static void use_device(cl_context context, cl_device_id device)
{
	static const cl_uint zero;

	for (unsigned i = 0; i < OPENCL_LANES; i++) {
		cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
		cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, LANE_BYTES, NULL, NULL);

		if (queue != NULL && memory != NULL &&
		        clEnqueueFillBuffer(queue, memory, &zero, sizeof(zero), 0, LANE_BYTES, 0, NULL, NULL) ==
		                CL_SUCCESS)
			clFinish(queue);
	}
}

static void open_devices(double open_s[MAX_DEVICES])
{
	double begin = host_seconds(), found;
	struct inventory inventory;

	inventory_take(&inventory);
	found = host_seconds() - begin;
	for (unsigned i = 0; i < inventory.n_devices; i++) {
		const struct device *device = &inventory.devices[i];
		cl_context context;

		if (device->unusable[0] != '\0')
			continue;
		begin = host_seconds();
		context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
		open_s[i] = context != NULL ? found + host_seconds() - begin : 0;
		if (context != NULL)
			use_device(context, device->id);
	}
}

/* A driver may leave threads and exit handlers behind, so the child ends with _exit(). */
static void ask_child(struct start_seconds *seconds)
{
	double answer[MAX_DEVICES] = { 0 }, answered;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		return;
	child = fork();
	if (child == 0) {
		open_devices(answer);
		_exit(write(ends[1], answer, sizeof answer) != sizeof answer);
	}
	close(ends[1]);
	if (child > 0 && read(ends[0], answer, sizeof answer) == sizeof answer)
		memcpy(seconds->open_s, answer, sizeof answer);
	answered = host_seconds();
	close(ends[0]);
	if (child > 0 && waitpid(child, NULL, 0) == child)
		seconds->close_s = host_seconds() - answered;
}

void start_seconds(struct start_seconds *seconds)
{
	memset(seconds, 0, sizeof *seconds);
	probe_once();
	ask_child(seconds);
	ask_child(seconds);
}
