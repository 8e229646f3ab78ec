// lustig2013 Table 3, FIBLookup: forwarding of IPv4 packets, one lookup a thread (512 in the paper). The
// forwarding table is resident in global memory as a trie of three levels over 16, 8 and 8 address bits; a
// lookup is up to three dependent loads with next to no locality between threads. Input of the offload are
// the destination addresses, output are the next hops. The CPU check searches the list of routes for the
// longest prefix, without the trie.
#include <algorithm>

#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"FIBLookup", "lookups (threads)", 512, 1, 1u << 20, 1};
const int kThreads = 64;
const int kRoutes = 2048;

// A trie entry is a next hop (0: no route) or, with the top bit set, the number of a node of 256 entries.
const unsigned kIsNode = 0x80000000u;
const int kRootEntries = 1 << 16;

__global__ void fib_lookup(const unsigned* root, const unsigned* nodes, const unsigned* addresses,
                           unsigned* next_hops, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned address = addresses[i];
  unsigned entry = root[address >> 16];
  for (int shift = 8; shift >= 0 && (entry & kIsNode); shift -= 8)
    entry = nodes[(entry & ~kIsNode) * 256 + (address >> shift & 255u)];
  next_hops[i] = entry;
}

struct Route {
  unsigned prefix;
  int length;
  unsigned next_hop;
  bool covers(unsigned address) const { return (address ^ prefix) >> (32 - length) == 0; }
};

std::vector<Route> generate_routes(workload::Random& random) {
  std::vector<Route> routes;
  for (int i = 0; i < kRoutes; i++) {
    // Half of the routes refine an earlier one, so that several prefixes cover an address.
    unsigned address = i % 2 == 1 ? routes[random.below(i)].prefix | random.below(1u << 20) : random.next();
    int length = 8 + static_cast<int>(random.below(25));
    routes.push_back({length == 32 ? address : address >> (32 - length) << (32 - length), length,
                      1 + random.below(0x7ffffffe)});
  }
  // Shorter first, so that later insertions override; a total order, so that of equal prefixes the same one
  // holds in the trie and in the check.
  std::sort(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    if (a.length != b.length) return a.length < b.length;
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return a.next_hop < b.next_hop;
  });
  return routes;
}

class Trie {
 public:
  explicit Trie(const std::vector<Route>& routes) : root_(kRootEntries) {
    for (const Route& route : routes) insert(route);
    if (nodes_.empty()) nodes_.resize(256);
  }
  const std::vector<unsigned>& root() const { return root_; }
  const std::vector<unsigned>& nodes() const { return nodes_; }

 private:
  void insert(const Route& route) {
    if (route.length <= 16) return fill(root_, route.prefix >> 16, 16 - route.length, route.next_hop);
    unsigned first = node_below(root_, route.prefix >> 16) * 256 + (route.prefix >> 8 & 255u);
    if (route.length <= 24) return fill(nodes_, first, 24 - route.length, route.next_hop);
    unsigned second = node_below(nodes_, first) * 256 + (route.prefix & 255u);
    fill(nodes_, second, 32 - route.length, route.next_hop);
  }
  // Routes come in the order of their lengths, so no entry here leads to a node yet.
  void fill(std::vector<unsigned>& level, size_t first, int free_bits, unsigned next_hop) {
    std::fill_n(level.begin() + first, size_t{1} << free_bits, next_hop);
  }
  // The node that entry `index` leads to; a new one inherits the entry's next hop.
  unsigned node_below(std::vector<unsigned>& level, size_t index) {
    unsigned entry = level[index];
    if (entry & kIsNode) return entry & ~kIsNode;
    unsigned node = static_cast<unsigned>(nodes_.size() / 256);
    level[index] = kIsNode | node;
    nodes_.resize(nodes_.size() + 256, entry);
    return node;
  }
  std::vector<unsigned> root_, nodes_;
};

struct Problem {
  Problem(const Options& options, const std::vector<Route>& routes, const Trie& trie,
          workload::Random& random)
      : n(options.size),
        addresses(n),
        next_hops(n),
        d_addresses(n),
        d_next_hops(n),
        d_root(trie.root().size()),
        d_nodes(trie.nodes().size()) {
    // Most packets go where a route leads, some anywhere.
    for (int i = 0; i < n; i++) {
      const Route& route = routes[random.below(kRoutes)];
      unsigned anywhere = random.next();
      addresses[i] = i % 8 == 7           ? anywhere
                     : route.length == 32 ? route.prefix
                                          : route.prefix | anywhere >> route.length;
    }
    CHECK_CUDA(cudaMemcpy(d_root.get(), trie.root().data(), d_root.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_nodes.get(), trie.nodes().data(), d_nodes.bytes(), cudaMemcpyHostToDevice));
  }
  int n;
  Pinned<unsigned> addresses, next_hops;
  Device<unsigned> d_addresses, d_next_hops, d_root, d_nodes;
};

void launch(const Problem& p, const Stream& stream) {
  fib_lookup<<<(p.n + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
      p.d_root.get(), p.d_nodes.get(), p.d_addresses.get(), p.d_next_hops.get(), p.n);
  CHECK_LAUNCH("fib_lookup");
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_addresses, p.addresses, stream);
  launch(p, stream);
  copy_out(p.next_hops, p.d_next_hops, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  workload::Random random(options.seed);
  std::vector<Route> routes = generate_routes(random);
  Trie trie(routes);
  Problem problem(options, routes, trie, random);
  Stream stream;
  switch (options.variant) {
    case Variant::kBaseline:
      offload_baseline(problem, stream);
      break;
  }
  for (int i = 0; i < problem.n; i++) {
    unsigned expected = 0;
    for (size_t r = routes.size(); r-- > 0 && expected == 0;)
      if (routes[r].covers(problem.addresses[i])) expected = routes[r].next_hop;
    if (problem.next_hops[i] != expected)
      return report_mismatch(kSpec, "next hop", i, problem.next_hops[i], expected);
  }
  printf("PASS FIBLookup %u\n", options.size);
  return 0;
}
