// When a warp's instructions arrive: the instruction cache of the computed SM, its port, registers and
// prefetches. memory_path.h has the kernel's first line, which many SMs fetch at once.
//   CodeFetch code(machine, recording, timed, changes, tags, path, &memory);
//   const CodeFetch::Answer answer = code.fetch(address, now);
//   if (answer.again) ...                no register is free before answer.at: it has to be asked then
//   code.finish();                       lines on their way are kept
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.h"
#include "gpu/sm/timed_kernel.h"
#include "predict/memory_path.h"

namespace duet::predict {

class CodeFetch {
 public:
  // `tags`: the lines of the cache, before and after. `memory`: null where the caches below are not asked.
  CodeFetch(const config::Machine& machine, const KernelRecording& recording, const gpu::TimedKernel& timed,
            const Changes& changes, TagArray& tags, MemoryPath& path, MemoryModel* memory);

  // Asks for the line of the instruction at this address, when the port is free.
  struct Answer {
    Cycle at;  // it is there, or
    bool again = false;
  };
  Answer fetch(std::uint64_t address, Cycle now);
  void finish() { arrived(~Cycle{0}); }

 private:
  struct Coming {
    std::uint64_t line;
    Cycle arrival;
    Cycle waiting;  // warps: one after the other fetches when it is there
  };
  void look_ahead(std::uint64_t line, Cycle from);
  void arrived(Cycle now);  // lines until then
  std::vector<Coming>::iterator first_to_come();
  Cycle from_below(std::uint64_t address, Cycle from);

  const config::Cache& cache_;
  const std::uint64_t end_;  // of the kernel's code
  const bool all_there_;
  TagArray& tags_;
  MemoryPath& path_;
  MemoryModel* const memory_;
  Cycle port_ = 0;
  bool first_ = true;                      // nothing was asked for yet
  std::vector<Coming> coming_;             // they take their places when they arrive
  std::vector<std::uint64_t> prefetched_;  // prefetched lines without a use so far
};

}  // namespace duet::predict
