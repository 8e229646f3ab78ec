#include "core/notes.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace duet::core {

void say_once(const std::string& line) { say_once(line, line); }

void say_once(const std::string& key, const std::string& line) {
  static std::mutex mutex;
  static auto* const said = new std::set<std::string>;  // a program may call while it ends
  const std::lock_guard lock(mutex);
  if (said->insert(key).second) std::fprintf(stderr, "duet: %s\n", line.c_str());
}

Status launch_fails(const Runtime& runtime, const ptx::Kernel& kernel, Reason reason,
                    const std::string& text) {
  const std::string line = "kernel '" + kernel.name + "' is not launched (" +
                           runtime.words().name_of(reason) + "): " + text + " (machine " +
                           runtime.config().name + ")";
  say_once(line);
  return {reason, text};
}

const memory::Allocation* allocate_device(Runtime& runtime, Bytes bytes) {
  memory::AddressSpace& space = runtime.space();
  const memory::Allocation* allocation = space.allocate_device(bytes, memory::AllocationKind::Device);
  if (allocation == nullptr)
    say_once("memory",
             fmt::format("an allocation of {} bytes fails ({}): {} of {} bytes of device memory are free "
                         "(gpu.dram.bytes of machine {})",
                         bytes, runtime.words().name_of(Reason::OutOfMemory), space.device_bytes_free(),
                         space.device_bytes(), runtime.config().name));
  return allocation;
}

}  // namespace duet::core
