#include "machine/time_models/fast_forwarded_gpu.h"

#include <type_traits>

#include "gpu/functional/functional_sm.h"
#include "gpu/sm/sm.h"
#include "machine/build/board.h"

namespace duet::machine {

FastForwardedGpu::FastForwardedGpu(System& system)
    : system_(system),
      lines_(system.board().memory_system()->l2().sectors(),
             system.board().memory_system()->l2().sector_bytes()),
      executed_on_(system.config().gpu.sm.count) {
  system.services().lines = &lines_;
}

void FastForwardedGpu::fast_forwards(const gpu::Grid& grid) {
  system_.engine().between_ticks([this, &grid] {
    MemorySystem& memory_system = *system_.board().memory_system();
    for (const PhysicalAddress sector : memory_system.held_by_l2()) lines_.touch(sector);
    memory_system.write_back_all();
    Bytes& code = code_[grid.code_physical];
    code = 0;
    for (const ptx::MicroOp& op : grid.kernel->code)
      code += op.machine_instructions * system_.config().gpu.sm.instruction_bytes;
  });
}

void FastForwardedGpu::resumes() {
  system_.engine().between_ticks([this] { warm(); });
}

// What fast-forwarded kernels have left in L2, had they run in time.
void FastForwardedGpu::warm() {
  std::vector<MemorySystem::Sector> latest;
  for (const auto& [code, bytes] : code_)
    for (PhysicalAddress at = code; at < code + bytes; at += lines_.bytes()) latest.push_back({at, {}});
  const memory::PageTable& pages = system_.address_space().pages();
  lines_.take_latest([&](auto sector) {
    if constexpr (std::is_same_v<decltype(sector), PhysicalAddress>) {
      latest.push_back({sector, {}});
    } else {
      const memory::PageRun& run = pages.find(sector);
      if (run.holds(sector) && !memory::behind_link(run.attributes.home))
        latest.push_back({run[sector], run.attributes.cacheability});
    }
  });
  system_.board().memory_system()->warm(latest);
  for (std::size_t sm = 0; sm < executed_on_.size(); ++sm) {
    for (const PhysicalAddress code : executed_on_[sm]) system_.timed_sms()[sm]->warm_code(code, code_[code]);
    executed_on_[sm].clear();
  }
  code_.clear();
}

}  // namespace duet::machine
