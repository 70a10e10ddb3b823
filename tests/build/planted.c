/* A kernel that writes out of bounds: the simulator must find it, or its silence means nothing. */
#include <stdio.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static const char *text = "__kernel void planted(__global int *p) { p[get_global_id(0)] = 1; }";

int main(void)
{
	size_t items = 17;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffer;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
	        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 16 * sizeof(cl_int), NULL, NULL);
	program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
		return 1;
	kernel = clCreateKernel(program, "planted", NULL);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
	clFinish(queue);
	printf("planted kernel ran\n");
	return 0;
}
