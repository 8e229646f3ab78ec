// lustig2013 Table 3, FIBLookup: forwarding of IPv4 packets, one lookup a thread (512 in the paper), "similar
// to one analyzed in" PacketShader (Han et al., SIGCOMM 2010). Ours follows its DIR-24-8 lookup as its
// authors' group later published it (NBA, elements/ip/IPlookup_kernel.cu and ip_route_core.cc): a table of
// 2^24 entries of two bytes, indexed by the first 24 bits of the destination address; an entry is a next hop
// or, with the top bit set, the number of a block of 256 entries for the last 8 bits in a second table. So a
// lookup is one load, for prefixes longer than 24 bits two that depend on each other, with next to no
// locality between threads. Blocks of 512 threads (FIB_THREADS). The tables are resident; input of the
// offload are the destination addresses, output are the next hops.
// There are as many routes as NBA's test expects of its table; their lengths, three in a hundred beyond 24
// bits, and random destinations stand in for a BGP table and a traffic generator. --deep N: so many packets
// in a hundred go where a longer route leads.
// Next hops are written as words, not as two bytes: bits track words, so a store of two bytes would give away
// its neighbour. Addresses are in the host's byte order. The CPU check searches the sorted routes for the
// longest prefix, without the tables.
// Full/empty bits: the addresses, emptied before an early launch; the next hops, emptied before an early copy
// back (offload.h).
#include <algorithm>
#include <tuple>

#include "offload.h"

#ifndef FIB_THREADS
#define FIB_THREADS 512
#endif

namespace {

using namespace lustig2013;
using Entry = unsigned short;

enum { kDeep };
const Spec kSpec = {
    "FIBLookup",
    "lookups (threads)",
    512,
    1,
    1u << 20,
    1,
    {{"--deep", "of a hundred packets, those whose lookup reads both tables; others are random", 0, 0, 100}}};
const int kThreads = FIB_THREADS;
const int kRoutes = 282797;
const unsigned kLongRoutesOf100 = 3, kClassCRoutesOf100 = 53, kShortRoutesOf100 = 4;

// An entry of the first table is a next hop (0: no route) or, with the top bit set, the number of a block.
const Entry kIsBlock = 0x8000;
const int kFirstEntries = 1 << 24, kBlockEntries = 256;

__global__ void fib_lookup(const Entry* first, const Entry* second, const unsigned* addresses,
                           unsigned* next_hops, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned address = addresses[i];
  unsigned entry = first[address >> 8];
  if (entry & kIsBlock) entry = second[(entry & ~kIsBlock) * kBlockEntries + (address & 255u)];
  next_hops[i] = entry;
}

unsigned leading_bits(unsigned address, int length) { return address >> (32 - length) << (32 - length); }

struct Route {
  unsigned prefix;
  int length;
  Entry next_hop;
  // Shorter first, so that later ones override; a total order, so that of equal prefixes the same one holds
  // in the tables and in the check.
  std::tuple<int, unsigned, Entry> rank() const { return {length, prefix, next_hop}; }
  bool operator<(const Route& other) const { return rank() < other.rank(); }
};

int generate_length(workload::Random& random) {
  const unsigned draw = random.below(100);
  if (draw < kLongRoutesOf100) return 25 + static_cast<int>(random.below(8));
  if (draw < kLongRoutesOf100 + kClassCRoutesOf100) return 24;
  if (draw < kLongRoutesOf100 + kClassCRoutesOf100 + kShortRoutesOf100)
    return 8 + static_cast<int>(random.below(8));
  return 16 + static_cast<int>(random.below(8));
}

std::vector<Route> generate_routes(workload::Random& random) {
  std::vector<Route> routes;
  for (int i = 0; i < kRoutes; i++) {
    const int length = generate_length(random);
    routes.push_back(
        {leading_bits(random.next(), length), length, static_cast<Entry>(1 + random.below(kIsBlock - 1))});
  }
  std::sort(routes.begin(), routes.end());
  return routes;
}

class Tables {
 public:
  explicit Tables(const std::vector<Route>& routes) : first_(kFirstEntries) {
    for (const Route& route : routes) insert(route);
    if (second_.empty()) second_.resize(kBlockEntries);
  }
  const std::vector<Entry>& first() const { return first_; }
  const std::vector<Entry>& second() const { return second_; }

 private:
  // Routes come in the order of their lengths, so no entry that is filled leads to a block yet.
  void insert(const Route& route) {
    if (route.length <= 24) {
      std::fill_n(first_.begin() + (route.prefix >> 8), size_t{1} << (24 - route.length), route.next_hop);
      return;
    }
    const size_t at = block_below(first_[route.prefix >> 8]) * size_t{kBlockEntries} + (route.prefix & 255u);
    std::fill_n(second_.begin() + at, size_t{1} << (32 - route.length), route.next_hop);
  }
  // The block that the entry leads to; a new one inherits the entry's next hop.
  unsigned block_below(Entry& entry) {
    if (entry & kIsBlock) return entry & ~kIsBlock;
    const size_t block = second_.size() / kBlockEntries;
    second_.resize(second_.size() + kBlockEntries, entry);
    entry = static_cast<Entry>(kIsBlock | block);
    return static_cast<unsigned>(block);
  }
  std::vector<Entry> first_, second_;
};

struct Problem {
  Problem(const Options& given, const std::vector<Route>& all_routes, const Tables& tables)
      : options(given),
        n(options.size),
        routes(all_routes),
        long_routes(std::lower_bound(routes.begin(), routes.end(), Route{0, 25, 0}), routes.end()),
        in(options, options.overlaps_start(), {n * sizeof(unsigned)}),
        out(options, options.overlaps_finish(), {n * sizeof(unsigned)}),
        addresses(n, &in),
        next_hops(n, &out),
        d_addresses(n, &in),
        d_next_hops(n, &out),
        d_first(tables.first().size()),
        d_second(tables.second().size()) {
    CHECK_CUDA(cudaMemcpy(d_first.get(), tables.first().data(), d_first.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_second.get(), tables.second().data(), d_second.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaDeviceSynchronize());  // a copy of pageable memory returns when it is staged
  }

  void fill(unsigned long long seed) const {
    workload::Random random(~seed);  // not the routes' generator
    for (size_t i = 0; i < n; i++) {
      const unsigned anywhere = random.next(), deep = random.below(100);
      addresses[i] = anywhere;
      if (deep >= options.extra[kDeep]) continue;
      const Route& route = long_routes[random.below(static_cast<unsigned>(long_routes.size()))];
      addresses[i] = route.length == 32 ? route.prefix : route.prefix | anywhere >> route.length;
    }
    next_hops.poison();
  }

  void run(const Streams& streams) const {
    const auto look_up = [&](cudaStream_t stream) {
      const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
      fib_lookup<<<blocks, kThreads, 0, stream>>>(d_first.get(), d_second.get(), d_addresses.get(),
                                                  d_next_hops.get(), static_cast<int>(n));
      CHECK_LAUNCH("fib_lookup");
    };
    offload(options, streams, in, out, look_up, [](cudaStream_t) {});
  }

  unsigned search(unsigned address) const {
    for (int length = 32; length > 0; length--) {
      const Route wanted = {leading_bits(address, length), length, 0xffff};
      const auto after = std::upper_bound(routes.begin(), routes.end(), wanted);
      if (after == routes.begin()) break;
      const Route& found = *std::prev(after);
      if (found.length == length && found.prefix == wanted.prefix) return found.next_hop;
    }
    return 0;
  }

  int check() const {
    for (size_t i = 0; i < n; i++) {
      const unsigned expected = search(addresses[i]);
      if (next_hops[i] != expected) return report_mismatch(kSpec, "next hop", i, next_hops[i], expected);
    }
    return 0;
  }

  Options options;
  size_t n;
  const std::vector<Route>& routes;
  const std::vector<Route> long_routes;
  Side in, out;
  Pinned<unsigned> addresses, next_hops;
  Device<unsigned> d_addresses, d_next_hops;
  Device<Entry> d_first, d_second;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  workload::Random random(options.seed);
  std::vector<Route> routes = generate_routes(random);
  Tables tables(routes);
  Problem problem(options, routes, tables);
  return run(kSpec, options, problem);
}
