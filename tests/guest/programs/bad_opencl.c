// What OpenCL is given does not exist: each argument is a way to end by a bad pointer. First, that what may
// be wrong without a pointer to it gives an error.
#include "../../opencl/programs/common.h"

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  void* const nowhere = (void*)0x12345678;
  char name[64];
  size_t needed = 0;
  open_device();
  cl_command_queue queue = queue_with(0);
  cl_mem buffer = buffer_of(0, 4096, NULL);
  IS(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)nowhere));
  IS(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)nowhere, CL_DEVICE_NAME, 8, nowhere, NULL));
  IS(CL_INVALID_VALUE, clGetDeviceInfo(device, CL_DEVICE_NAME, 1, nowhere, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4096, 1, nowhere, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, NULL, 0, NULL, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, &needed));
  TRUE_THAT(strlen(name) + 1 == needed);
  fflush(stdout);
  if (strcmp(way, "read") == 0) clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, nowhere, 0, NULL, NULL);
  if (strcmp(way, "write") == 0) clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, nowhere, 0, NULL, NULL);
  if (strcmp(way, "answer") == 0) clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, nowhere, NULL);
  if (strcmp(way, "needed") == 0) clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, nowhere);
  if (strcmp(way, "list") == 0) clWaitForEvents(3, nowhere);
  if (strcmp(way, "text") == 0) clCreateProgramWithSource(context, 1, (const char**)&nowhere, NULL, NULL);
  if (strcmp(way, "pattern") == 0) clEnqueueFillBuffer(queue, buffer, nowhere, 4, 0, 64, 0, NULL, NULL);
  return finished("bad_opencl");
}
