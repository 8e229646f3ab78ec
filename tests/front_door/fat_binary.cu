// A fat binary in NVIDIA's container, made by hand, whole or damaged. Usage: fat_binary CASE
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                                       dim3*, int*);

// The container ends where the program's data end or before: what lies behind it is not the program's.
static constexpr char kPtx[] =
    ".version 7.8\n.target sm_60\n.address_size 64\n.visible .entry seven(.param .u64 p)\n{\n.reg .b64 "
    "%rd<2>;\n"
    "ld.param.u64 %rd1, [p];\nst.global.u64 [%rd1], 7;\nret;\n}\n";
static unsigned char container[1024];

static void write(std::size_t at, const void* value, std::size_t bytes) {
  std::memcpy(container + at, value, bytes);
}
static void put16(std::size_t at, std::uint16_t value) { write(at, &value, 2); }
static void put32(std::size_t at, std::uint32_t value) { write(at, &value, 4); }
static void put64(std::size_t at, std::uint64_t value) { write(at, &value, 8); }

static void stub() {}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "whole";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  constexpr std::size_t kEntry = 16, kPayload = kEntry + 64;
  const std::uint64_t payload = (sizeof kPtx + 7) / 8 * 8;
  put32(0, 0xBA55ED50);
  put16(4, 1);
  put16(6, 16);
  put64(8, 64 + payload);
  put16(kEntry, 1);
  put32(kEntry + 4, 64);
  put64(kEntry + 8, payload);
  put32(kEntry + 28, 60);
  write(kPayload, kPtx, sizeof kPtx);
  if (is("endless_container")) put64(8, ~std::uint64_t{0} - 100);
  if (is("header_of_nothing")) put16(6, 0);
  if (is("entry_cut_off")) put64(8, 40);
  if (is("endless_entry")) put64(kEntry + 8, ~std::uint64_t{0} - 63);
  if (is("entry_of_nothing")) put32(kEntry + 4, 0), put64(kEntry + 8, 0);
  if (is("enormous_text"))
    put64(kEntry + 40, 0x8000), put32(kEntry + 16, 8), put64(kEntry + 56, std::uint64_t{1} << 60);
  if (is("no_zstd")) put64(kEntry + 40, 0x8000), put32(kEntry + 16, 100), put64(kEntry + 56, 1000);
  if (is("no_lz4")) put64(kEntry + 40, 0x2000), put32(kEntry + 16, 100), put64(kEntry + 56, 1000);
  if (is("compressed_beyond"))
    put64(kEntry + 40, 0x8000), put32(kEntry + 16, 1u << 31), put64(kEntry + 56, 1000);

  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data = container;
    void* more = nullptr;
  } wrapper;
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  char kernel[] = "seven";
  __cudaRegisterFunction(handle, reinterpret_cast<const char*>(&stub), kernel, kernel, -1, nullptr, nullptr,
                         nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  std::uint64_t *device = nullptr, value = 0;
  if (cudaMalloc(&device, 8) != cudaSuccess) return 1;
  void* arguments[] = {&device};
  if (cudaLaunchKernel(reinterpret_cast<const void*>(&stub), dim3(1), dim3(1), arguments, 0, nullptr) !=
      cudaSuccess)
    return 1;
  if (cudaMemcpy(&value, device, 8, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%d\n", static_cast<int>(value));
  return 0;
}
