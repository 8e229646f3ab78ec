#include "guest/kernel_arguments.h"

#include <algorithm>

#include "cuda/session/session.h"

namespace duet::guest {

KernelArguments::KernelArguments(process::ProgramSide& program, const void* stub, std::uint64_t there) {
  const cuda::Function* function = cuda::Session::get().modules().function_of(stub);
  if (function == nullptr || function->kernel == nullptr || there == 0) return;
  for (const auto& parameter : function->kernel->parameters) {
    std::uint64_t at = 0;
    program.read(reinterpret_cast<void*>(there), &at, sizeof at);
    there += sizeof at;
    std::vector<std::byte>& value = values_.emplace_back(std::max<Bytes>(parameter.bytes, 1));
    program.read(reinterpret_cast<void*>(at), value.data(), parameter.bytes);
    pointers_.push_back(value.data());
  }
  given_ = true;
}

}  // namespace duet::guest
