// How a run pre-executes its kernels on the machine's cores (yang2012 section 4.2).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

enum class PreexecutionMode : std::uint8_t {
  Off,
  Adaptive,  // the program changes skip_factor as it goes (Fig. 5)
  Profiled   // it keeps the one that it begins with (Fig. 7)
};

struct PreexecutionOptions {
  PreexecutionMode mode = PreexecutionMode::Off;
  unsigned unroll_factor = 8;
  unsigned kernel_loop_unroll = 8;
  unsigned batch_size = 16;
  unsigned skip_factor = 0;  // in threads; 0: the profile's, or two lines of 4-byte elements where the cores
                             // have a next-line prefetcher, and one where not (yang2012 section 4.1)
  unsigned threshold = 10;   // hits in L3 a batch
  unsigned skip_factor_most = 0;  // of Fig. 5; 0: as high as it goes. Fig. 6 has an axis from 0 to 200
  // Waves: as many blocks as are active at a time. The first that is fetched for; and the program waits where
  // it is more than so many ahead of the blocks that have begun; 0: it never waits.
  unsigned first_wave = 0, waves_ahead = 0;
  std::string lowering = "not_below_initial";  // or "as_printed"
  std::string data_guards = "in_slice";        // or "keep", "drop"
  std::string thread_ids = "clamped";          // none beyond the concurrent blocks; or "as_printed"
  // The ids of blocks: "implicit", in order from 0, or "forwarded" by the GPU.
  std::string blocks = "implicit";
  // "keep", or "drop": a core's private caches are emptied when a kernel's program begins.
  std::string private_caches = "keep";
  std::map<std::string, unsigned> profile;  // skip_factor by kernel

  bool on() const { return mode != PreexecutionMode::Off; }
  bool is_paced() const { return first_wave != 0 || waves_ahead != 0; }
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

const char* name_of(PreexecutionMode mode);  // "adaptive"
// Throw duet::Error with one line.
PreexecutionMode preexecution_mode(const std::string& name);
// "KEY=VALUE", a key of this struct; not its mode or profile.
void set(PreexecutionOptions& options, const std::string& setting);
// The keys with their values, in their order.
std::vector<std::pair<std::string, std::string>> settings(const PreexecutionOptions& options);

}  // namespace duet::machine
