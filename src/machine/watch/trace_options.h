// Which events of a run go to the journal.
#pragma once

#include <memory>
#include <vector>

#include "base/trace_detail.h"
#include "machine/option_field.h"

namespace duet::machine {

class Feature;
struct RunOptions;

struct TraceOptions {
  bool push_buffer = false;                // every command of the push buffer
  bool events = false;                     // every API call and every task event
  TraceDetail detail = TraceDetail::Call;  // those of timeline.pftrace
  bool all_calls = false;                  // and every API call for it; otherwise the first ones
  bool explain = false;                    // what `duet explain` needs
  std::vector<OptionField> fields();
  std::unique_ptr<Feature> feature(const RunOptions& run) const;  // null: it is not asked for
};

}  // namespace duet::machine
