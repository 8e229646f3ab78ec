// Loads and stores of 8 and 16 bits, signed and unsigned: extension on load, truncation on store, neighbours
// untouched.
#include "expect.h"

__global__ void run(signed char* s8, unsigned char* u8, short* s16, unsigned short* u16, bool* flags,
                    int* sums) {
  int i = threadIdx.x;
  sums[i] = s8[i] + u8[i] * 2 + s16[i] * 3 + u16[i] * 4 + (flags[i] ? 100000000 : 0);
  s8[i] = static_cast<signed char>(s8[i] * 3);
  u8[i] = static_cast<unsigned char>(u8[i] * 3);
  if (i % 2 == 0) s16[i] = static_cast<short>(s16[i] * 100);
  u16[i] = static_cast<unsigned short>(u16[i] + u8[i] * 300);
  flags[i] = !flags[i];
}

int main() {
  const int n = 256;
  expect::Array<signed char> s8(n);
  expect::Array<unsigned char> u8(n);
  expect::Array<short> s16(n);
  expect::Array<unsigned short> u16(n);
  expect::Array<int> sums(n);
  bool flags[n], *d_flags = nullptr;
  for (int i = 0; i < n; i++) {
    s8.host[i] = static_cast<signed char>(i - 128);
    u8.host[i] = static_cast<unsigned char>(i * 7);
    s16.host[i] = static_cast<short>(i * 1234);
    u16.host[i] = static_cast<unsigned short>(65535 - i * 99);
    flags[i] = i % 3 == 0;
  }
  CHECK(cudaMalloc(reinterpret_cast<void**>(&d_flags), n));
  CHECK(cudaMemcpy(d_flags, flags, n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(s8.device(), s8.host.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(u8.device(), u8.host.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(s16.device(), s16.host.data(), n * 2, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(u16.device(), u16.host.data(), n * 2, cudaMemcpyHostToDevice));
  std::vector<signed char> s8_before = s8.host;
  std::vector<unsigned char> u8_before = u8.host;
  std::vector<short> s16_before = s16.host;
  std::vector<unsigned short> u16_before = u16.host;
  run<<<1, n>>>(s8.device(), u8.device(), s16.device(), u16.device(), d_flags, sums.device());
  CHECK_LAUNCH();
  s8.fetch(), u8.fetch(), s16.fetch(), u16.fetch(), sums.fetch();
  bool flipped[n];
  CHECK(cudaMemcpy(flipped, d_flags, n, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_flags));
  for (int i = 0; i < n; i++) {
    int sum =
        s8_before[i] + u8_before[i] * 2 + s16_before[i] * 3 + u16_before[i] * 4 + (flags[i] ? 100000000 : 0);
    unsigned char byte = static_cast<unsigned char>(u8_before[i] * 3);
    expect::equal("sums", i, sums.host[i], sum);
    expect::equal("s8", i, s8.host[i], static_cast<signed char>(s8_before[i] * 3));
    expect::equal("u8", i, u8.host[i], byte);
    expect::equal("s16", i, s16.host[i],
                  i % 2 == 0 ? static_cast<short>(s16_before[i] * 100) : s16_before[i]);
    expect::equal("u16", i, u16.host[i], static_cast<unsigned short>(u16_before[i] + byte * 300));
    expect::equal("flags", i, flipped[i], !flags[i]);
  }
  return expect::pass("narrow_types");
}
