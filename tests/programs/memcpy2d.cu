// Pitched memory: cudaMallocPitch, cudaMemcpy2D in both directions and asynchronously, cudaMemset2D, a kernel
// that walks rows by their pitch; bytes beyond a row's width stay as they are.
#include "expect.h"

__global__ void transpose(const char* in, size_t in_pitch, char* out, size_t out_pitch, int width,
                          int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int* in_row = reinterpret_cast<const int*>(in + y * in_pitch);
  int* out_row = reinterpret_cast<int*>(out + x * out_pitch);
  out_row[y] = in_row[x] + 1;
}

int main() {
  const int width = 37, height = 21;
  char *in = nullptr, *out = nullptr;
  size_t in_pitch = 0, out_pitch = 0;
  CHECK(cudaMallocPitch(reinterpret_cast<void**>(&in), &in_pitch, width * sizeof(int), height));
  CHECK(cudaMallocPitch(reinterpret_cast<void**>(&out), &out_pitch, height * sizeof(int), width));
  REQUIRE(in_pitch >= width * sizeof(int) && in_pitch % 16 == 0);
  REQUIRE(out_pitch >= height * sizeof(int) && out_pitch % 16 == 0);
  // The host image has rows of its own pitch.
  const int host_pitch = 40;
  std::vector<int> host(host_pitch * height), back(width * height, -1);
  for (size_t i = 0; i < host.size(); i++) host[i] = static_cast<int>(i * 3);
  CHECK(cudaMemset2D(out, out_pitch, 0, height * sizeof(int), width));
  CHECK(cudaMemcpy2D(in, in_pitch, host.data(), host_pitch * sizeof(int), width * sizeof(int), height,
                     cudaMemcpyHostToDevice));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(in, in_pitch, out, out_pitch, width, height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2D(back.data(), height * sizeof(int), out, out_pitch, height * sizeof(int), width,
                     cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      expect::equal("transposed", x * height + y, back[x * height + y], host[y * host_pitch + x] + 1);

  // A rectangle inside the rows, asynchronously, into a host image whose other bytes must not change.
  std::vector<int> part(host_pitch * height, -7);
  CHECK(cudaMemcpy2DAsync(part.data() + 2, host_pitch * sizeof(int), in + 3 * sizeof(int), in_pitch,
                          5 * sizeof(int), height, cudaMemcpyDeviceToHost, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < host_pitch; x++) {
      int expected = x >= 2 && x < 7 ? host[y * host_pitch + x + 1] : -7;
      expect::equal("rectangle", y * host_pitch + x, part[y * host_pitch + x], expected);
    }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return expect::pass("memcpy2d");
}
