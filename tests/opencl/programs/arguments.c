// Every form in which OpenCL takes arguments: lists of properties, arrays of handles, texts, pointers and
// sizes, functions by their names.
#include "common.h"

static cl_command_queue queue;

static void properties(void) {
  cl_int error;
  const cl_context_properties of_context[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                              CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  cl_context other = clCreateContext(of_context, 1, &device, NULL, NULL, &error);
  OK(error);
  cl_context_properties back[5] = {0};
  size_t bytes = 0;
  OK(clGetContextInfo(other, CL_CONTEXT_PROPERTIES, sizeof back, back, &bytes));
  TRUE_THAT(bytes == sizeof back && memcmp(back, of_context, sizeof back) == 0);
  OK(clReleaseContext(other));
  other = clCreateContextFromType(of_context, CL_DEVICE_TYPE_GPU, NULL, NULL, &error);
  OK(error);
  OK(clReleaseContext(other));
  const cl_queue_properties of_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue loose = clCreateCommandQueueWithProperties(context, device, of_queue, &error);
  OK(error);
  cl_command_queue_properties flags = 0;
  OK(clGetCommandQueueInfo(loose, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL));
  TRUE_THAT(flags == CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  OK(clReleaseCommandQueue(loose));
  const cl_mem_properties none[] = {0};
  cl_mem buffer = clCreateBufferWithProperties(context, none, 0, 64, NULL, &error);
  OK(error);
  OK(clReleaseMemObject(buffer));
  const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id devices[2];
  cl_uint count = 0;
  IS(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(device, parts, 2, devices, &count));
  cl_image_format formats[2] = {{0, 0}, {0, 0}};
  OK(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 1, formats, &count));
  TRUE_THAT(count > 2 && formats[0].image_channel_order != 0 && formats[1].image_channel_order == 0);
}

// A program in three texts: of one only the first bytes, of one all, of one up to its end.
static cl_program in_pieces(void) {
  static const char first[] = {'#', 'd', 'e', 'f', 'i', 'n', 'e', ' ', 'M', ' ', '4', '\n', '?', '?'};
  const char* texts[] = {first,
                         "__kernel void add(__global int* a, int n) { a[get_global_id(0)] += n + M; }\n",
                         "__kernel void put(__global int* a, int n) { a[get_global_id(0)] = n; }\n"};
  const size_t lengths[] = {12, strlen(texts[1]), 0};
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 3, texts, lengths, &error);
  OK(error);
  OK(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
  size_t bytes = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes));
  TRUE_THAT(bytes == 12 + strlen(texts[1]) + strlen(texts[2]) + 1);
  texts[1] = NULL;
  clCreateProgramWithSource(context, 3, texts, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  return program;
}

static void handles(cl_program program) {
  cl_kernel kernels[2], put, add;
  cl_uint count = 0;
  OK(clCreateKernelsInProgram(program, 2, kernels, &count));
  TRUE_THAT(count == 2);
  char name[8];
  OK(clGetKernelInfo(kernels[0], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
  add = kernels[strcmp(name, "add") != 0];
  put = kernels[strcmp(name, "add") == 0];
  cl_int error;
  cl_mem two[2] = {buffer_of(0, 1024, NULL), buffer_of(0, 1024, NULL)};
  const size_t size[] = {16, 8, 2}, group[] = {8, 2, 1};
  cl_event events[2];
  int value = 3;
  for (int i = 0; i < 2; i++) {
    OK(clSetKernelArg(put, 0, sizeof two[i], &two[i]));
    OK(clSetKernelArg(put, 1, sizeof value, &value));
    OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, size, group, 0, NULL, &events[i]));
  }
  OK(clEnqueueMigrateMemObjects(queue, 2, two, CL_MIGRATE_MEM_OBJECT_HOST, 2, events, NULL));
  cl_kernel copy = clCloneKernel(add, &error);
  OK(error);
  OK(clSetKernelArg(copy, 0, sizeof two[1], &two[1]));
  OK(clSetKernelArg(copy, 1, sizeof value, &value));
  const size_t from[] = {0, 0, 0};
  OK(clEnqueueNDRangeKernel(queue, copy, 3, from, size, group, 2, events, NULL));
  int back[16];
  OK(clEnqueueReadBuffer(queue, two[1], CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  // The items of the other dimensions are at the same places: what they add is not certain, but not nothing.
  for (int i = 0; i < 16; i++) TRUE_THAT(back[i] >= 3 + 7 && (back[i] - 3) % 7 == 0);
  OK(clWaitForEvents(2, events));

  void* shared[2];
  for (int i = 0; i < 2; i++) shared[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
  const void* to_move[] = {shared[0], shared[1]};
  const size_t all[] = {4096, 0}, more[] = {64, 1 << 20};
  OK(clEnqueueSVMMigrateMem(queue, 2, to_move, all, 0, 2, events, NULL));
  IS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 2, to_move, more, 0, 0, NULL, NULL));
  OK(clEnqueueSVMFree(queue, 2, shared, NULL, NULL, 0, NULL, NULL));
  OK(clFinish(queue));
  IS(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, to_move, NULL, 0, 0, NULL, NULL));
}

static void names(void) {
  typedef cl_int (*Query)(cl_platform_id, cl_platform_info, size_t, void*, size_t*);
  char text[16] = "";
  const Query query = (Query)clGetExtensionFunctionAddressForPlatform(platform, "clGetPlatformInfo");
  TRUE_THAT(query != NULL);
  if (query != NULL) OK(query(platform, CL_PLATFORM_NAME, sizeof text, text, NULL));
  TRUE_THAT(strcmp(text, "Duet") == 0);
  TRUE_THAT(clGetExtensionFunctionAddressForPlatform(platform, "clNothing") == NULL);
  cl_ulong of_device = 0, of_host = 0, later = 0;
  OK(clGetDeviceAndHostTimer(device, &of_device, &of_host));
  OK(clFinish(queue));
  OK(clGetHostTimer(device, &later));
  TRUE_THAT(of_device == of_host && later >= of_host);
}

int main(void) {
  open_device();
  queue = queue_with(0);
  properties();
  handles(in_pieces());
  names();
  return finished("arguments");
}
