// lustig2013 Table 3, FIBLookup: forwarding of IPv4 packets, one lookup a thread (512 in the paper). The
// forwarding table is resident in global memory as a trie of three levels over 16, 8 and 8 address bits; a
// lookup is up to three dependent loads with next to no locality between threads. Input of the offload are
// the destination addresses, output are the next hops. The CPU check searches the list of routes for the
// longest prefix, without the trie. Full/empty bits: the addresses (and the table, where it is copied with
// them), emptied before an early launch; the next hops, emptied before an early copy back (offload.h).
#include <algorithm>

#include "offload.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {
    "FIBLookup",
    "lookups (threads)",
    512,
    1,
    1u << 20,
    1,
    {{"--table-copied", "1: the table is copied with the packets, 0: it is resident before", 0, 0, 1}}};
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
  Problem(const Options& given, const std::vector<Route>& all_routes, const Trie& trie,
          const workload::Random& after_routes)
      : options(given),
        n(options.size),
        random(after_routes),
        routes(all_routes),
        in(options, options.overlaps_start(), input_bytes(options, trie)),
        out(options, options.overlaps_finish(), {n * sizeof(unsigned)}),
        addresses(n, &in),
        next_hops(n, &out),
        d_addresses(n, &in),
        d_next_hops(n, &out),
        d_root(trie.root().size(), table_side()),
        d_nodes(trie.nodes().size(), table_side()) {
    if (table_side() == nullptr) {
      CHECK_CUDA(cudaMemcpy(d_root.get(), trie.root().data(), d_root.bytes(), cudaMemcpyHostToDevice));
      CHECK_CUDA(cudaMemcpy(d_nodes.get(), trie.nodes().data(), d_nodes.bytes(), cudaMemcpyHostToDevice));
      return;
    }
    root = std::make_unique<Pinned<unsigned>>(trie.root().size(), &in);
    nodes = std::make_unique<Pinned<unsigned>>(trie.nodes().size(), &in);
    std::copy(trie.root().begin(), trie.root().end(), root->get());
    std::copy(trie.nodes().begin(), trie.nodes().end(), nodes->get());
  }

  static std::vector<size_t> input_bytes(const Options& options, const Trie& trie) {
    std::vector<size_t> bytes = {options.size * sizeof(unsigned)};
    if (options.extra[0] == 0) return bytes;
    for (const auto* level : {&trie.root(), &trie.nodes()}) bytes.push_back(level->size() * sizeof(unsigned));
    return bytes;
  }
  // The table is an input when it is copied with the packets.
  Side* table_side() { return options.extra[0] != 0 ? &in : nullptr; }

  // The generator goes on, so every offload gets packets of its own.
  void fill(unsigned long long) {
    // Most packets go where a route leads, some anywhere.
    for (size_t i = 0; i < n; i++) {
      const Route& route = routes[random.below(kRoutes)];
      unsigned anywhere = random.next();
      addresses[i] = i % 8 == 7           ? anywhere
                     : route.length == 32 ? route.prefix
                                          : route.prefix | anywhere >> route.length;
    }
    next_hops.poison();
  }

  void run(const Streams& streams) const {
    const auto look_up = [&](cudaStream_t stream) {
      const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
      fib_lookup<<<blocks, kThreads, 0, stream>>>(d_root.get(), d_nodes.get(), d_addresses.get(),
                                                  d_next_hops.get(), static_cast<int>(n));
      CHECK_LAUNCH("fib_lookup");
    };
    offload(options, streams, in, out, look_up, [](cudaStream_t) {});
  }

  int check() const {
    for (size_t i = 0; i < n; i++) {
      unsigned expected = 0;
      for (size_t r = routes.size(); r-- > 0 && expected == 0;)
        if (routes[r].covers(addresses[i])) expected = routes[r].next_hop;
      if (next_hops[i] != expected) return report_mismatch(kSpec, "next hop", i, next_hops[i], expected);
    }
    return 0;
  }

  Options options;
  size_t n;
  workload::Random random;
  const std::vector<Route>& routes;
  Side in, out;
  Pinned<unsigned> addresses, next_hops;
  Device<unsigned> d_addresses, d_next_hops, d_root, d_nodes;
  std::unique_ptr<Pinned<unsigned>> root, nodes;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  workload::Random random(options.seed);
  std::vector<Route> routes = generate_routes(random);
  Trie trie(routes);
  Problem problem(options, routes, trie, random);
  return run(kSpec, options, problem);
}
