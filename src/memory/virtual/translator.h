// Translates virtual addresses for an SM or a copy engine: the latest translations, and the walk of the page
// table. All physical addresses come from here, and cost nothing; where they take time a request waits for it
// on its way to L1 (tlb_port.h).
#pragma once

#include <array>
#include <cstddef>

#include "memory/virtual/page_table.h"

namespace duet::memory {

class Translator {
 public:
  explicit Translator(const PageTable& table) : table_(table), generation_(table.generation()) {}

  // The pages around an address; no bytes when it is not mapped. Callers with the same hint mostly ask for
  // the same pages. Holds until the next call with this hint, or until the table changes.
  const PageRun& translate(VirtualAddress address, std::size_t hint = 0) {
    if (generation_ != table_.generation()) forget();
    PageRun& run = recent_[hint % recent_.size()];
    if (!run.holds(address)) run = table_.find(address);
    return run;
  }

 private:
  void forget() {
    recent_.fill({});
    generation_ = table_.generation();
  }

  const PageTable& table_;
  std::uint64_t generation_;
  std::array<PageRun, 128> recent_;
};

}  // namespace duet::memory
