#include "cpu/wakeup.h"

namespace duet::cpu {

void Wakeup::rebuild() {
  const std::uint64_t first = window_.first(), next = window_.next();
  std::erase_if(to_tell_, [next](std::uint64_t sequence) { return sequence >= next; });
  for (std::uint64_t i = first; i < next; ++i)
    window_.entry(i).first_waiter = window_.entry(i).next_waiter = 0;
  for (std::uint64_t i = first; i < next; ++i) {
    const WindowEntry& kept = window_.entry(i);
    if (kept.awaited_count == 0) continue;
    const std::uint64_t writer = kept.awaited[kept.awaited_count - 1];
    const bool told = std::find(to_tell_.begin(), to_tell_.end(), writer) != to_tell_.end();
    if (window_.entry(writer).complete != kUnknown && !told) to_tell_.push_back(writer);
    link(i);
  }
}

}  // namespace duet::cpu
