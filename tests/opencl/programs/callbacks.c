// Every function of the program that OpenCL calls: what it is given, and that it may make calls.
#include "common.h"

static const char* kSource = "__kernel void one(__global int* a) { a[get_global_id(0)] = 1; }\n";
enum { kCount = 64, kMark = 77 };

static cl_command_queue queue;
static cl_program program;
static volatile int built_calls, freed_calls, destroyed, context_calls, native_calls;
static volatile cl_int seen[3];
static volatile int seen_calls;
static int* freed[2];
static int mark = kMark;

static void CL_CALLBACK on_build(cl_program of, void* data) {
  TRUE_THAT(of == program && data == &mark);
  built_calls++;
}
static void CL_CALLBACK on_event(cl_event event, cl_int status, void* data) {
  cl_command_type type = 0;
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  TRUE_THAT(type == CL_COMMAND_NDRANGE_KERNEL || type == CL_COMMAND_USER);
  *(volatile cl_int*)data = status;
  seen_calls++;
}
static void CL_CALLBACK on_free(cl_command_queue of, cl_uint count, void* pointers[], void* data) {
  TRUE_THAT(of == queue && count == 2 && pointers[0] == freed[0] && pointers[1] == freed[1] && data == &mark);
  TRUE_THAT(freed[0][0] == 1);
  for (cl_uint i = 0; i < count; i++) clSVMFree(context, pointers[i]);
  freed_calls++;
}
static void CL_CALLBACK on_destruction(cl_mem buffer, void* data) {
  TRUE_THAT(buffer != NULL && data == &mark);
  destroyed++;
}
static void CL_CALLBACK on_context(cl_context of, void* data) {
  TRUE_THAT(of != NULL && of != context && data == &mark);
  context_calls++;
}

struct Native {
  int* sum;
  int add;
  int* in_buffer;
};
static int sum = 1;
static void CL_CALLBACK native(void* data) {
  const struct Native* const own = data;
  *own->sum += own->add;
  if (own->in_buffer != NULL) own->in_buffer[kCount - 1] += own->add;
  native_calls++;
}
static void CL_CALLBACK native_without(void* data) {
  TRUE_THAT(data == NULL);
  native_calls++;
}

static void native_kernels(cl_kernel kernel, cl_mem buffer) {
  const size_t size = kCount;
  cl_bool integrated;
  OK(clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof integrated, &integrated, NULL));
  OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
  struct Native* const arguments = malloc(sizeof *arguments);
  *arguments = (struct Native){&sum, 41, NULL};
  const void* places[] = {&arguments->in_buffer};
  if (integrated)
    OK(clEnqueueNativeKernel(queue, native, arguments, sizeof *arguments, 1, &buffer, places, 0, NULL, NULL));
  else
    OK(clEnqueueNativeKernel(queue, native, arguments, sizeof *arguments, 0, NULL, NULL, 0, NULL, NULL));
  memset(arguments, 0, sizeof *arguments);  // they have been copied
  OK(clEnqueueNativeKernel(queue, native_without, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  int after[kCount];
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL));
  TRUE_THAT(native_calls == 2 && sum == 42 && after[0] == 1 && after[kCount - 1] == (integrated ? 42 : 1));
  free(arguments);
}

int main(void) {
  cl_int error;
  open_device();
  queue = queue_with(0);
  program = clCreateProgramWithSource(context, 1, &kSource, NULL, &error);
  OK(error);
  IS(CL_INVALID_VALUE, clBuildProgram(program, 1, &device, NULL, NULL, &mark));
  OK(clBuildProgram(program, 1, &device, NULL, on_build, &mark));
  await(queue, &built_calls, 1);

  // The event's states, and an error.
  cl_kernel kernel = kernel_of(program, "one");
  cl_mem buffer = buffer_of(CL_MEM_ALLOC_HOST_PTR, kCount * sizeof(int), NULL);
  const size_t size = kCount;
  const cl_int states[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
  cl_event user = clCreateUserEvent(context, &error), event;
  OK(error);
  OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &user, &event));
  for (int i = 0; i < 3; i++) {
    seen[i] = -1;
    OK(clSetEventCallback(event, states[i], on_event, (void*)&seen[i]));
  }
  TRUE_THAT(seen_calls == 0);
  OK(clSetUserEventStatus(user, CL_COMPLETE));
  OK(clFinish(queue));
  await(queue, &seen_calls, 3);
  for (int i = 0; i < 3; i++) TRUE_THAT(seen[i] == states[i]);
  OK(clReleaseEvent(event));
  OK(clReleaseEvent(user));
  user = clCreateUserEvent(context, &error);
  OK(error);
  OK(clSetEventCallback(user, CL_COMPLETE, on_event, (void*)&seen[0]));
  OK(clSetUserEventStatus(user, -42));
  await(queue, &seen_calls, 4);
  TRUE_THAT(seen[0] == -42);
  OK(clReleaseEvent(user));

  // Two pieces of memory are freed when the kernel before has ended.
  for (int i = 0; i < 2; i++) {
    freed[i] = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, kCount * sizeof(int), 0);
    TRUE_THAT(freed[i] != NULL);
  }
  void* pointers[] = {freed[0], freed[1]};
  OK(clSetKernelArgSVMPointer(kernel, 0, freed[0]));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
  OK(clEnqueueSVMFree(queue, 2, pointers, on_free, &mark, 0, NULL, NULL));
  memset(pointers, 0, sizeof pointers);  // they have been copied
  OK(clFinish(queue));
  await(queue, &freed_calls, 1);
  // Without a function Duet frees it.
  void* other = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  OK(clEnqueueSVMFree(queue, 1, &other, NULL, NULL, 0, NULL, NULL));
  OK(clFinish(queue));

  native_kernels(kernel, buffer);
  OK(clSetMemObjectDestructorCallback(buffer, on_destruction, &mark));
  OK(clReleaseMemObject(buffer));  // an argument does not keep it
  OK(clFinish(queue));
  await(queue, &destroyed, 1);
  OK(clReleaseKernel(kernel));
  cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  OK(error);
  OK(clSetContextDestructorCallback(second, on_context, &mark));
  OK(clReleaseContext(second));
  await(queue, &context_calls, 1);
  return finished("callbacks");
}
