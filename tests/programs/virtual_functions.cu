// Objects with virtual functions, made, called and deleted on the device by different kernels: tables of
// functions in memory, calls that differ from lane to lane, and lanes that meet again behind them.
#include "expect.h"

struct Shape {
  int tag;
  __device__ explicit Shape(int t) : tag(t) {}
  __device__ virtual ~Shape() {}
  __device__ virtual int area(int scale) const = 0;
  __device__ virtual int name() const { return 1000 + tag; }
  __device__ virtual int doubled(int scale) const { return 2 * area(scale); }
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : Shape(1), side(s) {}
  __device__ int area(int scale) const override { return side * side * scale; }
};
struct Rectangle : Shape {
  int width, height;
  int* deleted;
  __device__ Rectangle(int w, int h, int* counter) : Shape(2), width(w), height(h), deleted(counter) {}
  __device__ ~Rectangle() override { atomicAdd(deleted, 1); }
  __device__ int area(int scale) const override { return width * height * scale; }
  __device__ int name() const override { return 2000; }
};
struct Framed : Rectangle {
  const Shape* inner;
  __device__ Framed(int w, int h, int* counter, const Shape* shape)
      : Rectangle(w, h, counter), inner(shape) {}
  __device__ int area(int scale) const override { return Rectangle::area(scale) - inner->area(scale); }
};

__global__ void make(Shape** shapes, int* deleted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3 == 0)
    shapes[i] = new Square(i + 1);
  else if (i % 3 == 1)
    shapes[i] = new Rectangle(i + 1, 3, deleted);
  else
    shapes[i] = new Framed(2 * i, i, deleted, new Square(2));
}
__global__ void measure(Shape* const* shapes, int* out, int* names, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = shapes[i]->area(2);
  int sum = value;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  out[i] = value + (i % 2 == 0 ? shapes[i]->doubled(1) : 0);
  names[i] = shapes[i]->name();
  sums[i] = sum;
}
__global__ void remove(Shape** shapes) { delete shapes[blockIdx.x * blockDim.x + threadIdx.x]; }

int area(int i, int scale) {
  if (i % 3 == 0) return (i + 1) * (i + 1) * scale;
  if (i % 3 == 1) return (i + 1) * 3 * scale;
  return (2 * i * i - 4) * scale;
}

int main() {
  constexpr int kCount = 192;
  expect::Array<Shape*> shapes(kCount);
  expect::Array<int> out(kCount), names(kCount), sums(kCount), deleted(1);
  make<<<2, kCount / 2>>>(shapes.device(), deleted.device());
  CHECK_LAUNCH();
  measure<<<3, kCount / 3>>>(shapes.device(), out.device(), names.device(), sums.device());
  CHECK_LAUNCH();
  remove<<<1, kCount>>>(shapes.device());
  CHECK_LAUNCH();
  out.fetch();
  names.fetch();
  sums.fetch();
  deleted.fetch();
  for (int i = 0; i < kCount; i++) {
    expect::equal("area", i, out.host[i], area(i, 2) + (i % 2 == 0 ? 2 * area(i, 1) : 0));
    expect::equal("name", i, names.host[i], i % 3 == 0 ? 1001 : 2000);
    int sum = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) sum += area(j, 2);
    expect::equal("sum", i, sums.host[i], sum);
  }
  expect::equal("deleted", 0, deleted.host[0], kCount / 3 * 2);
  return expect::pass("virtual_functions");
}
