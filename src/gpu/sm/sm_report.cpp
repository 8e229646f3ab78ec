// An SM's lines in the report of a standstill, or of a machine stopped by a limit.
#include <algorithm>
#include <bit>

#include "gpu/sm/sm_core.h"

namespace duet::gpu {

// A line for the first waiting warp of each kernel here, and one for the load-store unit.
template <unsigned W>
std::string SmCoreOf<W>::waits_for() const {
  if (blocks_.empty()) return {};
  std::string text;
  std::vector<const Grid*> told;
  for (const auto& block : blocks_.all()) {
    if (std::find(told.begin(), told.end(), block->grid) != told.end()) continue;
    for (std::uint64_t rest = block->warps; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      const Warp& warp = *warps_[slot];
      if (warp.stack.empty() || warp.block != block.get()) continue;
      if (!told.empty()) text += '\n';
      told.push_back(block->grid);
      const auto blocks = std::count_if(blocks_.all().begin(), blocks_.all().end(),
                                        [&](const auto& other) { return other->grid == block->grid; });
      text += Program::name_of_warp(warp);
      if (warp.reason == IssueSlot::Barrier && block->barriers[warp.barrier].in_use()) {
        text += Program::wait_at_barrier(warp);
      } else {
        text +=
            warp.reason == IssueSlot::Issued ? "runs" : std::string("waits: ") + issue_slot_name(warp.reason);
        if (warp.pc < warp.code_size) text += " (" + place_of(*block->grid, warp.code[warp.pc]) + ")";
      }
      if (blocks > 1) text += ", one of " + std::to_string(blocks) + " blocks";
      break;
    }
  }
  const std::string memory = load_store_.waits_for();
  if (!memory.empty()) text += (text.empty() ? "" : "\n") + ("the load-store unit waits for " + memory);
  return text.empty() ? std::to_string(blocks_.size()) + " blocks" : text;
}

template std::string SmCoreOf<32>::waits_for() const;
template std::string SmCoreOf<64>::waits_for() const;

}  // namespace duet::gpu
