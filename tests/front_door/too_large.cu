// Asks for more than the machine has, and does not look at errors.
__global__ void touch(int* data) { data[0] = 1; }

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 4);
  for (int again = 0; again < 2; ++again) {
    touch<<<65536, 32>>>(data);
    touch<<<1, 1024, 100000>>>(data);
    touch<<<1, 2048>>>(data);
    touch<<<1, dim3(32, 32, 2)>>>(data);
    void* much;
    cudaMalloc(&much, 1ull << 40);
  }
  return 0;
}
