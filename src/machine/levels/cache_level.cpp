#include "machine/levels/cache_level.h"

#include "base/error.h"

namespace duet::machine {

CacheLevel::CacheLevel(sim::Engine& engine, const sim::Component* parent, const config::Level& config,
                       const Names& names, const memory::AddressMap& map, memory::RequestPool& pool,
                       const config::FullEmpty& full_empty)
    : config_(config),
      map_(map, config.name, config.slices, config.cache.line_bytes),
      requests_(engine, names.down, parent, config.interconnect, names.interconnect_statistics),
      responses_(engine, names.up, parent, config.interconnect, names.interconnect_statistics),
      engine_(engine),
      parent_(parent),
      pool_(pool),
      has_bits_(full_empty.granule_bytes != 0) {
  config::Cache cache = config_.cache;
  if (config_.shared_with_processor) cache.attribute = config::PageAttribute::Cpu;
  if (config_.pending_requests != 0) {
    cache.mshrs = cache.mshr_targets = config_.pending_requests;
    pool_of_pending_.emplace(config_.pending_requests, map_.slices());
  }
  const std::uint64_t hertz = config_.interconnect.clock_khz * 1000;
  for (unsigned s = 0; s < map_.slices(); ++s) {
    memory::Cache& slice =
        caches_.emplace_back(engine, config_.name + " slice " + std::to_string(s), names.statistics, parent,
                             1, cache, hertz, pool, map_.numbering(), full_empty);
    slice.connect_above(requests_.add_output(static_cast<std::uint16_t>(s), &slice),
                        responses_.add_input(responses_.add_input_port(), &slice));
    if (pool_of_pending_) slice.share(*pool_of_pending_);
  }
}

void CacheLevel::connect_below(std::deque<memory::DramController>& controllers, const config::Dram& dram,
                               const memory::MemoryMap& map, const WayToLink& way_to_link) {
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
    sim::Component* above = &slice;
    RoutePort* port = nullptr;
    if (way_to_link) {
      above = port = &route_ports_.emplace_back(engine_, "port of " + slice.name(), parent_,
                                                config_.interconnect.clock_khz * 1000, map, pool_);
      const LinkWay link = way_to_link(*port);
      port->connect(RoutePort::Link, *link.requests, *link.answers);
      auto& to_port = channels_.emplace_back(config_.cache.queue_entries, &slice, port);
      auto& from_port = queues_.emplace_back(config_.cache.queue_entries, port, &slice);
      slice.connect_below(to_port, from_port, static_cast<std::uint16_t>(s), nullptr);
      port->connect_above(to_port, from_port);
    }
    auto& below = channels_.emplace_back(config_.cache.queue_entries, above, &controller);
    auto& back = queues_.emplace_back(answers, &controller, above);
    if (port != nullptr)
      port->connect(RoutePort::Memory, below, back);
    else
      slice.connect_below(below, back, static_cast<std::uint16_t>(s), nullptr);
    controller.connect(below, back);
  }
}

void CacheLevel::connect_below(CacheLevel& below) {
  const config::Level& level = below.config_;
  const bool shorter = config_.cache.line_bytes > level.cache.line_bytes;
  if (shorter && has_bits_)
    throw Error(below.name() + ": line_bytes = " + std::to_string(level.cache.line_bytes) +
                " is less than the " + std::to_string(config_.cache.line_bytes) + " of " + name() +
                " above it: gpu.full_empty.granule_bytes must be 0");
  for (memory::Cache& slice : caches_) {
    if (!shorter && level.wire_cycles == 0) {
      const Client client = below.connect_client(slice);
      slice.connect_below(*client.requests, *client.responses, client.number, &below.destinations());
      continue;
    }
    memory::LevelPort& port = ports_.emplace_back(
        engine_, "port of " + slice.name(), parent_,
        memory::LevelPortConfig{level.interconnect.clock_khz * 1000, level.cache.line_bytes,
                                level.wire_cycles, level.interconnect.queue_packets},
        pool_);
    auto& requests = channels_.emplace_back(config_.cache.queue_entries, &slice, &port);
    auto& responses = queues_.emplace_back(config_.cache.queue_entries, &port, &slice);
    slice.connect_below(requests, responses, 0, nullptr);
    port.connect_above(requests, responses);
    const Client client = below.connect_client(port);
    port.connect_below(*client.requests, *client.responses, client.number, &below.destinations());
  }
}

CacheLevel::Client CacheLevel::connect_client(sim::Component& client) {
  const unsigned in = requests_.add_input_port(), out = responses_.add_output_port();
  const std::uint16_t number = new_client();
  return {&requests_.add_input(in, &client), &responses_.add_output(out, number, &client), number};
}

}  // namespace duet::machine
