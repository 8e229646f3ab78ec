// A library with a kernel of its own (-DLIBRARY), and a program with another kernel that uses it.
#include <cstdio>

extern "C" int tripled(int value);

static __global__ void multiply(int* value, int by) { *value *= by; }

static int multiplied(int value, int by) {
  int* device = nullptr;
  if (cudaMalloc(&device, sizeof value) != cudaSuccess) return -1;
  if (cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice) != cudaSuccess) return -2;
  multiply<<<1, 1>>>(device, by);
  if (cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess) return -3;
  cudaFree(device);
  return value;
}

#ifdef LIBRARY
int tripled_calls = 0;  // visible to others: code made for a program (-fPIE) cannot reach it in a library

extern "C" int tripled(int value) {
  ++tripled_calls;
  return multiplied(value, 3 * tripled_calls);
}
#else
int main() {
  const int first = tripled(5), second = tripled(5), own = multiplied(5, 7);
  std::printf("%d %d %d\n", first, second, own);
  return first == 15 && second == 30 && own == 35 ? 0 : 1;
}
#endif
