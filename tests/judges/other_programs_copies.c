/* Linked into a program that prints nothing one could check, with --wrap=cudaMemcpy and
   --wrap=cudaMemcpyAsync: appends each copy between host and device to copies.bin in the working directory
   (u64 kind: 1 to the device, 2 from it; u64 bytes; the bytes), which other_programs_references.py reads.
   With -DREAD_BACK nothing is written: what went to the device is fetched and compared, and a line says so at
   the end. An asynchronous copy from the device is waited for, else there would be nothing to record. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __real_cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
int __real_cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream);
int cudaStreamSynchronize(void* stream);

#ifdef READ_BACK
static size_t equal_bytes, differing_copies;

static void report(void) {
  printf("read back: %zu bytes equal, %zu copies differ\n", equal_bytes, differing_copies);
}

static void record(void* to, const void* from, size_t bytes, int kind) {
  static int registered;
  if (!registered++) atexit(report);
  if (kind != 1) return;
  void* back = malloc(bytes);
  if (back && __real_cudaMemcpy(back, to, bytes, 2) == 0 && memcmp(back, from, bytes) == 0)
    equal_bytes += bytes;
  else
    ++differing_copies;
  free(back);
}
#else
static void record(void* to, const void* from, size_t bytes, int kind) {
  static FILE* file;
  if (!file) file = fopen("copies.bin", "wb");
  if (!file || (kind != 1 && kind != 2)) return;
  const uint64_t head[2] = {(uint64_t)kind, bytes};
  fwrite(head, sizeof head, 1, file);
  fwrite(kind == 1 ? from : to, 1, bytes, file);
  fflush(file);
}
#endif

int __wrap_cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  const int status = __real_cudaMemcpy(to, from, bytes, kind);
  if (status == 0) record(to, from, bytes, kind);
  return status;
}

int __wrap_cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  int status = __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
  if (status == 0 && kind == 2) status = cudaStreamSynchronize(stream);
  if (status == 0) record(to, from, bytes, kind);
  return status;
}
