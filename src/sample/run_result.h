// For a run with --sample: the groups' times and bounds, from its journal's launches.
//   report.sampling = sampling_of(journal);                        nothing, where the run has not sampled
#pragma once

#include <optional>

#include "report/journal/journal.h"
#include "report/results/sampling_result.h"

namespace duet::sample {

std::optional<report::SamplingResult> sampling_of(const report::JournalReader& journal);

}  // namespace duet::sample
