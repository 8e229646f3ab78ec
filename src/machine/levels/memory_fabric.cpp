#include "machine/levels/memory_fabric.h"

namespace duet::machine {

MemoryFabric::MemoryFabric(sim::Engine& engine, const sim::Component* parent,
                           const config::Interconnect& config, Bytes line_bytes,
                           const memory::AddressMap& map, std::deque<memory::DramController>& controllers)
    : map_(map, "memory_fabric", map.channels(), line_bytes),
      requests_(engine, "memory fabric to DRAM", parent, config, "memory_fabric"),
      responses_(engine, "memory fabric from DRAM", parent, config, "memory_fabric") {
  for (std::uint16_t c = 0; c < map_.slices(); ++c) {
    memory::DramController& controller = controllers[c];
    controller.connect(requests_.add_output(c, &controller),
                       responses_.add_input(responses_.add_input_port(), &controller));
  }
}

CacheLevel::Client MemoryFabric::connect_client(sim::Component& client) {
  const unsigned in = requests_.add_input_port(), out = responses_.add_output_port();
  const std::uint16_t number = next_client_++;
  return {&requests_.add_input(in, &client), &responses_.add_output(out, number, &client), number};
}

}  // namespace duet::machine
