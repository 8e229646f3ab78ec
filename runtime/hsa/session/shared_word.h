// A word in pinned memory that program, GPU and runtime read and write: in this process, or in that of a
// program on simulated cores.
//
//   SharedWord value(runtime, address);
//   value.store(value.load() - 1);
#pragma once

#include <cstdint>

#include "core/runtime.h"

namespace duet::hsa {

// Pinned memory for signals, queues and packets, coherent whatever `duet run --method` says. Null: no room.
void* allocate_shared(core::Runtime& runtime, Bytes bytes);
// Where this process reaches bytes of pinned memory, which may be kept from the program.
void* reached(core::Runtime& runtime, void* pinned);
// Copies to pinned memory.
void write_pinned(core::Runtime& runtime, void* pinned, const void* from, Bytes bytes);

class SharedWord {
 public:
  SharedWord() = default;
  SharedWord(core::Runtime& runtime, void* pinned);
  std::uint64_t load() const;
  void store(std::uint64_t value) const;

 private:
  process::ProgramSide* side_ = nullptr;  // null: the word is here
  std::uint64_t* place_ = nullptr;
};

}  // namespace duet::hsa
