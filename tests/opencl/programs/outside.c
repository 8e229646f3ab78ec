// A kernel that reads beside its buffer: the bytes are mapped, and a line names the call that made it.
#include "common.h"

static const char* kSource =
    "__kernel void neighbours(__global const int* in, __global int* out) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[i - 1] + in[i];\n"
    "}\n";

int main(void) {
  enum { kCount = 64 };
  int values[kCount];
  open_device();
  cl_command_queue queue = queue_with(0);
  for (int i = 0; i < kCount; i++) values[i] = i;
  cl_mem in = buffer_of(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof values, values);
  cl_mem out = buffer_of(CL_MEM_WRITE_ONLY, sizeof values, NULL);
  cl_program program = built(kSource, "");
  cl_kernel kernel = kernel_of(program, "neighbours");
  OK(clSetKernelArg(kernel, 0, sizeof in, &in));
  OK(clSetKernelArg(kernel, 1, sizeof out, &out));
  const size_t global = kCount;
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
  for (int i = 1; i < kCount; i++) TRUE_THAT(values[i] == 2 * i - 1);
  OK(clReleaseKernel(kernel));
  OK(clReleaseProgram(program));
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
  return finished("outside");
}
