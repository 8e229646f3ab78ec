// Chooses launches that the timed GPU executes functionally, so the interesting one comes soon:
//   FastForwardOptions{.skip = 100}                      the first 100 launches
//   FastForwardOptions{.kernels = "bfs", .count = 1}     all but the first launch of a kernel of that name
// A fast-forwarded kernel has right results and the time of the functional GPU (gpu.functional). It runs
// alone: it waits until all kernels before it have ended, and later ones wait for it. Before its first block
// and after its last one all caches are written back and emptied, which takes no time. Before the next kernel
// in time L2 gets, as clean lines, its former contents, the code of the fast-forwarded kernels and their last
// touched sectors of device memory, the latest first, beside the lines of copies (functional warming:
// Wunderlich et al., "SMARTS", ISCA 2003). All other caches are empty. With --check the touched sectors are
// not known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/front_end/block_watcher.h"
#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct MachinePlan;
struct RunOptions;

struct FastForwardOptions {
  std::uint64_t skip = 0;   // so many launches first, of those that match
  std::string kernels{};    // an ECMAScript regular expression, found anywhere in the name; empty: all
  std::uint64_t count = 0;  // so many launches in time, of those that match; 0: all
  bool any() const { return skip != 0 || !kernels.empty() || count != 0; }
  // Throws duet::Error for an expression that is none.
  void check() const;
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

// Of a feature that has kernels executed functionally beside the timed GPU. Throws duet::Error where the
// machine has what a functional GPU does not know.
void plan_fast_forwarding(MachinePlan& plan, gpu::BlockPolicy* policy, const char* option);

}  // namespace duet::machine
