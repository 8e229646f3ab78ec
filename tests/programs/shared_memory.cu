// Static and dynamic shared memory, alone and together; several types carved out of one dynamic allocation;
// blocks do not see each other's.
#include "expect.h"

__global__ void reverse_static(int* data) {
  __shared__ int tile[128];
  int base = blockIdx.x * 128;
  tile[threadIdx.x] = data[base + threadIdx.x];
  __syncthreads();
  data[base + threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void mix_dynamic(const int* in, double* out, int n) {
  extern __shared__ double dynamic[];
  __shared__ int scale;
  double* wide = dynamic;
  int* narrow = reinterpret_cast<int*>(dynamic + n);
  if (threadIdx.x == 0) scale = blockIdx.x + 1;
  wide[threadIdx.x] = in[threadIdx.x] * 0.25;
  narrow[threadIdx.x] = in[threadIdx.x] * 3;
  __syncthreads();
  int other = (threadIdx.x + 17) % n;
  out[blockIdx.x * n + threadIdx.x] = scale * (wide[other] + narrow[n - 1 - threadIdx.x]);
}

int main() {
  expect::Array<int> data(512);
  for (int i = 0; i < 512; i++) data.host[i] = i * 7;
  CHECK(cudaMemcpy(data.device(), data.host.data(), 512 * sizeof(int), cudaMemcpyHostToDevice));
  reverse_static<<<4, 128>>>(data.device());
  CHECK_LAUNCH();
  data.fetch();
  for (int i = 0; i < 512; i++)
    expect::equal("reversed", i, data.host[i], (i / 128 * 128 + 127 - i % 128) * 7);

  const int n = 96, blocks = 5;
  std::vector<int> values(n);
  for (int i = 0; i < n; i++) values[i] = i * i - 50;
  expect::Array<int> in(values);
  expect::Array<double> out(n * blocks);
  mix_dynamic<<<blocks, n, n*(sizeof(double) + sizeof(int))>>>(in.device(), out.device(), n);
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n * blocks; i++) {
    int thread = i % n;
    double expected = (i / n + 1) * (values[(thread + 17) % n] * 0.25 + values[n - 1 - thread] * 3);
    expect::equal("mixed", i, out.host[i], expected);
  }
  return expect::pass("shared_memory");
}
