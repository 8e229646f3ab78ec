// PTX text through parser, passes and code generation, for libFuzzer: a module or one line of error, nothing
// else.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "ptx/compiler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  for (const bool peepholes : {true, false}) {
    duet::ptx::CompileOptions options;
    options.assembler_peepholes = peepholes;
    try {
      duet::ptx::compile_module({reinterpret_cast<const char*>(data), bytes}, "fuzz", options);
    } catch (const duet::Error&) {
    }
  }
  return 0;
}
