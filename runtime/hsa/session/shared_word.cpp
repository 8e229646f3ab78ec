#include "hsa/session/shared_word.h"

#include <cstring>

#include "machine/watch/host_pages.h"

namespace duet::hsa {

void* allocate_shared(core::Runtime& runtime, Bytes bytes) {
  core::HostMemoryUse use;
  use.call = memory::AllocatingCall::HsaFine;
  return runtime.allocate_host(bytes, memory::AllocationKind::Pinned, use);
}

void* reached(core::Runtime& runtime, void* pinned) {
  machine::HostPages* const pages = runtime.process().host_pages();
  std::byte* const place = pages != nullptr ? pages->backing(static_cast<std::byte*>(pinned)) : nullptr;
  return place != nullptr ? place : pinned;
}

void write_pinned(core::Runtime& runtime, void* pinned, const void* from, Bytes bytes) {
  if (process::ProgramSide* const side = runtime.program().side()) return side->write(pinned, from, bytes);
  std::memcpy(reached(runtime, pinned), from, bytes);
}

SharedWord::SharedWord(core::Runtime& runtime, void* pinned)
    : side_(runtime.program().side()),
      place_(static_cast<std::uint64_t*>(side_ != nullptr ? pinned : reached(runtime, pinned))) {}

std::uint64_t SharedWord::load() const {
  return side_ != nullptr ? side_->word_at(place_) : __atomic_load_n(place_, __ATOMIC_ACQUIRE);
}

void SharedWord::store(std::uint64_t value) const {
  if (side_ != nullptr)
    side_->write(place_, &value, sizeof value);
  else
    __atomic_store_n(place_, value, __ATOMIC_RELEASE);
}

}  // namespace duet::hsa
