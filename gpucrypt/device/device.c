#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gpucrypt/device/device.h"
#include "gpucrypt/status.h"

/* Errors. */

const char *opencl_error(char text[OPENCL_ERROR_BYTES], cl_int error)
{
	static const struct {
		cl_int number;
		const char *name;
	} names[] = {
		{ CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
		{ CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE" },
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
		{ CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
		{ CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
		{ CL_INVALID_VALUE, "CL_INVALID_VALUE" },
		{ CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
		{ CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
		{ CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == error)
			return names[i].name;
	snprintf(text, OPENCL_ERROR_BYTES, "OpenCL error %d", error);
	return text;
}

int device_failure(const struct device *device, const char *what, cl_int error)
{
	char text[OPENCL_ERROR_BYTES];

	return fail(GPUCRYPT_DEVICE, "%s: %s: %s", device->name, what, opencl_error(text, error));
}

/* The inventory. */

/* A text that is longer than the field is truncated. */
static void device_text(cl_device_id id, cl_device_info what, char *text, size_t n)
{
	char long_text[1024];

	if (clGetDeviceInfo(id, what, sizeof(long_text), long_text, NULL) != CL_SUCCESS)
		snprintf(long_text, sizeof(long_text), "unknown");
	snprintf(text, n, "%.*s", (int)n - 1, long_text);
}

uint64_t device_number(cl_device_id id, cl_device_info what)
{
	uint64_t number = 0;

	/* cl_uint, size_t and cl_ulong alike: little-endian hosts. */
	if (clGetDeviceInfo(id, what, sizeof(number), &number, NULL) != CL_SUCCESS)
		return 0;
	return number;
}

unsigned nvidia_capability(const struct device *device)
{
	enum { CAPABILITY_MAJOR = 0x4000, CAPABILITY_MINOR = 0x4001 }; /* cl_nv_device_attribute_query */

	return strncmp(device->vendor, "NVIDIA", 6) != 0
	               ? 0
	               : 10 * (unsigned)device_number(device->id, CAPABILITY_MAJOR) +
	                         (unsigned)device_number(device->id, CAPABILITY_MINOR);
}

static void find_fault(struct device *device)
{
	const char *why = "";

	if (!device_number(device->id, CL_DEVICE_AVAILABLE))
		why = "the driver says that the device is not available";
	else if (!device_number(device->id, CL_DEVICE_COMPILER_AVAILABLE))
		why = "the device has no OpenCL C compiler";
	else if (!device_number(device->id, CL_DEVICE_ENDIAN_LITTLE))
		why = "the device is big-endian";
	else if (strncmp(device->version, "OpenCL 1.0", 10) == 0 || strncmp(device->version, "OpenCL 1.1", 10) == 0)
		why = "the device is older than OpenCL 1.2";
	snprintf(device->unusable, sizeof(device->unusable), "%s", why);
}

static void describe_device(struct device *device, cl_platform_id platform, cl_device_id id)
{
	uint64_t type = device_number(id, CL_DEVICE_TYPE);

	memset(device, 0, sizeof(*device));
	device->id = id;
	device->platform = platform;
	device_text(id, CL_DEVICE_NAME, device->name, sizeof(device->name));
	device_text(id, CL_DEVICE_VENDOR, device->vendor, sizeof(device->vendor));
	device_text(id, CL_DRIVER_VERSION, device->driver, sizeof(device->driver));
	device_text(id, CL_DEVICE_VERSION, device->version, sizeof(device->version));
	if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(device->platform_name), device->platform_name, NULL) !=
	        CL_SUCCESS)
		snprintf(device->platform_name, sizeof(device->platform_name), "unknown");
	device->cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
	device->gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
	device->ptx = nvidia_capability(device) >= 61; /* dp4a: PTX ISA */
	device->ecc = device_number(id, CL_DEVICE_ERROR_CORRECTION_SUPPORT) != 0;
	device->compute_units = (unsigned)device_number(id, CL_DEVICE_MAX_COMPUTE_UNITS);
	device->max_work_items = (unsigned)device_number(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	device->vector_words = (unsigned)device_number(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT);
	device->local_bytes = device_number(id, CL_DEVICE_LOCAL_MEM_SIZE);
	device->constant_bytes = device_number(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
	device->global_bytes = device_number(id, CL_DEVICE_GLOBAL_MEM_SIZE);
	device->max_buffer_bytes = device_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	find_fault(device);
}

/* Compare the PCI addresses or the UUIDs of two devices: 1 if they are equal, 0 if they differ, -1 if a driver does not
 * report one of them.  cl_khr_pci_bus_info: domain, bus, device, function; cl_khr_device_uuid. */
static int equal_info(const struct device *a, const struct device *b, cl_device_info what)
{
	static const uint8_t unset[16];
	uint8_t of_a[sizeof(unset)] = { 0 }, of_b[sizeof(unset)] = { 0 };
	size_t n_a = 0, n_b = 0;

	if (clGetDeviceInfo(a->id, what, sizeof(of_a), of_a, &n_a) != CL_SUCCESS ||
	        clGetDeviceInfo(b->id, what, sizeof(of_b), of_b, &n_b) != CL_SUCCESS || n_a != sizeof(unset) ||
	        n_b != sizeof(unset) || memcmp(of_a, unset, sizeof(unset)) == 0)
		return -1;
	return memcmp(of_a, of_b, sizeof(of_a)) == 0;
}

/* One platform lists each device once, and may list two devices of the same name.  A driver that is registered twice,
 * or a second driver of the same device, has another platform. */
static bool same_device(const struct device *a, const struct device *b)
{
	static const cl_device_info places[] = { 0x410f /* CL_DEVICE_PCI_BUS_INFO_KHR */,
		0x106a /* CL_DEVICE_UUID_KHR */ };
	int equal = -1;

	if (a->id == b->id || a->platform == b->platform)
		return a->id == b->id;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && equal < 0; i++)
		equal = equal_info(a, b, places[i]);
	if (equal >= 0)
		return equal != 0;
	return strcmp(a->name, b->name) == 0 && strcmp(a->vendor, b->vendor) == 0 &&
	       strcmp(a->platform_name, b->platform_name) == 0 && strcmp(a->driver, b->driver) == 0;
}

/* List each device once, by a driver with which the device can be used. */
static void add_device(struct inventory *inventory, cl_platform_id platform, cl_device_id id)
{
	struct device device;

	describe_device(&device, platform, id);
	for (unsigned i = 0; i < inventory->n_devices; i++)
		if (same_device(&inventory->devices[i], &device)) {
			if (inventory->devices[i].unusable[0] != '\0')
				inventory->devices[i] = device;
			return;
		}
	if (inventory->n_devices < MAX_DEVICES)
		inventory->devices[inventory->n_devices++] = device;
}

static void add_platform(struct inventory *inventory, cl_platform_id platform)
{
	cl_device_id ids[MAX_DEVICES];
	cl_uint n = 0;

	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &n) != CL_SUCCESS)
		return;
	for (cl_uint i = 0; i < n && i < MAX_DEVICES; i++)
		add_device(inventory, platform, ids[i]);
}

/* The loader is opened without the drivers that are left out. */
static void explain_no_device(struct inventory *inventory, unsigned n_platforms, cl_int error)
{
	const size_t n = sizeof(inventory->failure);
	struct drivers drivers;

	drivers_list(&drivers);
	if (loader_explain(inventory->failure, n) || drivers_unloadable(&drivers, inventory->failure, n))
		return;
	if (n_platforms > 0)
		snprintf(inventory->failure, n, "%u OpenCL platform%s, but no device", n_platforms,
		        n_platforms == 1 ? "" : "s");
	else
		snprintf(inventory->failure, n, "no OpenCL platform: %u driver%s installed (the ICD loader answers %d)",
		        drivers.n, drivers.n == 1 ? " is" : "s are", error);
}

static void list_devices(struct inventory *inventory)
{
	cl_platform_id platforms[MAX_DEVICES];
	cl_uint n = 0;
	cl_int error = loader_open() ? clGetPlatformIDs(MAX_DEVICES, platforms, &n) : CL_DEVICE_NOT_FOUND;

	memset(inventory, 0, sizeof(*inventory));
	if (error != CL_SUCCESS)
		n = 0;
	for (cl_uint i = 0; i < n && i < MAX_DEVICES; i++)
		add_platform(inventory, platforms[i]);
	if (inventory->n_devices == 0)
		explain_no_device(inventory, n, error);
}

/* Drivers prepare their devices at the first call, which PoCL cannot do on two threads at once. */
void inventory_take(struct inventory *inventory)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	probe_once();
	list_devices(inventory);
	pthread_mutex_unlock(&mutex);
}

/* GPU before accelerator before CPU; 0: not usable. */
static int device_rank(const struct device *device)
{
	if (device->unusable[0] != '\0')
		return 0;
	return device->gpu ? 3 : device->cpu ? 1 : 2;
}

static const struct device *device_numbered(const struct inventory *inventory, unsigned number)
{
	const struct device *device;
	char left_out[sizeof(inventory->failure)] = "";

	if (number > inventory->n_devices) {
		loader_explain(left_out, sizeof(left_out));
		fail(GPUCRYPT_DEVICE, "OpenCL device %u: not found (this machine has %u)%s%s", number - 1,
		        inventory->n_devices, left_out[0] != '\0' ? ": " : "", left_out);
		return NULL;
	}
	device = &inventory->devices[number - 1];
	if (device->unusable[0] != '\0') {
		fail(GPUCRYPT_DEVICE, "OpenCL device %u (%s): %s", number - 1, device->name, device->unusable);
		return NULL;
	}
	return device;
}

const struct device *inventory_choose(const struct inventory *inventory, unsigned number)
{
	const struct device *best = NULL;

	if (inventory->failure[0] != '\0') {
		fail(GPUCRYPT_DEVICE, "OpenCL: %s", inventory->failure);
		return NULL;
	}
	if (number != 0)
		return device_numbered(inventory, number);
	for (unsigned i = 0; i < inventory->n_devices; i++) {
		const struct device *device = &inventory->devices[i];
		if (device_rank(device) > (best == NULL ? 0 : device_rank(best)))
			best = device;
	}
	if (best == NULL)
		fail(GPUCRYPT_DEVICE, "OpenCL: no device can be used: %s", inventory->devices[0].unusable);
	return best;
}

/* Contexts. */

/* Each has a mutex of its own: a driver that hangs while it creates a context holds back no other device. */
struct kept_context {
	cl_device_id id;       /* NULL: not used yet */
	pthread_mutex_t mutex; /* protects context */
	cl_context context;
};

static struct {
	pthread_mutex_t mutex; /* protects the ids */
	struct kept_context kept[MAX_DEVICES];
} contexts = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* Locked, and the caller unlocks it; NULL: all are used. */
static struct kept_context *context_of(const struct device *device)
{
	struct kept_context *kept = contexts.kept, *end = kept + MAX_DEVICES;

	pthread_mutex_lock(&contexts.mutex);
	while (kept < end && kept->id != NULL && kept->id != device->id)
		kept++;
	if (kept < end && kept->id == NULL) {
		kept->id = device->id;
		pthread_mutex_init(&kept->mutex, NULL);
	}
	pthread_mutex_unlock(&contexts.mutex);
	if (kept == end)
		return NULL;
	pthread_mutex_lock(&kept->mutex);
	return kept;
}

cl_int device_context(cl_context *context, const struct device *device)
{
	struct kept_context *kept = context_of(device);
	cl_int error = CL_OUT_OF_HOST_MEMORY;

	*context = NULL;
	if (kept == NULL)
		return error;
	if (kept->context == NULL)
		kept->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
	*context = kept->context;
	pthread_mutex_unlock(&kept->mutex);
	return *context != NULL ? CL_SUCCESS : error;
}

void device_context_forget(const struct device *device)
{
	struct kept_context *kept = context_of(device);

	if (kept == NULL)
		return;
	kept->context = NULL;
	pthread_mutex_unlock(&kept->mutex);
}

void device_contexts_release(void)
{
	for (struct kept_context *kept = contexts.kept; kept < contexts.kept + MAX_DEVICES; kept++) {
		if (kept->context != NULL)
			clReleaseContext(kept->context);
		kept->context = NULL;
	}
}

cl_int event_seconds(cl_event event, double *seconds)
{
	cl_ulong start = 0, end = 0;
	cl_int error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);

	if (error == CL_SUCCESS)
		error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	*seconds = end > start ? 1e-9 * (double)(end - start) : 0;
	return error;
}
