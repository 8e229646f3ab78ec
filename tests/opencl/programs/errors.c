// The errors that the specification lists, one call each.
#include "common.h"

static const char* kSource =
    "__kernel void one(__global int* a, int n, __local int* t) { t[0] = n; a[get_global_id(0)] = t[0]; }\n"
    "__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void fixed(__global int* a) { "
    "a[get_global_id(0)] = 1; }\n";

int main(void) {
  cl_int error;
  open_device();
  cl_uint count;
  IS(CL_INVALID_VALUE, clGetPlatformIDs(0, NULL, NULL));
  IS(CL_INVALID_VALUE, clGetPlatformInfo(platform, 1, 0, NULL, NULL));
  IS(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count));
  IS(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1 << 20, 0, NULL, &count));
  IS(CL_INVALID_VALUE, clGetDeviceInfo(device, 1, 0, NULL, NULL));
  char small[2];
  IS(CL_INVALID_VALUE, clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof small, small, NULL));

  clCreateContext(NULL, 0, &device, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  const cl_context_properties wrong[] = {CL_CONTEXT_PLATFORM, 0, 0}, unknown[] = {1, 0, 0};
  clCreateContext(wrong, 1, &device, NULL, NULL, &error);
  IS(CL_INVALID_PLATFORM, error);
  clCreateContext(unknown, 1, &device, NULL, NULL, &error);
  IS(CL_INVALID_PROPERTY, error);
  const cl_context_properties of_sync[] = {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
  const cl_context_properties twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_INTEROP_USER_SYNC,
                                         CL_TRUE, 0};
  clCreateContext(of_sync, 1, &device, NULL, NULL, &error);
  IS(CL_INVALID_PROPERTY, error);
  clCreateContext(twice, 1, &device, NULL, NULL, &error);
  IS(CL_INVALID_PROPERTY, error);
  IS(CL_INVALID_VALUE, clGetContextInfo(context, 1, 0, NULL, NULL));

  clCreateCommandQueue(context, device, 1 << 10, &error);
  IS(CL_INVALID_VALUE, error);
  cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  cl_command_queue queue = queue_with(0), elsewhere = clCreateCommandQueue(second, device, 0, &error);
  OK(error);
  const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  clCreateCommandQueueWithProperties(context, device, on_device, &error);
  IS(CL_INVALID_QUEUE_PROPERTIES, error);

  static int host[1024];
  clCreateBuffer(context, 0, 0, NULL, &error);
  IS(CL_INVALID_BUFFER_SIZE, error);
  clCreateBuffer(context, 0, (size_t)1 << 60, NULL, &error);
  IS(CL_INVALID_BUFFER_SIZE, error);
  clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &error);
  IS(CL_INVALID_HOST_PTR, error);
  clCreateBuffer(context, 0, 4, host, &error);
  IS(CL_INVALID_HOST_PTR, error);
  cl_mem buffer = buffer_of(0, sizeof host, NULL), read_only = buffer_of(CL_MEM_HOST_READ_ONLY, 64, NULL);
  cl_buffer_region region = {0, 0};
  clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  IS(CL_INVALID_BUFFER_SIZE, error);
  region.size = 8192;
  clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  IS(CL_INVALID_VALUE, error);
  clCreateSubBuffer(buffer, 0, 7, &region, &error);
  IS(CL_INVALID_VALUE, error);

  IS(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_CONTEXT, clEnqueueReadBuffer(elsewhere, buffer, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4093, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
  IS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, host, 1, NULL, NULL));
  const cl_event none[1] = {NULL};
  IS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, host, 1, none, NULL));
  IS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, read_only, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4097, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 4, 2, 8, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, host, 256, 0, 256, 0, NULL, NULL));
  const size_t origin[3] = {0, 0, 0}, empty[3] = {4, 0, 1}, box[3] = {64, 65, 1};
  IS(CL_INVALID_VALUE,
     clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, empty, 0, 0, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE,
     clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, box, 0, 0, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE,
     clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, box, 32, 0, 0, 0, host, 0, NULL, NULL));
  clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 8192, 0, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clEnqueueMapBuffer(queue, read_only, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &error);
  IS(CL_INVALID_OPERATION, error);
  IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, buffer, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, 1, 0, NULL, NULL));

  clCreateProgramWithSource(context, 0, &kSource, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  const size_t length = 4;
  const unsigned char* rubbish = (const unsigned char*)"\177ELF";
  cl_int of_binary;
  clCreateProgramWithBinary(context, 1, &device, &length, &rubbish, &of_binary, &error);
  IS(CL_INVALID_BINARY, error);
  IS(CL_INVALID_BINARY, of_binary);
  cl_program program = clCreateProgramWithSource(context, 1, &kSource, NULL, &error);
  OK(error);
  clCreateKernel(program, "one", &error);
  IS(CL_INVALID_PROGRAM_EXECUTABLE, error);
  IS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "--no-such-option", NULL, NULL));
  IS(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, "", NULL, NULL));
  OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  clCreateKernel(program, "two", &error);
  IS(CL_INVALID_KERNEL_NAME, error);
  cl_kernel kernel = kernel_of(program, "one"), fixed = kernel_of(program, "fixed");
  IS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
  const char* broken = "__kernel void k(__global int* a) {\n  a[0] = nothing;\n}\n";
  cl_program failing = clCreateProgramWithSource(context, 1, &broken, NULL, &error);
  OK(error);
  IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(failing, 0, NULL, "", NULL, NULL));
  char log[4096];
  cl_build_status status;
  OK(clGetProgramBuildInfo(failing, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  OK(clGetProgramBuildInfo(failing, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  TRUE_THAT(status == CL_BUILD_ERROR && strstr(log, ":2:10: error") != NULL &&
            strstr(log, "nothing") != NULL);
  clCreateKernel(failing, "k", &error);
  IS(CL_INVALID_PROGRAM_EXECUTABLE, error);

  const int number = 3;
  IS(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 3, sizeof number, &number));
  IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 8, &number));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof number, NULL));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, sizeof number, &number));
  IS(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 0, NULL));
  IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof queue, &queue));
  const size_t global = 64, local = 32, odd = 24, large = 1 << 20, zero = 0;
  IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(kernel, 1, sizeof number, &number));
  OK(clSetKernelArg(kernel, 2, 4, NULL));
  IS(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(queue, NULL, 1, NULL, &global, &local, 0, NULL, NULL));
  IS(CL_INVALID_WORK_DIMENSION,
     clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &global, &local, 0, NULL, NULL));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, NULL, &local, 0, NULL, NULL));  // nothing runs
  IS(CL_INVALID_WORK_GROUP_SIZE,
     clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &odd, 0, NULL, NULL));
  IS(CL_INVALID_WORK_GROUP_SIZE,
     clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &zero, 0, NULL, NULL));
  IS(CL_INVALID_WORK_ITEM_SIZE,
     clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL));
  IS(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(elsewhere, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  OK(clSetKernelArg(fixed, 0, sizeof buffer, &buffer));
  IS(CL_INVALID_WORK_GROUP_SIZE,
     clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, &global, 0, NULL, NULL));
  OK(clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, NULL, 0, NULL, NULL));
  // More groups than a grid has: two kernels cannot have the variable.
  cl_kernel counts = kernel_of(built("__global int count;\n"
                                     "__kernel void counts(void) { if (get_group_id(0) == 9) count++; }\n",
                                     "-cl-std=CL2.0 -cl-uniform-work-group-size"),
                               "counts");
  const size_t one = 1;
  OK(clEnqueueNDRangeKernel(queue, counts, 1, NULL, &global, &one, 0, NULL, NULL));
  IS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, counts, 1, NULL, &large, &one, 0, NULL, NULL));
  OK(clSetKernelArg(kernel, 2, 1 << 20, NULL));
  IS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  cl_mem released = buffer_of(0, 4096, NULL);
  OK(clSetKernelArg(fixed, 0, sizeof released, &released));
  OK(clReleaseMemObject(released));
  IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, NULL, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clGetKernelInfo(kernel, 1, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(kernel, device, 1, 0, NULL, NULL));

  cl_event event = clCreateUserEvent(context, &error);
  OK(error);
  IS(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
  IS(CL_INVALID_EVENT, clWaitForEvents(1, none));
  IS(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_RUNNING));
  IS(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
  IS(CL_PROFILING_INFO_NOT_AVAILABLE,
     clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 0, NULL, NULL));
  OK(clSetUserEventStatus(event, CL_COMPLETE));
  OK(clReleaseEvent(event));
  IS(CL_INVALID_EVENT, clReleaseEvent(event));

  TRUE_THAT(clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0) == NULL);
  TRUE_THAT(clSVMAlloc(context, 0, 0, 0) == NULL);
  TRUE_THAT(clSVMAlloc(context, 0, 64, 3) == NULL);
  void* shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 128, shared, &error);
  IS(CL_INVALID_BUFFER_SIZE, error);
  OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof shared, &shared));
  OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
  clSVMFree(context, shared);
  IS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
  IS(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 9, host));
  clCreatePipe(context, 0, 4, 16, NULL, &error);
  IS(CL_INVALID_OPERATION, error);

  OK(clRetainMemObject(buffer));
  OK(clReleaseMemObject(buffer));
  OK(clReleaseMemObject(buffer));
  IS(CL_INVALID_MEM_OBJECT, clReleaseMemObject(buffer));
  OK(clReleaseKernel(kernel));
  OK(clReleaseKernel(fixed));
  OK(clReleaseProgram(program));
  IS(CL_INVALID_PROGRAM, clRetainProgram(program));
  OK(clReleaseCommandQueue(queue));
  IS(CL_INVALID_COMMAND_QUEUE, clFinish(queue));
  OK(clReleaseContext(second));
  return finished("errors");
}
