#include "base/issue_slot.h"

namespace duet {

const char* issue_slot_name(IssueSlot slot) {
  static constexpr const char* kNames[] = {"issued", "unit_busy",     "load_store_busy", "dependency",
                                           "memory", "tracked_order", "fence",           "barrier",
                                           "fetch",  "no_warp"};
  return kNames[static_cast<std::size_t>(slot)];
}

}  // namespace duet
