#include "memory/allocation_methods.h"

#include <algorithm>

#include "config/names.h"

namespace duet::memory {

namespace {

PageAttributes attributes_of(const config::Gpu& gpu, const config::Method& method) {
  PageAttributes pages;
  pages.cacheability.gpu_l1 = method.gpu_l1 && gpu.sm.global_in_l1;
  pages.cacheability.gpu_constant = method.gpu_l1 && gpu.sm.constants_cached;
  pages.cacheability.gpu_l2 = method.gpu_l2;
  pages.coalesced = method.coalesced;
  for (std::size_t i = 0; i < config::kTranslations.size(); ++i)
    if (method.translation == config::kTranslations[i]) pages.translation = static_cast<Translation>(i);
  return pages;
}

const config::Method* row_of(const config::Machine& machine, AllocatingCall call) {
  const std::string_view name = config::kMethodCalls[static_cast<std::size_t>(call)];
  for (const config::Method& method : machine.methods)
    if (has_word(method.calls, name)) return &method;
  return nullptr;
}

// By config::Machine::method, if it is for this call: a row that the host does not reach is for cudaMalloc
// alone, and a machine without a row for duetSharedAlloc has no such memory. HSA's packets and signals lie in
// fine-grained memory, and have to be where both sides find them.
const config::Method* chosen(const config::Machine& machine, AllocatingCall call) {
  if (machine.method.empty() || call == AllocatingCall::Registered || call == AllocatingCall::HsaFine)
    return nullptr;
  if (call == AllocatingCall::Shared && row_of(machine, call) == nullptr) return nullptr;
  for (const config::Method& method : machine.methods)
    if (method.name == machine.method)
      return call == AllocatingCall::Device || method.cpu != "none" ? &method : nullptr;
  return nullptr;
}

// What a call is where no row names it; itself: nothing more general.
AllocatingCall general(AllocatingCall call) {
  using enum AllocatingCall;
  switch (call) {
    case WriteCombined:
    case SvmFine:
    case HsaFine:
      return Pinned;
    case SvmAtomics:
      return SvmFine;
    case SvmCoarse:
    case HsaCoarse:
      return Managed;
    default:
      return call;
  }
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view words) {
  std::vector<std::string_view> all;
  while (!words.empty()) {
    all.push_back(words.substr(0, words.find(' ')));
    words.remove_prefix(std::min(words.size(), all.back().size() + 1));
  }
  return all;
}

bool has_word(std::string_view words, std::string_view wanted) {
  const std::vector<std::string_view> all = words_of(words);
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

const config::Method* method_of(const config::Machine& machine, AllocatingCall call) {
  if (const config::Method* const one = chosen(machine, call)) return one;
  for (;; call = general(call)) {
    if (const config::Method* const one = row_of(machine, call)) return one;
    if (general(call) == call) return nullptr;
  }
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

PageAttributes host_pages(const config::Machine& machine, AllocatingCall call) {
  PageAttributes pages;
  pages.cacheability = {false, false, false};
  const config::Method* const method = method_of(machine, call);
  if (method != nullptr) pages = attributes_of(machine.gpu, *method);
  pages.home = Home::HostDram;
  if (method != nullptr && method->route == "memory") pages.home = Home::OneDram;
  if (method != nullptr && is_in_l2_across_link(*method)) pages.home = Home::HostInL2;
  return pages;
}

bool uncached_on_cores(const config::Machine& machine, AllocatingCall call) {
  if (const config::Method* const method = method_of(machine, call)) return method->cpu == "uncached";
  return call == AllocatingCall::WriteCombined;
}

bool host_waits(const config::Machine& machine, AllocatingCall call) {
  if (general(call) == AllocatingCall::Managed) call = AllocatingCall::Managed;
  const config::Method* const row = chosen(machine, call);
  if (row == nullptr) return call == AllocatingCall::Managed;
  const auto is_of = [&](AllocatingCall one) {
    return has_word(row->calls, config::kMethodCalls[static_cast<std::size_t>(one)]);
  };
  return is_of(AllocatingCall::Managed) && (call == AllocatingCall::Managed || !is_of(call));
}

}  // namespace duet::memory
