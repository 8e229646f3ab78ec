// A managed variable as a compiler that has them registers it: its pointer gets its place in
// __cudaInitModule, and it is a symbol by that. Clang has none, so PTX is registered by hand.
#include "check.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void**);
}

namespace {

const char kPtx[] = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .global .align 4 .attribute(.managed) .b32 values[4] = {5, 6, 7, 8};
.visible .entry twice() {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd0, %r0, 4;
  mov.u64 %rd1, values;
  add.u64 %rd1, %rd1, %rd0;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, %r1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

struct {
  unsigned magic, version;
  const void* data;
  void* other;
} wrapper{0x466243B1, 1, kPtx, nullptr};

int* values = nullptr;
char stub;

}  // namespace

int main() {
  void** const image = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(image, &stub, nullptr, "twice", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterManagedVar(image, reinterpret_cast<void**>(&values), nullptr, "values", 0, 16, 0, 0);
  __cudaRegisterFatBinaryEnd(image);
  __cudaInitModule(image);
  std::printf("at first %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  values[2] = 100;
  CHECK(cudaLaunchKernel(&stub, dim3(1), dim3(4), nullptr, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  std::printf("then %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  const int other[2] = {1, 2};
  CHECK(cudaMemcpyToSymbol(static_cast<const void*>(values), other, sizeof other, 4));
  std::printf("by its symbol %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  return 0;
}
