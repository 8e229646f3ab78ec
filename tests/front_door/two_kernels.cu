// Two kernels at once: one computes and reads no memory, the other waits for memory and little else.
__global__ void computes(int* out, int steps) {
  int value = threadIdx.x;
  for (int i = 0; i < steps; ++i) value = value * 3 + i;
  out[threadIdx.x] = value;
}
__global__ void chases(const int* next, int* out, int steps) {
  int at = threadIdx.x;
  for (int i = 0; i < steps; ++i) at = next[at];
  out[threadIdx.x] = at;
}

int main() {
  constexpr int kElements = 1 << 16;
  cudaStream_t one, other;
  int *next, *out;
  if (cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking) != cudaSuccess ||
      cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) != cudaSuccess ||
      cudaMalloc(&next, kElements * sizeof(int)) != cudaSuccess || cudaMalloc(&out, 4096) != cudaSuccess ||
      cudaMemset(next, 0, kElements * sizeof(int)) != cudaSuccess)
    return 77;
  computes<<<1, 32, 0, one>>>(out, 4000);
  chases<<<1, 64, 0, other>>>(next, out + 64, 300);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
