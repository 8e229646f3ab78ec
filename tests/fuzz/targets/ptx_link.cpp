// Linking of PTX texts, for libFuzzer: one text or one line of error, nothing else. Texts are separated by
// zeros.
#include "core/ptx_link.h"

#include <cstdint>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (data[i] != 0)
      texts.back() += static_cast<char>(data[i]);
    else
      texts.emplace_back();
  }
  try {
    duet::core::link_ptx(texts);
  } catch (const duet::Error&) {
  }
  return 0;
}
