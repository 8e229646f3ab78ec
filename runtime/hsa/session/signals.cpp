#include "hsa/session/signals.h"

#include <hsa/amd_hsa_signal.h>

#include "core/memory.h"
#include "gpu/front_end/aql_packet.h"

namespace duet::hsa {

namespace {

constexpr std::size_t kBlockBytes = 64, kBlocks = 64;  // of a page
static_assert(sizeof(amd_signal_t) == kBlockBytes);
static_assert(offsetof(amd_signal_t, value) == gpu::kSignalValueOffset);
constexpr std::uint32_t kNoQueue = 511;  // the last doorbell of a page: no GPU has so many queues

void* pointer_to(std::uint64_t handle) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle));
}

}  // namespace

void Signals::write_block(std::uint64_t handle, std::int64_t kind, std::uint64_t value) {
  amd_signal_t block{};
  block.kind = kind;
  block.value = static_cast<std::int64_t>(value);
  write_pinned(runtime_, pointer_to(handle), &block, sizeof block);
}

hsa_signal_t Signals::create(std::int64_t value) {
  if (free_.empty()) {
    void* const pages = allocate_shared(runtime_, kBlockBytes * kBlocks);
    if (pages == nullptr) return {0};
    pages_.push_back(pages);
    for (std::size_t i = kBlocks; i-- > 0;)
      free_.push_back(reinterpret_cast<std::uintptr_t>(pages) + kBlockBytes * i);
  }
  const std::uint64_t handle = free_.back();
  free_.pop_back();
  write_block(handle, AMD_SIGNAL_KIND_USER, static_cast<std::uint64_t>(value));
  signals_[handle] = Signal{SharedWord(runtime_, pointer_to(handle + gpu::kSignalValueOffset))};
  return {handle};
}

hsa_signal_t Signals::create_doorbell(int queue) {
  process::ProgramSide* const side = runtime_.program().side();
  if (side != nullptr && side->doorbells() == nullptr) return {0};
  const hsa_signal_t made = create(-1);
  if (made.handle == 0) return made;
  Signal& signal = signals_.at(made.handle);
  signal.is_doorbell = true;
  signal.queue = queue;
  point_doorbell(made.handle, static_cast<std::uint32_t>(queue));
  return made;
}

// The signal's block says that it is a doorbell, and where the cores ring it.
void Signals::point_doorbell(std::uint64_t handle, std::uint32_t queue) {
  process::ProgramSide* const side = runtime_.program().side();
  if (side == nullptr) return write_block(handle, AMD_SIGNAL_KIND_DOORBELL, ~std::uint64_t{0});
  auto* const words = static_cast<std::uint64_t*>(side->doorbells());
  write_block(handle, AMD_SIGNAL_KIND_DOORBELL, reinterpret_cast<std::uintptr_t>(words + queue));
  signals_.at(handle).word = SharedWord(runtime_, words + queue);
}

void Signals::silence(hsa_signal_t doorbell) {
  const auto found = signals_.find(doorbell.handle);
  if (found == signals_.end()) return;
  found->second.queue = -1;
  if (runtime_.program().side() != nullptr) point_doorbell(doorbell.handle, kNoQueue);
}

void Signals::destroy(hsa_signal_t signal) {
  if (signals_.erase(signal.handle) == 0) return;
  write_block(signal.handle, AMD_SIGNAL_KIND_INVALID, 0);
  free_.push_back(signal.handle);
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

}  // namespace duet::hsa
