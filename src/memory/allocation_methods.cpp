#include "memory/allocation_methods.h"

namespace duet::memory {

namespace {

constexpr std::string_view kWriteCombined = "cudaHostAllocWriteCombined";

bool names(const config::Method& method, std::string_view call) {
  std::string_view rest = method.calls;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word == call) return true;
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.size(), std::size_t{1}));
  }
  return false;
}

PageAttributes attributes_of(const config::Gpu& gpu, const config::Method& method) {
  PageAttributes pages;
  pages.cacheability.gpu_l1 = method.gpu_l1 && gpu.sm.global_in_l1;
  pages.cacheability.gpu_constant = method.gpu_l1 && gpu.sm.constants_cached;
  pages.cacheability.gpu_l2 = method.gpu_l2;
  pages.coalesced = method.coalesced;
  return pages;
}

}  // namespace

const config::Method* method_of(const config::Machine& machine, std::string_view call) {
  for (const config::Method& method : machine.methods)
    if (names(method, call)) return &method;
  return call == kWriteCombined ? method_of(machine, "cudaHostAlloc") : nullptr;
}

DevicePages device_pages(const config::Gpu& gpu, const config::Method* method) {
  DevicePages pages;
  pages.plain.gpu_l1 = gpu.sm.global_in_l1;
  pages.plain.gpu_constant = gpu.sm.constants_cached;
  if (method != nullptr)
    pages.allocated = attributes_of(gpu, *method);
  else
    pages.allocated.cacheability = pages.plain;
  pages.allocated_tracked = pages.allocated.cacheability;
  pages.allocated_tracked.gpu_l1 &= gpu.full_empty.loads_in_l1;
  pages.track_all = gpu.full_empty.granule_bytes != 0 && gpu.full_empty.tracked == "all";
  return pages;
}

PageAttributes host_pages(const config::Machine& machine, std::string_view call) {
  PageAttributes pages;
  pages.cacheability = {false, false, false};
  const config::Method* const method = method_of(machine, call);
  if (method != nullptr) pages = attributes_of(machine.gpu, *method);
  pages.home = method != nullptr && method->route == "memory" ? Home::OneDram : Home::HostDram;
  return pages;
}

bool uncached_on_cores(const config::Machine& machine, std::string_view call) {
  if (const config::Method* const method = method_of(machine, call)) return method->cpu == "uncached";
  return call == kWriteCombined;
}

}  // namespace duet::memory
