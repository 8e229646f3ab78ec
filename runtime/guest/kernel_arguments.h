// The values of a kernel's parameters, given as an array of pointers by a program on simulated cores.
#pragma once

#include <deque>
#include <vector>

#include "process/program_side.h"

namespace duet::guest {

class KernelArguments {
 public:
  // `there` is the array's address in the program; `stub` stands for the kernel; it is compiled now.
  KernelArguments(process::ProgramSide& program, const void* stub, std::uint64_t there);
  // The same array here. Null where the program gave none, or the kernel is not known.
  void** get() { return given_ ? pointers_.data() : nullptr; }

 private:
  bool given_ = false;
  std::deque<std::vector<std::byte>> values_;
  std::vector<void*> pointers_;
};

}  // namespace duet::guest
