// Fat binary containers, for libFuzzer: PTX text or one line of error, nothing else.
#include "cuda/modules/fat_binary.h"

#include <cstdint>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  try {
    duet::cuda::ptx_of_container({reinterpret_cast<const std::byte*>(data), bytes}, 75, "fuzz");
  } catch (const duet::Error&) {
  }
  return 0;
}
