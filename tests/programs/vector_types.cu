// Vector loads and stores of 4, 8 and 16 bytes through the built-in vector types, from global and shared
// memory.
#include "expect.h"

__global__ void run(const float4* f4, float4* f4_out, const int2* i2, int2* i2_out, const uchar4* c4,
                    uchar4* c4_out, const double2* d2, double2* d2_out, const short2* s2, short2* s2_out) {
  __shared__ float4 tile[64];
  int i = threadIdx.x;
  tile[i] = f4[i];
  __syncthreads();
  float4 other = tile[63 - i];
  f4_out[i] = make_float4(other.w, other.x + 1.0f, other.z, other.y);
  int2 pair = i2[i];
  i2_out[i] = make_int2(pair.y - pair.x, pair.x);
  uchar4 bytes = c4[i];
  c4_out[i] = make_uchar4(bytes.w, bytes.z, bytes.y + 1, bytes.x ^ 0xff);
  double2 reals = d2[i];
  d2_out[i] = make_double2(reals.y, reals.x * 2.0);
  short2 shorts = s2[i];
  s2_out[i] = make_short2(shorts.y, shorts.x - 1);
}

int main() {
  const int n = 64;
  expect::Array<float4> f4(n), f4_out(n);
  expect::Array<int2> i2(n), i2_out(n);
  expect::Array<uchar4> c4(n), c4_out(n);
  expect::Array<double2> d2(n), d2_out(n);
  expect::Array<short2> s2(n), s2_out(n);
  for (int i = 0; i < n; i++) {
    f4.host[i] = make_float4(i, i * 0.5f, -i, i + 100.25f);
    i2.host[i] = make_int2(i * 1000, -i);
    c4.host[i] = make_uchar4(i, i * 2, i * 3, 255 - i);
    d2.host[i] = make_double2(i / 3.0, 1e100 * i);
    s2.host[i] = make_short2(i * 500, -i * 500);
  }
  CHECK(cudaMemcpy(f4.device(), f4.host.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(i2.device(), i2.host.data(), n * sizeof(int2), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(c4.device(), c4.host.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d2.device(), d2.host.data(), n * sizeof(double2), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(s2.device(), s2.host.data(), n * sizeof(short2), cudaMemcpyHostToDevice));
  run<<<1, n>>>(f4.device(), f4_out.device(), i2.device(), i2_out.device(), c4.device(), c4_out.device(),
                d2.device(), d2_out.device(), s2.device(), s2_out.device());
  CHECK_LAUNCH();
  f4_out.fetch(), i2_out.fetch(), c4_out.fetch(), d2_out.fetch(), s2_out.fetch();
  for (int i = 0; i < n; i++) {
    const float4 &other = f4.host[n - 1 - i], &f = f4_out.host[i];
    expect::equal("float4.x", i, f.x, other.w);
    expect::equal("float4.y", i, f.y, other.x + 1.0f);
    expect::equal("float4.z", i, f.z, other.z);
    expect::equal("float4.w", i, f.w, other.y);
    expect::equal("int2.x", i, i2_out.host[i].x, -i - i * 1000);
    expect::equal("int2.y", i, i2_out.host[i].y, i * 1000);
    const uchar4 &c = c4_out.host[i], &from = c4.host[i];
    expect::equal("uchar4.x", i, c.x, from.w);
    expect::equal("uchar4.y", i, c.y, from.z);
    expect::equal("uchar4.z", i, c.z, static_cast<unsigned char>(from.y + 1));
    expect::equal("uchar4.w", i, c.w, static_cast<unsigned char>(from.x ^ 0xff));
    expect::equal("double2.x", i, d2_out.host[i].x, 1e100 * i);
    expect::equal("double2.y", i, d2_out.host[i].y, i / 3.0 * 2.0);
    expect::equal("short2.x", i, s2_out.host[i].x, static_cast<short>(-i * 500));
    expect::equal("short2.y", i, s2_out.host[i].y, static_cast<short>(i * 500 - 1));
  }
  return expect::pass("vector_types");
}
