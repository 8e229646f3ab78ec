#include "cpu/dispatch_slots.h"

namespace duet::cpu {

void DispatchSlots::count(Cycle end, Cause cause) {
  if (end <= counted_) return;
  const std::uint64_t slots = (end - counted_) * width_;
  const std::uint64_t used = std::min(slots, uncounted_);
  statistics_.slots_used += used;
  lost_to(cause) += slots - used;
  statistics_.cycles += end - counted_;
  uncounted_ -= used;
  counted_ = end;
}

sim::Counter& DispatchSlots::lost_to(Cause cause) {
  switch (cause) {
    case Cause::FrontEnd:
      return statistics_.slots_front_end;
    case Cause::InstructionCache:
      return statistics_.slots_instruction_cache;
    case Cause::Speculation:
      return statistics_.slots_bad_speculation;
    case Cause::MemoryL2:
      return statistics_.slots_memory_l2;
    case Cause::MemoryBelow:
      return statistics_.slots_memory_below;
    case Cause::Stores:
      return statistics_.slots_stores;
    case Cause::Core:
      return statistics_.slots_core;
    case Cause::Serial:
      break;
  }
  return statistics_.slots_serial;
}

}  // namespace duet::cpu
