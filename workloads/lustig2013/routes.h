// FIBLookup's routing table: routes, their DIR-24-8 tables, and the search without tables that results are
// checked against. There are as many routes as NBA's test expects of its table; their lengths, three in a
// hundred beyond 24 bits, and random destinations stand in for a BGP table and a traffic generator.
#pragma once

#include <stddef.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "../common/random.h"

namespace lustig2013 {

// An entry of the first table is a next hop (0: no route) or, with the top bit set, the number of a block.
using Entry = unsigned short;
const Entry kIsBlock = 0x8000;
const int kFirstEntries = 1 << 24, kBlockEntries = 256;

const int kRoutes = 282797;
const unsigned kLongRoutesOf100 = 3, kClassCRoutesOf100 = 53, kShortRoutesOf100 = 4;

inline unsigned leading_bits(unsigned address, int length) {
  return address >> (32 - length) << (32 - length);
}

// One number: length, prefix, next hop, so shorter first, and later ones override. Of equal prefixes the same
// one holds in the tables and in the search.
class Route {
 public:
  Route(unsigned prefix, int length, Entry next_hop)
      : rank_(static_cast<unsigned long long>(length) << 48 | static_cast<unsigned long long>(prefix) << 16 |
              next_hop) {}
  unsigned prefix() const { return static_cast<unsigned>(rank_ >> 16); }
  int length() const { return static_cast<int>(rank_ >> 48); }
  Entry next_hop() const { return static_cast<Entry>(rank_); }
  bool operator<(const Route& other) const { return rank_ < other.rank_; }

 private:
  unsigned long long rank_;
};

inline int draw_length(workload::Random& random) {
  const unsigned draw = random.below(100);
  if (draw < kLongRoutesOf100) return 25 + static_cast<int>(random.below(8));
  if (draw < kLongRoutesOf100 + kClassCRoutesOf100) return 24;
  if (draw < kLongRoutesOf100 + kClassCRoutesOf100 + kShortRoutesOf100)
    return 8 + static_cast<int>(random.below(8));
  return 16 + static_cast<int>(random.below(8));
}

// In the order of their ranks.
inline std::vector<Route> draw_routes(unsigned long long seed) {
  workload::Random random(seed);
  std::vector<Route> routes;
  routes.reserve(kRoutes);
  for (int i = 0; i < kRoutes; i++) {
    const int length = draw_length(random);
    const unsigned prefix = leading_bits(random.next(), length);
    routes.push_back({prefix, length, static_cast<Entry>(1 + random.below(kIsBlock - 1))});
  }
  std::sort(routes.begin(), routes.end());
  return routes;
}

// Of `deep` packets in a hundred the destination is one that a route of more than 24 bits leads to; the
// others' are random. The generator is not the routes'.
class Packets {
 public:
  Packets(const std::vector<Route>& routes, unsigned deep)
      : long_routes_(std::lower_bound(routes.begin(), routes.end(), Route{0, 25, 0}), routes.end()),
        deep_(deep) {}

  template <typename Words>
  void draw(unsigned long long seed, Words& addresses, size_t count) const {
    workload::Random random(~seed);
    for (size_t i = 0; i < count; i++) {
      const unsigned anywhere = random.next(), deep = random.below(100);
      addresses[i] = anywhere;
      if (deep >= deep_) continue;
      const Route& route = long_routes_[random.below(static_cast<unsigned>(long_routes_.size()))];
      addresses[i] = route.length() == 32 ? route.prefix() : route.prefix() | anywhere >> route.length();
    }
  }

 private:
  std::vector<Route> long_routes_;
  unsigned deep_;
};

class Tables {
 public:
  explicit Tables(const std::vector<Route>& routes) : first_(new Entry[kFirstEntries]) {
    const auto longer = std::lower_bound(routes.begin(), routes.end(), Route{0, 17, 0});
    std::vector<Entry> by_16_bits(1 << 16);
    for (auto route = routes.begin(); route != longer; ++route)
      std::fill_n(by_16_bits.begin() + (route->prefix() >> 16), size_t{1} << (16 - route->length()),
                  route->next_hop());
    expand(by_16_bits);
    for (auto route = longer; route != routes.end(); ++route) insert(*route);
    if (second_.empty()) second_.resize(kBlockEntries);
  }
  const Entry* first() const { return first_.get(); }  // kFirstEntries
  const std::vector<Entry>& second() const { return second_; }

 private:
  // Of routes of up to 16 bits, most of whose entries longer ones override; four entries a store.
  void expand(const std::vector<Entry>& by_16_bits) {
    Entry* at = first_.get();
    for (const Entry next_hop : by_16_bits) {
      const unsigned long long four = next_hop * 0x0001000100010001ull;
      for (int i = 0; i < 256; i += 4, at += 4) memcpy(__builtin_assume_aligned(at, 8), &four, sizeof four);
    }
  }
  // Routes come in the order of their lengths, so no entry that is filled leads to a block yet.
  void insert(const Route& route) {
    if (route.length() <= 24) {
      std::fill_n(first_.get() + (route.prefix() >> 8), size_t{1} << (24 - route.length()), route.next_hop());
      return;
    }
    const size_t at =
        block_below(first_[route.prefix() >> 8]) * size_t{kBlockEntries} + (route.prefix() & 255u);
    std::fill_n(second_.begin() + at, size_t{1} << (32 - route.length()), route.next_hop());
  }
  // The block that the entry leads to; a new one inherits the entry's next hop.
  unsigned block_below(Entry& entry) {
    if (entry & kIsBlock) return entry & ~kIsBlock;
    const size_t block = second_.size() / kBlockEntries;
    second_.resize(second_.size() + kBlockEntries, entry);
    entry = static_cast<Entry>(kIsBlock | block);
    return static_cast<unsigned>(block);
  }
  std::unique_ptr<Entry[]> first_;
  std::vector<Entry> second_;
};

// The next hop of the longest prefix, 0 without a route.
inline unsigned search_routes(const std::vector<Route>& routes, unsigned address) {
  for (int length = 32; length > 0; length--) {
    const Route wanted = {leading_bits(address, length), length, 0xffff};
    const auto after = std::upper_bound(routes.begin(), routes.end(), wanted);
    if (after == routes.begin()) break;
    const Route& found = *std::prev(after);
    if (found.length() == length && found.prefix() == wanted.prefix()) return found.next_hop();
  }
  return 0;
}

}  // namespace lustig2013
