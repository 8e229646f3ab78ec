// Structures by value as kernel arguments: nested, with padding and arrays, mixed with scalars of all widths
// whose alignment leaves gaps in the parameter space.
#include "expect.h"

struct Inner {
  char tag;
  double weight;
  short pair[2];
};
struct Outer {
  int* out;
  Inner inner[2];
  unsigned char bytes[5];
  long long wide;
};

__global__ void unpack(char first, Outer outer, short second, double third, unsigned char fourth,
                       float fifth) {
  int i = threadIdx.x;
  double sum = first + second + third + fourth + fifth + outer.wide;
  const Inner& inner = outer.inner[i % 2];
  sum += inner.tag + inner.weight + inner.pair[0] - inner.pair[1] + outer.bytes[i % 5];
  outer.out[i] = static_cast<int>(sum);
}

int main() {
  expect::Array<int> out(32);
  Outer outer{
      out.device(), {{'a', 2.5, {300, -4}}, {'b', -8.0, {-500, 600}}}, {1, 2, 3, 250, 255}, -123456789};
  unpack<<<1, 32>>>(7, outer, -300, 1000000.5, 200, 0.25f);
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 32; i++) {
    const Inner& inner = outer.inner[i % 2];
    double sum = 7 - 300 + 1000000.5 + 200 + 0.25 + outer.wide;
    sum += inner.tag + inner.weight + inner.pair[0] - inner.pair[1] + outer.bytes[i % 5];
    expect::equal("out", i, out.host[i], static_cast<int>(sum));
  }
  return expect::pass("struct_arguments");
}
