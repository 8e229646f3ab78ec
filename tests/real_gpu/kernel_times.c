/* Times of the kernels of an unmodified CUDA program on a real GPU, by CUPTI's activity records.
 *
 *     gcc -shared -fPIC -O2 -I CUDA/include kernel_times.c -o kernel_times.so -L CUDA/lib -lcupti
 *     CUDA_INJECTION64_PATH=./kernel_times.so KERNEL_TIMES=times.txt ./app
 *
 * The driver loads the library when the program first calls it. A line for each launch, in the order in which
 * they began: start and end in ns, correlation, grid, block, registers, shared bytes, name. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

#define BUFFER_BYTES (8u << 20)

static FILE* out;

static void CUPTIAPI want_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = aligned_alloc(8, BUFFER_BYTES);
  *bytes = *buffer == NULL ? 0 : BUFFER_BYTES;
  *most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid) {
  (void)context, (void)stream, (void)bytes;
  CUpti_Activity* record = NULL;
  while (valid != 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL) continue;
    const CUpti_ActivityKernel10* kernel = (const CUpti_ActivityKernel10*)record;
    fprintf(out, "%llu %llu %u %d,%d,%d %d,%d,%d %u %d %s\n", (unsigned long long)kernel->start,
            (unsigned long long)kernel->end, kernel->correlationId, kernel->gridX, kernel->gridY, kernel->gridZ,
            kernel->blockX, kernel->blockY, kernel->blockZ, kernel->registersPerThread,
            kernel->staticSharedMemory + kernel->dynamicSharedMemory, kernel->name);
  }
  free(buffer);
}

static void finish(void) {
  cuptiActivityFlushAll(1);
  fclose(out);
}

int InitializeInjection(void) {
  const char* path = getenv("KERNEL_TIMES");
  out = path == NULL ? NULL : fopen(path, "w");
  if (out == NULL) {
    fprintf(stderr, "kernel_times: KERNEL_TIMES names no file that can be written\n");
    return 0;
  }
  if (cuptiActivityRegisterCallbacks(want_buffer, take_buffer) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    fprintf(stderr, "kernel_times: CUPTI gives no records of kernels\n");
    return 0;
  }
  atexit(finish);
  return 1;
}
