#include "cuda/session/notes.h"

#include <cstdio>
#include <set>

namespace duet::cuda {

namespace {

// True the first time. Under the session's lock.
bool is_new(const std::string& text) {
  static std::set<std::string> said;
  return said.insert(text).second;
}

}  // namespace

cudaError_t launch_fails(const Session& session, const ptx::Kernel& kernel, cudaError_t error,
                         const std::string& reason) {
  const std::string text = "kernel '" + kernel.name + "' is not launched (" + error_name(error) +
                           "): " + reason + " (machine " + session.config().name + ")";
  if (is_new(text)) std::fprintf(stderr, "duet: %s\n", text.c_str());
  return error;
}

const memory::Allocation* allocate_device(Session& session, Bytes bytes) {
  memory::AddressSpace& space = session.space();
  const memory::Allocation* allocation = space.allocate_device(bytes, memory::AllocationKind::Device);
  if (allocation == nullptr && is_new("memory"))
    std::fprintf(
        stderr,
        "duet: an allocation of %llu bytes fails (cudaErrorMemoryAllocation): %llu of %llu bytes of device "
        "memory are free (gpu.dram.bytes of machine %s)\n",
        static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(space.device_bytes_free()),
        static_cast<unsigned long long>(space.device_bytes()), session.config().name.c_str());
  return allocation;
}

}  // namespace duet::cuda
