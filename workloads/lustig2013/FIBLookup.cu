// lustig2013 Table 3, FIBLookup: forwarding of IPv4 packets, one lookup a thread (512 in the paper), "similar
// to one analyzed in" PacketShader (Han et al., SIGCOMM 2010). Ours follows its DIR-24-8 lookup as its
// authors' group later published it (NBA, elements/ip/IPlookup_kernel.cu and ip_route_core.cc): a table of
// 2^24 entries of two bytes, indexed by the first 24 bits of the destination address; an entry is a next hop
// or, with the top bit set, the number of a block of 256 entries for the last 8 bits in a second table. So a
// lookup is one load, for prefixes longer than 24 bits two that depend on each other, with next to no
// locality between threads. Blocks of 512 threads (FIB_THREADS). The tables are resident; input of the
// offload are the destination addresses, output are the next hops.
// Routes and packets are drawn (routes.h). --deep N: so many packets in a hundred go where a route of more
// than 24 bits leads.
// Next hops are written as words, not as two bytes: bits track words, so a store of two bytes would give away
// its neighbour. Addresses are in the host's byte order. The CPU check searches the sorted routes for the
// longest prefix, without the tables.
// Full/empty bits: the addresses, emptied before an early launch; the next hops, emptied before an early copy
// back (offload.h).
#include "offload.h"
#include "routes.h"

#ifndef FIB_THREADS
#define FIB_THREADS 512
#endif

namespace {

using namespace lustig2013;

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
__global__ void fib_lookup(const Entry* first, const Entry* second, const unsigned* addresses,
                           unsigned* next_hops, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned address = addresses[i];
  unsigned entry = first[address >> 8];
  if (entry & kIsBlock) entry = second[(entry & ~kIsBlock) * kBlockEntries + (address & 255u)];
  next_hops[i] = entry;
}

struct Problem {
  Problem(const Options& given, const std::vector<Route>& all_routes, const Tables& tables)
      : options(given),
        n(options.size),
        routes(all_routes),
        packets(routes, options.extra[kDeep]),
        in(options, options.overlaps_start(), {n * sizeof(unsigned)}),
        out(options, options.overlaps_finish(), {n * sizeof(unsigned)}),
        addresses(n, &in),
        next_hops(n, &out),
        d_addresses(n, &in),
        d_next_hops(n, &out),
        d_first(kFirstEntries),
        d_second(tables.second().size()) {
    CHECK_CUDA(cudaMemcpy(d_first.get(), tables.first(), d_first.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_second.get(), tables.second().data(), d_second.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaDeviceSynchronize());  // a copy of pageable memory returns when it is staged
  }

  void fill(unsigned long long seed) const {
    packets.draw(seed, addresses, n);
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

  int check() const {
    for (size_t i = 0; i < n; i++) {
      const unsigned expected = search_routes(routes, addresses[i]);
      if (next_hops[i] != expected) return report_mismatch(kSpec, "next hop", i, next_hops[i], expected);
    }
    return 0;
  }

  Options options;
  size_t n;
  const std::vector<Route>& routes;
  const Packets packets;
  Side in, out;
  Pinned<unsigned> addresses, next_hops;
  Device<unsigned> d_addresses, d_next_hops;
  Device<Entry> d_first, d_second;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  std::vector<Route> routes = draw_routes(options.seed);
  Tables tables(routes);
  Problem problem(options, routes, tables);
  return run(kSpec, options, problem);
}
