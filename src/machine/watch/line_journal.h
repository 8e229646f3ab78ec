// The counts of kernels' instructions (`duet run --lines`), from the SMs into the journal: a record for each
// kernel, brought up to date when a launch has completed.
//   LineJournal lines(system, journal);  lines.completed(kernel);  ... after all ticks: lines.record();
#pragma once

#include <map>
#include <optional>
#include <set>

#include "gpu/sm/line_counts.h"
#include "machine/system.h"
#include "report/journal/journal.h"

namespace duet::machine {

class LineJournal {
 public:
  LineJournal(System& system, report::JournalWriter& journal) : system_(system), journal_(journal) {}

  // A launch of the kernel has ended; or it runs, and what it has counted so far is to be told.
  void completed(const ptx::Kernel& kernel);
  void changed(const ptx::Kernel& kernel) { changed_.insert(&kernel); }
  // Tells what these have counted.
  void record();

 private:
  struct Entry {
    std::uint64_t launches = 0;
    gpu::LineCounts counts;
    std::optional<std::size_t> number;  // in the journal; none: it had no room
  };
  Entry& entry_of(const ptx::Kernel& kernel);

  System& system_;
  report::JournalWriter& journal_;
  std::map<const ptx::Kernel*, Entry> entries_;
  std::set<const ptx::Kernel*> changed_;
};

}  // namespace duet::machine
