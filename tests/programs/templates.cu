// Kernel templates over types and values, with explicit and deduced arguments.
#include "expect.h"

template <typename T, int kFactor>
__global__ void scale(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x] * static_cast<T>(kFactor) + static_cast<T>(1);
}

template <typename T>
struct Half {
  __device__ static T of(T value) { return value / 2; }
};
template <>
struct Half<unsigned> {
  __device__ static unsigned of(unsigned value) { return value >> 1; }
};

template <typename T>
__global__ void halve(const T* in, T* out) {
  out[threadIdx.x] = Half<T>::of(in[threadIdx.x]);
}

template <typename T, int kFactor>
void run(const char* name) {
  expect::Array<T> in(64), scaled(64), halved(64);
  for (int i = 0; i < 64; i++) in.host[i] = static_cast<T>(i * 3);
  CHECK(cudaMemcpy(in.device(), in.host.data(), 64 * sizeof(T), cudaMemcpyHostToDevice));
  scale<T, kFactor><<<1, 64>>>(in.device(), scaled.device());
  CHECK_LAUNCH();
  halve<<<1, 64>>>(in.device(), halved.device());
  CHECK_LAUNCH();
  scaled.fetch();
  halved.fetch();
  for (int i = 0; i < 64; i++) {
    expect::equal(name, i, scaled.host[i],
                  static_cast<T>(static_cast<T>(i * 3) * static_cast<T>(kFactor) + static_cast<T>(1)));
    expect::equal(name, i, halved.host[i], static_cast<T>(static_cast<T>(i * 3) / 2));
  }
}

int main() {
  run<int, 5>("int");
  run<unsigned, 7>("unsigned");
  run<float, 3>("float");
  run<double, -2>("double");
  run<long long, 1000000007>("long long");
  run<short, 9>("short");
  return expect::pass("templates");
}
