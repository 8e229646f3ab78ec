// A self-describing PTX instruction test: what stands in the comments at its head (tests/ptx/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/grid.h"

namespace duet::test {

enum class ElementType : std::uint8_t { U8, U16, U32, U64, F32, F64 };
unsigned element_bytes(ElementType type);

struct TestArgument {
  enum class Kind : std::uint8_t { Scalar, Buffer } kind = Kind::Scalar;
  ElementType type = ElementType::U32;
  std::vector<std::byte> bytes;
};
struct Expectation {
  std::size_t argument = 0;
  ElementType type = ElementType::U32;
  bool within_ulps = false;
  std::uint64_t ulps = 0;
  std::vector<std::uint64_t> values;  // bit patterns
};
struct TestFile {
  std::string path, text, kernel;
  gpu::Dim3 grid, block;
  Bytes shared_bytes = 0;
  std::vector<TestArgument> arguments;
  std::vector<Expectation> expectations;
  std::string unsupported;  // not empty: compiling must fail with an error that contains this
};

// Throws duet::Error for a file that does not follow the format.
TestFile read_test_file(const std::string& path);

}  // namespace duet::test
