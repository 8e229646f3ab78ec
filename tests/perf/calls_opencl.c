// Calls of one kind, N times. Arguments: the kind, N.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* const text = "__kernel void empty(int unused) {}";
  const int n = argc == 3 ? atoi(argv[2]) : 0;
  const size_t all = 32;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 1;
  const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  const cl_program program = clCreateProgramWithSource(context, 1, (const char**)&text, NULL, NULL);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 1;
  const cl_kernel kernel = clCreateKernel(program, "empty", NULL);
  cl_int status = CL_SUCCESS;
  for (int i = 0; i < n && status == CL_SUCCESS; ++i) {
    if (i == 0 || !strcmp(argv[1], "argument")) status = clSetKernelArg(kernel, 0, sizeof i, &i);
    if (i == 0 || !strcmp(argv[1], "argument")) continue;
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &all, 0, NULL, NULL);
    if (!strcmp(argv[1], "launch_and_wait")) status |= clFinish(queue);
  }
  return status == CL_SUCCESS && clFinish(queue) == CL_SUCCESS ? 0 : 1;
}
