// From virtual addresses to pieces of lines, outside simulated time: page_walker.h has the cost.
//
//   Access access;
//   if (!translation.translate(0x4003c, 8, rv64::Access::Load, access)) return
//   stands_at(translation.fault());
//
// Guarantee: the answer is MemoryView::page_of of this moment. Answers are kept until forget(), which is
// called when pages are mapped or unmapped, or their rights change.
#pragma once

#include <array>

#include "cpu/access.h"
#include "cpu/memory_view.h"

namespace duet::cpu {

class AddressTranslation {
 public:
  AddressTranslation(MemoryView& view, unsigned core, std::uint64_t line_bytes)
      : view_(view), core_(core), line_mask_(line_bytes - 1) {}

  // `bytes` from `address` on, for an access of this kind; false: it faults.
  bool translate(std::uint64_t address, unsigned bytes, rv64::Access kind, Access& access);
  // Of the last access that faulted, or of an instruction that faults for another reason.
  const rv64::Fault& fault() const { return fault_; }
  void set_fault(const rv64::Fault& fault) { fault_ = fault; }
  void forget() { known_.fill({}); }

 private:
  struct Known {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t physical = 0;
    rv64::Rights rights;
    rv64::MemoryType type{};
  };
  static constexpr unsigned kPages = 512;

  MemoryView& view_;
  const unsigned core_;
  const std::uint64_t line_mask_;
  rv64::Fault fault_;
  std::array<Known, kPages> known_;  // by page number
};

}  // namespace duet::cpu
