// Accesses of kernels beside allocations (gpu/outside_accesses.h), and their records.
#include <vector>

#include "gpu/functional/functional_sm.h"
#include "gpu/outside_accesses.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/outside_options.h"
#include "report/journal/journal.h"

namespace duet::machine {

namespace {

class OutsideWatch final : public Feature {
 public:
  const char* option() const override { return "no --strict-memory"; }
  void plan(MachinePlan& plan) override { plan.services.outside = &accesses_; }
  void attach(System& system, report::JournalWriter* journal) override {
    system_ = &system;
    journal_ = journal;
  }
  void completed(const driver::CommandRecord& command) override {
    if (journal_ != nullptr && command.grid != nullptr) launches_.push_back(command.grid->launch_id);
  }
  void device_launch_ends(const gpu::Grid& grid) override {
    if (journal_ != nullptr) launches_.push_back(grid.launch_id);
  }
  void record() override {
    for (const std::uint64_t launch : launches_) tell(accesses_.take(launch));
    launches_.clear();
  }
  void record_end() override { tell(accesses_.take_all()); }

 private:
  void tell(const std::vector<gpu::OutsideAccess>& accesses);

  System* system_ = nullptr;
  report::JournalWriter* journal_ = nullptr;
  gpu::OutsideAccesses accesses_;
  std::vector<std::uint64_t> launches_;  // that have ended at this time
};

// Without an observer such accesses are faults, then of every byte.
class StrictMemory final : public Feature {
 public:
  const char* option() const override { return "--strict-memory"; }
  void attach(System& system, report::JournalWriter*) override {
    system.address_space().map_own_bytes_only();
  }
};

void OutsideWatch::tell(const std::vector<gpu::OutsideAccess>& accesses) {
  const memory::AddressSpace& space = system_->address_space();
  for (const gpu::OutsideAccess& access : accesses) {
    const gpu::OutsidePosition lowest = gpu::outside_position(access.lowest, space),
                               highest = gpu::outside_position(access.highest, space);
    const gpu::OutsidePosition& farthest = highest.distance_bytes > lowest.distance_bytes ? highest : lowest;
    report::OutsideRecord record{};
    record.kind = access.kind == ptx::Kind::Load    ? report::OutsideKind::Read
                  : access.kind == ptx::Kind::Store ? report::OutsideKind::Write
                                                    : report::OutsideKind::Atomic;
    record.accesses = access.accesses;
    record.lowest = access.lowest.value();
    record.highest = access.highest.value();
    record.distance_bytes = farthest.distance_bytes;
    record.before = farthest.before;
    record.several = access.lowest != access.highest;
    journal_->append(report::RecordType::Outside, record,
                     access.kernel->name + '\n' + access.place + '\n' + farthest.allocation);
  }
}

}  // namespace

std::vector<OptionField> OutsideOptions::fields() {
  return {{.key = "strict_memory",
           .place = &strict_memory,
           .word = "--strict-memory",
           .text = "an access of a kernel to a byte beside every allocation is a fault; otherwise, as on "
                   "silicon, only where its 2 MiB of device memory hold no allocation, and one line names "
                   "the others"}};
}

std::unique_ptr<Feature> OutsideOptions::feature(const RunOptions&) const {
  if (strict_memory) return std::make_unique<StrictMemory>();
  return std::make_unique<OutsideWatch>();
}

}  // namespace duet::machine
