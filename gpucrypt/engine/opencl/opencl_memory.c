/* Page-locked host memory: buffers that are mapped by an OpenCL device all the time.  Transfers from and to them need
 * no copy by the driver, and overlap other work. */
#include "gpucrypt/engine/opencl/opencl_memory.h"

/* Memory that the driver allocates (CL_MEM_ALLOC_HOST_PTR) is as fast, but NVIDIA's driver takes
 * five times as long to allocate it, in small pages (docs/performance.md). */
cl_int opencl_lock_memory(cl_mem *memory, cl_context context, cl_command_queue queue, uint8_t *bytes, size_t n_bytes)
{
	cl_int error;

	for (size_t i = 0; i < n_bytes; i += 4096) /* by this thread, not in the driver */
		bytes[i] = 0;
	*memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n_bytes, bytes, &error);
	if (error == CL_SUCCESS)
		clEnqueueMapBuffer(
		        queue, *memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n_bytes, 0, NULL, NULL, &error);
	if (error != CL_SUCCESS && *memory != NULL)
		clReleaseMemObject(*memory);
	return error;
}

void opencl_release_wiped(cl_command_queue queue, cl_mem buffer, size_t n_bytes)
{
	static const cl_uint zero;

	if (buffer == NULL)
		return;
	if (queue != NULL &&
	        clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, n_bytes, 0, NULL, NULL) == CL_SUCCESS)
		clFinish(queue);
	clReleaseMemObject(buffer);
}

void opencl_unlock_memory(cl_mem memory, cl_command_queue queue, uint8_t *bytes)
{
	clEnqueueUnmapMemObject(queue, memory, bytes, 0, NULL, NULL);
	clFinish(queue);
	clReleaseMemObject(memory);
}
