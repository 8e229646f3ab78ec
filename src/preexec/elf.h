// Compiles a generated program (preexec.h, blocks/blocks.h) for RV64: clang-19 and ld.lld, without a library,
// static, no relocation left.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace duet::preexec {

// A tool is missing, or refuses its input: no program can be made.
class ToolError : public Error {
 public:
  using Error::Error;
};

struct ElfOptions {
  // Of the first segment. Code and read-only data follow; there is no writable data, and no stack: the
  // starter gives one in sp.
  std::uint64_t image_base = 0x10000;
};

// Writes an ELF file whose entry point is the function `entry` of the text `c`. Throws ToolError with one
// line when a tool is missing or does not take the program.
void compile_elf(const std::string& c, const std::string& entry, const std::string& path,
                 const ElfOptions& options = {});

}  // namespace duet::preexec
