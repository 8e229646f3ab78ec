// One copy between the host and the device, of one kind of host memory, and whether its bytes are right.
// Usage: pageable pinned|pageable in|out sync|async BYTES [ROWS]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const bool pinned = !strcmp(argv[1], "pinned"), in = !strcmp(argv[2], "in"),
             sync = !strcmp(argv[3], "sync");
  const size_t bytes = strtoull(argv[4], nullptr, 10), rows = argc > 5 ? strtoull(argv[5], nullptr, 10) : 1;
  // With rows, those of the device lie further apart than those of the host.
  const size_t width = bytes / rows, pitch = rows > 1 ? width + 64 : width;
  std::vector<unsigned char> expected(bytes), memory(bytes);
  for (size_t i = 0; i < bytes; ++i) expected[i] = static_cast<unsigned char>(i * 31 + i / 4096);
  unsigned char *device, *host = memory.data(), *reference;
  cudaMalloc(&device, pitch * rows);
  cudaMallocHost(&reference, pitch * rows);
  if (pinned) cudaMallocHost(&host, bytes);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  memset(reference, 0xee, pitch * rows);
  if (in) {
    memcpy(host, expected.data(), bytes);
  } else {
    for (size_t y = 0; y < rows; ++y) memcpy(reference + y * pitch, &expected[y * width], width);
    cudaMemcpyAsync(device, reference, pitch * rows, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
  }
  // The copy itself is the only one by a call of this name.
  unsigned char *const to = in ? device : host, *const from = in ? host : device;
  const size_t to_pitch = in ? pitch : width, from_pitch = in ? width : pitch;
  if (sync)
    cudaMemcpy2D(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDefault);
  else
    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDefault, stream);
  if (in) {
    if (!pinned) memset(host, 0, bytes);  // what the call took was taken when it returned
    cudaDeviceSynchronize();
    cudaMemcpyAsync(reference, device, pitch * rows, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    for (size_t y = 0; y < rows; ++y)
      if (memcmp(reference + y * pitch, &expected[y * width], width) != 0) return puts("wrong"), 1;
  } else {
    if (pinned) cudaDeviceSynchronize();
    if (memcmp(host, expected.data(), bytes) != 0) return puts("wrong"), 1;
  }
  puts("right");
  return 0;
}
