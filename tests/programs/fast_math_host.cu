// A host that flushes denormals to zero (as a program linked with -ffast-math does): the device keeps them,
// and the host's floating-point mode is the same after every call.
#include "expect.h"

#ifdef __x86_64__
const unsigned kFlush = 0x8040;  // flush results, denormals are zero
unsigned get_mode() {
  unsigned mode = 0;
  asm volatile("stmxcsr %0" : "=m"(mode));
  return mode;
}
void set_mode(unsigned mode) { asm volatile("ldmxcsr %0" : : "m"(mode)); }
#else
#error "this test knows the floating-point mode of x86-64 only"
#endif

__global__ void halve(const float* in, float* out, const double* wide_in, double* wide_out) {
  out[threadIdx.x] = in[threadIdx.x] * 0.5f;
  wide_out[threadIdx.x] = wide_in[threadIdx.x] * 0.5;
}

int main() {
  set_mode(get_mode() | kFlush);
  // Bits instead of values: this host cannot compute with denormals.
  std::vector<unsigned> bits(32);
  std::vector<unsigned long long> wide_bits(32);
  for (unsigned i = 0; i < 32; i++) {
    bits[i] = (i + 1) * 2048;
    wide_bits[i] = (i + 1) * 4096ull;
  }
  float *in = nullptr, *out = nullptr;
  double *wide_in = nullptr, *wide_out = nullptr;
  unsigned mode = get_mode() & kFlush;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&in), 32 * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&out), 32 * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&wide_in), 32 * sizeof(double)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&wide_out), 32 * sizeof(double)));
  REQUIRE((get_mode() & kFlush) == mode);
  CHECK(cudaMemcpy(in, bits.data(), 32 * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(wide_in, wide_bits.data(), 32 * sizeof(double), cudaMemcpyHostToDevice));
  REQUIRE((get_mode() & kFlush) == mode);
  halve<<<1, 32>>>(in, out, wide_in, wide_out);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  REQUIRE((get_mode() & kFlush) == mode);
  CHECK(cudaMemcpy(bits.data(), out, 32 * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(wide_bits.data(), wide_out, 32 * sizeof(double), cudaMemcpyDeviceToHost));
  REQUIRE((get_mode() & kFlush) == mode);
  for (unsigned i = 0; i < 32; i++) {
    expect::equal("bits", i, bits[i], (i + 1) * 1024);
    expect::equal("wide bits", i, wide_bits[i], (i + 1) * 2048ull);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(wide_in));
  CHECK(cudaFree(wide_out));
  return expect::pass("fast_math_host");
}
