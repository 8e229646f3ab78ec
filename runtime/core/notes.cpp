#include "core/notes.h"

#include <cstdio>
#include <set>

namespace duet::core {

namespace {

// True the first time. Under the program's lock.
bool is_new(const std::string& text) {
  static std::set<std::string> said;
  return said.insert(text).second;
}

}  // namespace

Status launch_fails(const Runtime& runtime, const ptx::Kernel& kernel, Reason reason,
                    const std::string& text) {
  const std::string line = "kernel '" + kernel.name + "' is not launched (" +
                           runtime.words().name_of(reason) + "): " + text + " (machine " +
                           runtime.config().name + ")";
  if (is_new(line)) std::fprintf(stderr, "duet: %s\n", line.c_str());
  return {reason, text};
}

const memory::Allocation* allocate_device(Runtime& runtime, Bytes bytes) {
  memory::AddressSpace& space = runtime.space();
  const memory::Allocation* allocation = space.allocate_device(bytes, memory::AllocationKind::Device);
  if (allocation == nullptr && is_new("memory"))
    std::fprintf(stderr,
                 "duet: an allocation of %llu bytes fails (%s): %llu of %llu bytes of device "
                 "memory are free (gpu.dram.bytes of machine %s)\n",
                 static_cast<unsigned long long>(bytes), runtime.words().name_of(Reason::OutOfMemory),
                 static_cast<unsigned long long>(space.device_bytes_free()),
                 static_cast<unsigned long long>(space.device_bytes()), runtime.config().name.c_str());
  return allocation;
}

}  // namespace duet::core
