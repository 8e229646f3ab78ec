// The input of a program that executes thread blocks: the struct whose address it gets in a0. The generated C
// declares the same struct (`struct duet_blocks`, generate.cpp). The program writes to its own memory, named
// here, and to the kernel's.
//
// It asks for a block by the environment call kNextBlock (a7), and has its number (x fastest) in a0, or
// kNoBlock: then there is none left, and it ends with the call exit (a7 = 93).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace duet::preexec {

inline constexpr std::uint64_t kNextBlock = 0x640001, kNoBlock = ~std::uint64_t{0};

struct alignas(64) BlockContext {
  std::uint64_t parameters = 0;  // address of the kernel parameters' bytes, as PTX lays them out
  std::uint64_t symbols = 0;     // of an array: the addresses of BlockProgram::symbols, in their order
  std::uint64_t shared = 0;      // of the block's shared memory
  std::uint64_t local = 0;       // of its threads' local memory
  std::uint64_t threads = 0;     // of their variables between barriers
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
};

static_assert(offsetof(BlockContext, grid) == 40);
static_assert(offsetof(BlockContext, block) == 52);
static_assert(sizeof(BlockContext) == 64);

}  // namespace duet::preexec
