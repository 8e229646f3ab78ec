// Fine-grained memory with atomics: a kernel and threads of the program hand a number to and fro while both
// run, and count together.
#include <pthread.h>
#include <stdatomic.h>

#include "../../opencl/programs/common.h"

enum { kRounds = 20, kGroups = 2, kGroup = 32, kThreads = 2, kAdds = 50 };
static const char* kSource =
    "__kernel void turns(__global atomic_int* turn, __global int* data, int rounds) {\n"
    "  for (int i = 0; i < rounds; i++) {\n"
    "    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + 1) "
    "{}\n"
    "    data[0] = data[0] * 3 + 1;\n"
    "    atomic_store_explicit(turn, 2 * i + 2, memory_order_release, memory_scope_all_svm_devices);\n"
    "  }\n"
    "}\n"
    "__kernel void count(__global atomic_int* started, __global atomic_int* sum, int adds) {\n"
    "  if (get_global_id(0) == 0) atomic_store_explicit(started, 1, memory_order_release, "
    "memory_scope_all_svm_devices);\n"
    "  for (int i = 0; i < adds; i++) atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, "
    "memory_scope_all_svm_devices);\n"
    "}\n";

static void* shared(size_t bytes) {
  void* const memory =
      clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes, 0);
  if (memory == NULL) {
    printf("no memory with atomics\n");
    exit(1);
  }
  memset(memory, 0, bytes);
  return memory;
}

static void* add(void* of) {
  atomic_int* const words = of;
  while (atomic_load(&words[0]) == 0) {
  }
  for (int i = 0; i < kAdds; i++) atomic_fetch_add(&words[32], 1);
  return NULL;
}

int main(void) {
  open_device();
  cl_device_svm_capabilities can = 0;
  OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
  TRUE_THAT((can & CL_DEVICE_SVM_ATOMICS) != 0);
  cl_command_queue queue = queue_with(0);
  cl_program program = built(kSource, "-cl-std=CL2.0");
  const size_t one = 1, size = kGroups * kGroup, group = kGroup;
  const int rounds = kRounds, adds = kAdds;

  atomic_int* const turn = shared(sizeof *turn);
  int* const data = shared(sizeof *data);
  cl_kernel turns = kernel_of(program, "turns");
  OK(clSetKernelArgSVMPointer(turns, 0, turn));
  OK(clSetKernelArgSVMPointer(turns, 1, data));
  OK(clSetKernelArg(turns, 2, sizeof rounds, &rounds));
  OK(clEnqueueNDRangeKernel(queue, turns, 1, NULL, &one, &one, 0, NULL, NULL));
  unsigned expected = 0;
  for (int i = 0; i < kRounds; i++) {
    data[0] += 5;
    expected = (expected + 5) * 3 + 1;
    atomic_store_explicit(turn, 2 * i + 1, memory_order_release);
    while (atomic_load_explicit(turn, memory_order_acquire) != 2 * i + 2) {
    }
    TRUE_THAT((unsigned)data[0] == expected);
  }
  OK(clFinish(queue));

  atomic_int* const words = shared(64 * sizeof *words);  // lines of their own
  atomic_int* const sum = words + 32;
  cl_kernel count = kernel_of(program, "count");
  OK(clSetKernelArgSVMPointer(count, 0, words));
  OK(clSetKernelArgSVMPointer(count, 1, sum));
  OK(clSetKernelArg(count, 2, sizeof adds, &adds));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, add, words);
  OK(clEnqueueNDRangeKernel(queue, count, 1, NULL, &size, &group, 0, NULL, NULL));
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  OK(clFinish(queue));
  TRUE_THAT(atomic_load(sum) == kAdds * (kGroups * kGroup + kThreads));
  clSVMFree(context, turn);
  clSVMFree(context, data);
  clSVMFree(context, words);
  return finished("svm_spin");
}
