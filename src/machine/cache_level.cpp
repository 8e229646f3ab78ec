#include "machine/cache_level.h"

#include "base/error.h"

namespace duet::machine {

CacheLevel::CacheLevel(sim::Engine& engine, const sim::Component* parent, const config::Level& config,
                       const Names& names, const memory::AddressMap& map, memory::RequestPool& pool,
                       const config::FullEmpty& full_empty)
    : config_(config),
      map_(map, config.name, config.slices, config.cache.line_bytes),
      requests_(engine, names.down, parent, config.interconnect, names.interconnect_statistics),
      responses_(engine, names.up, parent, config.interconnect, names.interconnect_statistics) {
  const std::uint64_t hertz = config_.interconnect.clock_khz * 1000;
  for (unsigned s = 0; s < map_.slices(); ++s) {
    memory::Cache& slice =
        caches_.emplace_back(engine, config_.name + " slice " + std::to_string(s), names.statistics, parent,
                             1, config_.cache, hertz, pool, map_.numbering(), full_empty);
    slice.connect_above(requests_.add_output(static_cast<std::uint16_t>(s), &slice),
                        responses_.add_input(responses_.add_input_port(), &slice));
  }
}

void CacheLevel::connect_below(std::deque<memory::DramController>& controllers, const config::Dram& dram) {
  if (!map_.follows_channels())
    throw Error(config_.name + ": slices = " + std::to_string(slices()) +
                " is not a multiple of gpu.dram.channels = " + std::to_string(controllers.size()) +
                ", whose controllers it stands above");
  // A controller's answers need room from their column command on (dram_controller.h).
  const std::size_t answers =
      (dram.timing.cl + dram.burst_cycles + dram.controller_cycles) / dram.burst_cycles +
      config_.cache.queue_entries;
  for (unsigned s = 0; s < slices(); ++s) {
    memory::Cache& slice = caches_[s];
    memory::DramController& controller = controllers[map_.channel_of(s)];
    auto& below = channels_.emplace_back(config_.cache.queue_entries, &slice, &controller);
    auto& back = queues_.emplace_back(answers, &controller, &slice);
    slice.connect_below(below, back, static_cast<std::uint16_t>(s),
                        [](PhysicalAddress) { return std::uint16_t{0}; });
    controller.connect(below, back);
  }
}

void CacheLevel::connect_below(CacheLevel& below) {
  if (config_.cache.line_bytes > below.config_.cache.line_bytes)
    throw Error(below.name() + ": line_bytes = " + std::to_string(below.config_.cache.line_bytes) +
                " is less than the " + std::to_string(config_.cache.line_bytes) + " of " + name() +
                " above it");
  for (memory::Cache& slice : caches_) {
    const unsigned in = below.requests_.add_input_port(), out = below.responses_.add_output_port();
    const std::uint16_t number = below.new_client();
    slice.connect_below(below.requests_.add_input(in, &slice),
                        below.responses_.add_output(out, number, &slice), number,
                        [&below](PhysicalAddress line) { return below.destination_of(line); });
  }
}

}  // namespace duet::machine
