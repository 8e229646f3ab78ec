#include "base/issue_slot.h"

namespace duet {

const char* issue_slot_name(IssueSlot slot) {
  static constexpr const char* kNames[] = {"issued", "unit_busy",     "load_store_busy", "dependency",
                                           "memory", "tracked_order", "fence",           "barrier",
                                           "fetch",  "no_warp"};
  return kNames[static_cast<std::size_t>(slot)];
}

const char* warp_state_name(IssueSlot state) {
  if (state == IssueSlot::NoWarp) return "selected";
  return state == IssueSlot::Issued ? "not_selected" : issue_slot_name(state);
}

}  // namespace duet
