/* Page-locked memory of the host: buffers that an OpenCL device has mapped from the beginning.
 * Transfers from and to it need no copy by the driver, and run beside everything else. */
#include "engine_opencl.h"
#include "status.h"

int opencl_allocate(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine;
	cl_int error;
	cl_mem memory = clCreateBuffer(ocl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
	        n_bytes, NULL, &error);

	if (error == CL_SUCCESS)
		buffer->bytes = clEnqueueMapBuffer(ocl->lanes[0].queue, memory, CL_TRUE,
		        CL_MAP_READ | CL_MAP_WRITE, 0, n_bytes, 0, NULL, NULL, &error);
	if (error != CL_SUCCESS) {
		if (memory != NULL)
			clReleaseMemObject(memory);
		return fail(GPUCRYPT_DEVICE, "%s: no memory of the host: %s", ocl->device->name,
		        opencl_error(error));
	}
	buffer->handle = memory;
	return GPUCRYPT_OK;
}

void opencl_release(struct engine *engine, struct host_buffer *buffer)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine;

	clEnqueueUnmapMemObject(
	        ocl->lanes[0].queue, buffer->handle, buffer->bytes, 0, NULL, NULL);
	clFinish(ocl->lanes[0].queue);
	clReleaseMemObject(buffer->handle);
}
