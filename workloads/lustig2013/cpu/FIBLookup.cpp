// lustig2013 section 7.1: forwarding of IPv4 packets by DIR-24-8, a lookup after the other. Lookups do not
// depend on each other, so a processor that runs ahead has several of them under way. The tables, 32 MB and
// blocks for long routes, are more than its caches hold.
#include <vector>

#include "../routes.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const Program kProgram = {"FIBLookup", "LOOKUPS", 512, 1, 1ul << 20, 1, {"--deep", 0, 0, 100}};

[[gnu::noinline]] void look_up(const Tables& tables, const unsigned* addresses, unsigned* next_hops,
                               std::size_t first, std::size_t last) {
  const Entry *const short_routes = tables.first(), *const blocks = tables.second().data();
  for (std::size_t i = first; i < last; i++) {
    const unsigned address = addresses[i];
    unsigned entry = short_routes[address >> 8];
    if (entry & kIsBlock) entry = blocks[(entry & ~kIsBlock) * kBlockEntries + (address & 255u)];
    next_hops[i] = entry;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const std::size_t n = options.size;
  const std::vector<Route> routes = draw_routes(1);
  const Tables tables(routes);
  const Packets packets(routes, static_cast<unsigned>(options.extra));
  std::vector<unsigned> addresses(n), next_hops(n);
  measure(
      options, [&](unsigned long long seed) { packets.draw(seed, addresses, n); },
      [&] {
        in_parts(options, n, [&](std::size_t first, std::size_t last) {
          look_up(tables, addresses.data(), next_hops.data(), first, last);
        });
      });
  for (std::size_t i = 0; i < n; i++) {
    const unsigned expected = search_routes(routes, addresses[i]);
    if (next_hops[i] != expected) return kProgram.wrong("next hop", i, next_hops[i], expected);
  }
}
