// Buffers: parts, rectangles, patterns, mapping, and shared virtual memory.
#include "common.h"

static const char* kSource =
    "__kernel void add_one(__global int* data, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) data[i] += 1;\n"
    "}\n";

enum { kCount = 1024 };
static cl_command_queue queue;
static cl_kernel add_one;

static void run(cl_uint count) {
  const size_t global = (count + 63) / 64 * 64, local = 64;
  const int n = (int)count;
  OK(clSetKernelArg(add_one, 1, sizeof n, &n));
  OK(clEnqueueNDRangeKernel(queue, add_one, 1, NULL, &global, &local, 0, NULL, NULL));
}

static void mapping(cl_mem_flags flags, void* host) {
  cl_int error;
  static int zeros[kCount];
  cl_mem buffer = buffer_of(CL_MEM_READ_WRITE | flags, kCount * sizeof(int), host);
  if (host == NULL) OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
  int* all = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kCount * sizeof(int),
                                0, NULL, NULL, &error);
  OK(error);
  if (host != NULL) TRUE_THAT((void*)all == host);
  for (int i = 0; i < kCount; i++) all[i] += i;
  cl_uint maps;
  OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
  TRUE_THAT(maps == 1);
  OK(clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, NULL));
  OK(clSetKernelArg(add_one, 0, sizeof buffer, &buffer));
  run(kCount);
  int* part = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 256, 512, 0, NULL, NULL, &error);
  OK(error);
  for (int i = 0; i < 128; i++) TRUE_THAT(part[i] == 64 + i + 1);
  OK(clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL));
  OK(clFinish(queue));
  OK(clReleaseMemObject(buffer));
}

static void shared(cl_svm_mem_flags flags) {
  int* data = clSVMAlloc(context, CL_MEM_READ_WRITE | flags, kCount * sizeof(int), 0);
  TRUE_THAT(data != NULL);
  const int seven = 7;
  OK(clEnqueueSVMMemFill(queue, data, &seven, sizeof seven, kCount * sizeof(int), 0, NULL, NULL));
  OK(clSetKernelArgSVMPointer(add_one, 0, data));
  run(kCount);
  OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, data, kCount * sizeof(int), 0, NULL, NULL));
  for (int i = 0; i < kCount; i++) {
    TRUE_THAT(data[i] == 8);
    data[i] = i;
  }
  OK(clEnqueueSVMUnmap(queue, data, 0, NULL, NULL));
  run(kCount);
  static int back[kCount];
  OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, data, sizeof back, 0, NULL, NULL));
  for (int i = 0; i < kCount; i++) TRUE_THAT(back[i] == i + 1);
  OK(clFinish(queue));
  clSVMFree(context, data);
}

static volatile int destroyed;
static void CL_CALLBACK note(cl_mem memory, void* order) {
  (void)memory;
  destroyed = destroyed * 10 + *(int*)order;
}

int main(void) {
  cl_int error;
  static int host[kCount], back[kCount];
  open_device();
  queue = queue_with(0);
  add_one = kernel_of(built(kSource, ""), "add_one");

  // A part, and the whole beside it.
  for (int i = 0; i < kCount; i++) host[i] = i;
  cl_mem whole = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof host, host);
  const cl_buffer_region region = {256, 512}, crooked = {100, 512};
  clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &error);
  IS(CL_MISALIGNED_SUB_BUFFER_OFFSET, error);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  OK(error);
  OK(clSetKernelArg(add_one, 0, sizeof part, &part));
  run(128);
  OK(clReleaseMemObject(part));
  OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  for (int i = 0; i < kCount; i++) TRUE_THAT(back[i] == i + (i >= 64 && i < 192));

  // A rectangle of 8 rows of 16 bytes, into a corner of the buffer as 32 rows of 128.
  const size_t in_buffer[3] = {32, 4, 0}, in_host[3] = {0, 0, 0}, size[3] = {16, 8, 1};
  static char small[8 * 16], large[32 * 128];
  for (int i = 0; i < 8 * 16; i++) small[i] = (char)(i + 1);
  OK(clEnqueueWriteBufferRect(queue, whole, CL_TRUE, in_buffer, in_host, size, 128, 0, 16, 0, small, 0, NULL,
                              NULL));
  OK(clEnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof large, large, 0, NULL, NULL));
  for (int row = 0; row < 32; row++)
    for (int byte = 0; byte < 128; byte++) {
      const int inside = row >= 4 && row < 12 && byte >= 32 && byte < 48;
      if (inside) TRUE_THAT(large[row * 128 + byte] == small[(row - 4) * 16 + byte - 32]);
      if (!inside) TRUE_THAT(large[row * 128 + byte] == ((char*)back)[row * 128 + byte]);
    }
  memset(small, 0, sizeof small);
  OK(clEnqueueReadBufferRect(queue, whole, CL_TRUE, in_buffer, in_host, size, 128, 0, 16, 0, small, 0, NULL,
                             NULL));
  for (int i = 0; i < 8 * 16; i++) TRUE_THAT(small[i] == (char)(i + 1));
  cl_mem other = buffer_of(0, sizeof host, NULL);
  OK(clEnqueueCopyBufferRect(queue, whole, other, in_buffer, in_host, size, 128, 0, 16, 0, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof small, small, 0, NULL, NULL));
  for (int i = 0; i < 8 * 16; i++) TRUE_THAT(small[i] == (char)(i + 1));
  IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, whole, whole, 0, 100, 200, 0, NULL, NULL));
  OK(clEnqueueCopyBuffer(queue, whole, other, 0, 0, sizeof host, 0, NULL, NULL));

  // Patterns of every length.
  for (size_t length = 1; length <= 128; length *= 2) {
    unsigned char pattern[128], result[512];
    for (size_t i = 0; i < length; i++) pattern[i] = (unsigned char)(7 * i + length);
    OK(clEnqueueFillBuffer(queue, other, pattern, length, 128, 256, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    for (size_t i = 0; i < 256; i++) TRUE_THAT(result[128 + i] == pattern[i % length]);
  }
  IS(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, other, host, 3, 0, 12, 0, NULL, NULL));

  mapping(0, NULL);
  mapping(CL_MEM_ALLOC_HOST_PTR, NULL);
  memset(host, 0, sizeof host);
  mapping(CL_MEM_USE_HOST_PTR, host);
  shared(0);
  shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);

  int one = 1, two = 2;
  OK(clSetMemObjectDestructorCallback(other, note, &one));
  OK(clSetMemObjectDestructorCallback(other, note, &two));
  OK(clReleaseMemObject(other));
  OK(clFinish(queue));
  await(queue, &destroyed, 21);
  return finished("memory");
}
