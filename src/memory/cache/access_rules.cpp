#include "memory/cache/access_rules.h"

namespace duet::memory {

namespace {

bool Cacheability::*attribute_of(const config::Cache& config) {
  switch (config.attribute) {
    case config::PageAttribute::GpuL1:
      return &Cacheability::gpu_l1;
    case config::PageAttribute::GpuConstant:
      return &Cacheability::gpu_constant;
    case config::PageAttribute::GpuL2:
      return &Cacheability::gpu_l2;
    case config::PageAttribute::Cpu:
      return &Cacheability::cpu;
    case config::PageAttribute::None:
      break;
  }
  return nullptr;
}

}  // namespace

AccessRules::AccessRules(const config::Cache& config, const config::FullEmpty& full_empty)
    : attribute_(attribute_of(config)),
      line_bytes_(static_cast<unsigned>(config.line_bytes)),
      sector_bytes_(static_cast<unsigned>(config.sector_bytes)),
      granule_bytes_(full_empty.granule_bytes),
      performs_atomics_(config.atomic_words_per_cycle != 0),
      write_back_(config.write_back),
      write_allocate_(config.write_allocate),
      write_through_of_tracked_(full_empty.write_through),
      merge_by_trigger_(full_empty.merge_by_trigger),
      valid_masks_(full_empty.valid_masks) {}

ByteMask AccessRules::kept_of_write(const LineAccess& access) const {
  if (!access.request.tracked || granule_bytes_ <= 4 || !valid_masks_) return access.mask;
  ByteMask kept;
  for (unsigned at = 0; at + granule_bytes_ <= line_bytes_; at += static_cast<unsigned>(granule_bytes_)) {
    const ByteMask own = moved_up(ByteMask::first(static_cast<unsigned>(granule_bytes_)), at);
    if (within(own, access.mask)) kept = kept | own;
  }
  return kept;
}

}  // namespace duet::memory
