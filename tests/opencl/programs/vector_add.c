// One kernel with local memory: the way that most programs take.
#include "common.h"

static const char* kSource =
    "__kernel void add(__global const float* a, __global const float* b, __global float* c,\n"
    "                  __local float* t, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  t[get_local_id(0)] = a[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i < n) c[i] = t[get_local_size(0) - 1 - get_local_id(0)] + b[i];\n"
    "}\n";

int main(void) {
  enum { kCount = 4096, kGroup = 64 };
  static float a[kCount], b[kCount], c[kCount];
  open_device();
  cl_command_queue queue = queue_with(CL_QUEUE_PROFILING_ENABLE);
  for (int i = 0; i < kCount; i++) a[i] = i, b[i] = 3 * i;
  cl_mem of_a = buffer_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
  cl_mem of_b = buffer_of(CL_MEM_READ_ONLY, sizeof b, NULL),
         of_c = buffer_of(CL_MEM_WRITE_ONLY, sizeof c, NULL);
  OK(clEnqueueWriteBuffer(queue, of_b, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
  cl_program program = built(kSource, "");
  cl_kernel kernel = kernel_of(program, "add");
  const int count = kCount;
  OK(clSetKernelArg(kernel, 0, sizeof of_a, &of_a));
  OK(clSetKernelArg(kernel, 1, sizeof of_b, &of_b));
  OK(clSetKernelArg(kernel, 2, sizeof of_c, &of_c));
  OK(clSetKernelArg(kernel, 3, kGroup * sizeof(float), NULL));
  OK(clSetKernelArg(kernel, 4, sizeof count, &count));
  const size_t global = kCount, local = kGroup;
  cl_event ran;
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &ran));
  OK(clEnqueueReadBuffer(queue, of_c, CL_TRUE, 0, sizeof c, c, 1, &ran, NULL));
  for (int i = 0; i < kCount; i++) TRUE_THAT(c[i] == a[i / kGroup * kGroup + kGroup - 1 - i % kGroup] + b[i]);
  cl_ulong times[4];
  for (int i = 0; i < 4; i++)
    OK(clGetEventProfilingInfo(ran, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
  TRUE_THAT(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3]);
  OK(clReleaseEvent(ran));
  OK(clReleaseKernel(kernel));
  OK(clReleaseProgram(program));
  OK(clReleaseMemObject(of_a));
  OK(clReleaseMemObject(of_b));
  OK(clReleaseMemObject(of_c));
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
  return finished("vector_add");
}
