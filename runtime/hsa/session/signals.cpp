#include "hsa/session/signals.h"

#include <hsa/amd_hsa_signal.h>

#include "core/memory.h"
#include "gpu/front_end/aql_packet.h"
#include "machine/watch/host_pages.h"

namespace duet::hsa {

namespace {

constexpr std::size_t kBlockBytes = 64, kBlocks = 64;  // of a page
static_assert(sizeof(amd_signal_t) == kBlockBytes);
static_assert(offsetof(amd_signal_t, value) == gpu::kSignalValueOffset);

}  // namespace

void* reached(core::Runtime& runtime, void* pinned) {
  machine::HostPages* const pages = runtime.process().host_pages();
  std::byte* const place = pages != nullptr ? pages->backing(static_cast<std::byte*>(pinned)) : nullptr;
  return place != nullptr ? place : pinned;
}

hsa_signal_t Signals::create(std::int64_t value) {
  if (free_.empty()) {
    void* const pages = runtime_.allocate_host(kBlockBytes * kBlocks, memory::AllocationKind::Pinned);
    if (pages == nullptr) return {0};
    pages_.push_back(pages);
    for (std::size_t i = kBlocks; i-- > 0;)
      free_.push_back(reinterpret_cast<std::uintptr_t>(pages) + kBlockBytes * i);
  }
  const std::uint64_t handle = free_.back();
  free_.pop_back();
  auto* const block = static_cast<amd_signal_t*>(reached(runtime_, reinterpret_cast<void*>(handle)));
  *block = amd_signal_t{};
  block->kind = AMD_SIGNAL_KIND_USER;
  Signal& signal = signals_[handle];
  signal = Signal{};
  signal.place =
      reinterpret_cast<std::int64_t*>(reinterpret_cast<std::byte*>(block) + gpu::kSignalValueOffset);
  signal.set(value);
  return {handle};
}

hsa_signal_t Signals::create_doorbell(int queue) {
  const hsa_signal_t made = create(-1);
  if (made.handle == 0) return made;
  static_cast<amd_signal_t*>(reached(runtime_, reinterpret_cast<void*>(made.handle)))->kind =
      AMD_SIGNAL_KIND_DOORBELL;
  Signal& signal = signals_.at(made.handle);
  signal.is_doorbell = true;
  signal.queue = queue;
  return made;
}

void Signals::silence(hsa_signal_t doorbell) {
  const auto found = signals_.find(doorbell.handle);
  if (found != signals_.end()) found->second.queue = -1;
}

void Signals::destroy(hsa_signal_t signal) {
  if (signals_.erase(signal.handle) != 0) free_.push_back(signal.handle);
}

const Signal* Signals::find(hsa_signal_t signal) const {
  const auto found = signals_.find(signal.handle);
  return found != signals_.end() ? &found->second : nullptr;
}

hsa_signal_value_t* Signals::value_pointer(hsa_signal_t signal) {
  return reinterpret_cast<hsa_signal_value_t*>(signal.handle + gpu::kSignalValueOffset);
}

void Signals::forget() {
  signals_.clear();
  free_.clear();
  for (void* const pages : std::exchange(pages_, {}))
    core::release_unused(runtime_, duet::virtual_address(pages));
}

bool holds(hsa_signal_condition_t condition, std::int64_t value, std::int64_t compared) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compared;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compared;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compared;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compared;
  }
  return true;
}

}  // namespace duet::hsa
