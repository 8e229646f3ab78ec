// The pages whose translations a core, an SM or an IOMMU has at hand. It keeps no translations: page tables
// have the right ones (rv64/memory.h, page_table.h); the TLB only decides their time.
#pragma once

#include <cstdint>
#include <vector>

namespace duet::memory {

class Tlb {
 public:
  // 0 entries: it has none of them. Sets are as many as entries and ways allow.
  Tlb(std::uint64_t entries, std::uint64_t ways)
      : ways_(entries < ways ? entries : ways), pages_(entries), used_(entries) {
    sets_ = ways_ == 0 ? 0 : entries / ways_;
    forget();
  }

  bool exists() const { return sets_ != 0; }
  bool find(std::uint64_t page) {
    if (sets_ == 0) return false;
    const std::uint64_t set = page % sets_ * ways_;
    for (std::uint64_t way = set; way < set + ways_; ++way)
      if (pages_[way] == page) {
        used_[way] = ++uses_;
        return true;
      }
    return false;
  }
  // Takes the place of the least recently used one, unless it is there.
  void insert(std::uint64_t page) {
    if (sets_ == 0 || find(page)) return;
    std::uint64_t chosen = page % sets_ * ways_;
    for (std::uint64_t way = chosen; way < page % sets_ * ways_ + ways_; ++way)
      if (used_[way] < used_[chosen]) chosen = way;
    pages_[chosen] = page;
    used_[chosen] = ++uses_;
  }
  void forget() {
    for (std::uint64_t& page : pages_) page = ~std::uint64_t{0};
    for (std::uint64_t& used : used_) used = 0;
  }

 private:
  std::uint64_t ways_, sets_ = 0, uses_ = 0;
  std::vector<std::uint64_t> pages_, used_;
};

}  // namespace duet::memory
