#include "machine/build/memory_system.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"

namespace duet::machine {

namespace {

constexpr std::uint16_t kNumbersOfSm = 3;
constexpr std::size_t kCommands = 4;  // to a cache, that it has not taken yet

// What takes the bytes that caches give up.
auto store_into(memory::PhysicalMemory& memory) {
  return [&memory](PhysicalAddress address, const std::byte* data, const memory::ByteMask& mask) {
    // The allocation is gone, and nobody can read its bytes any more; or the bytes are not here.
    const memory::Backing backing = memory.backing(address);
    if (backing.bytes == nullptr || backing.through_port) return;
    for (unsigned i = 0; i < memory::kLineBytes; ++i)
      if (mask.test(i)) backing.bytes[i] = data[i];
  };
}

}  // namespace

MemorySystem::MemorySystem(sim::Engine& engine, const sim::Component* shared, const sim::Component* parent,
                           const config::Gpu& config, const std::vector<config::Level>& levels,
                           memory::RequestPool& pool, memory::AddressSpace& address_space,
                           const LinkEnd& link, const std::optional<config::Translation>& translation)
    : engine_(engine),
      config_(config),
      pool_(pool),
      address_space_(address_space),
      map_(config_.dram),
      destinations_(address_space.memory().map()),
      bridge_(engine, parent, config.interconnect.clock_khz, link.number, link.host_memory_number,
              link.byte_masks, pool) {
  for (unsigned c = 0; c < map_.channels(); ++c)
    controllers_.emplace_back(engine, "DRAM channel " + std::to_string(c), parent, config_.dram, c, map_,
                              pool, address_space, config_.full_empty);
  // As the longest request that comes from above.
  line_bytes_ = config_.l2.line_bytes;
  for (const config::Level& level : levels) line_bytes_ = std::max(line_bytes_, level.cache.line_bytes);
  for (memory::DramController& controller : controllers_) controller.keep_order_in(line_bytes_);
  levels_.emplace_back(
      engine, parent, config::Level{"L2", config_.l2_slices, config_.l2, config_.interconnect},
      CacheLevel::Names{"interconnect to memory", "interconnect to SMs", "interconnect", "l2"}, map_, pool,
      config_.full_empty);
  for (const memory::Home own : {memory::Home::DeviceDram, memory::Home::OneDram, memory::Home::HostInL2})
    destinations_.send(own, levels_.front().slice_map());
  for (const memory::Home behind_link : {memory::Home::HostDram, memory::Home::SharedDram})
    destinations_.send(behind_link, static_cast<std::uint16_t>(levels_.front().slices()));
  for (const config::Level& level : levels) {
    const std::string kind = config::statistics_name(level);
    CacheLevel& above = levels_.back();
    levels_.emplace_back(engine, shared, level,
                         CacheLevel::Names{"interconnect to " + level.name, "interconnect from " + level.name,
                                           kind + "_interconnect", kind},
                         map_, pool, config_.full_empty);
    above.connect_below(levels_.back());
    if (level.perfect) levels_.back().serve_from(address_space.memory());
  }
  CacheLevel::WayToLink to_link;
  if (link.below_l2)
    to_link = [&](sim::Component& port) {
      auto& requests = channels_.emplace_back(config_.l2.queue_entries, &port, &bridge_);
      auto& answers = queues_.emplace_back(config_.l2.queue_entries, &bridge_, &port);
      bridge_.connect_client(requests, answers);
      return CacheLevel::LinkWay{&requests, &answers};
    };
  if (translation && translation->tlb_entries != 0) {
    translation_ = translation;
    translation_unit_.emplace(engine, parent, *translation, config_.core_clock_khz * 1000, link.latency_ps);
  }
  levels_.back().connect_below(controllers_, config_.dram, address_space.memory().map(), to_link);
}

MemoryFabric& MemorySystem::build_fabric(const config::MemoryFabric& config, const sim::Component* parent,
                                         Bytes line_bytes) {
  fabric_.emplace(engine_, parent, config.interconnect, line_bytes, map_, controllers_);
  line_bytes_ = std::max(line_bytes_, line_bytes);
  for (memory::DramController& controller : controllers_) controller.keep_order_in(line_bytes_);
  return *fabric_;
}

CacheLevel* MemorySystem::shared_level() {
  for (CacheLevel& level : levels_)
    if (level.shared_with_processor()) return &level;
  return nullptr;
}

bool MemorySystem::l2_alone_is_newer() const {
  return !config_.l1.write_back && levels_.size() > 1 && levels_[1].shared_with_processor();
}

void MemorySystem::connect_sm(sim::Component& sm, gpu::TimedSm::Ports& ports) {
  const auto sm_number = static_cast<std::uint16_t>(l1_.size());
  const auto number = static_cast<std::uint16_t>(sm_number * kNumbersOfSm);
  const std::uint64_t hertz = config_.core_clock_khz * 1000;
  memory::RequestCrossbar& requests = levels_.front().requests();
  memory::ResponseCrossbar& responses = levels_.front().responses();
  const unsigned in = requests.add_input_port(), out = responses.add_output_port();
  // The way to L2 of `client`, which sends requests of up to so many bytes.
  struct Way {
    memory::Channel* requests;
    sim::Queue<memory::Packet>* responses;
  };
  const auto way = [&](sim::Component& client, Bytes line_bytes, std::uint16_t own) -> Way {
    if (line_bytes <= config_.l2.line_bytes)
      return {&requests.add_input(in, &client), &responses.add_output(out, own, &client)};
    const config::Interconnect& interconnect = config_.interconnect;
    memory::LevelPort& port = ports_.emplace_back(
        engine_, "port " + std::to_string(own) + " of SM " + std::to_string(sm_number), &sm,
        memory::LevelPortConfig{interconnect.clock_khz * 1000, config_.l2.line_bytes, 0,
                                interconnect.queue_packets},
        pool_);
    auto& to = channels_.emplace_back(interconnect.queue_packets, &client, &port);
    auto& from = queues_.emplace_back(interconnect.queue_packets, &port, &client);
    port.connect_above(to, from);
    port.connect_below(requests.add_input(in, &port), responses.add_output(out, own, &port), own,
                       &destinations_);
    return {&to, &from};
  };
  const auto place = [&](memory::Cache& cache, const config::Cache& config, std::uint16_t own,
                         memory::Channel*& to, sim::Queue<memory::Packet>*& from,
                         sim::Component* above = nullptr) {
    to = &channels_.emplace_back(config.queue_entries, above == nullptr ? &sm : above, &cache);
    from = &queues_.emplace_back(config.queue_entries, &cache, &sm);
    cache.connect_above(*to, *from);
    const Way below = way(cache, config.line_bytes, own);
    cache.connect_below(*below.requests, *below.responses, own, &destinations_);
  };
  memory::Cache& l1 = l1_.emplace_back(engine_, "L1 " + std::to_string(sm_number), "l1", &sm, 0, config_.l1,
                                       hertz, pool_, memory::LineNumbering{}, config_.full_empty);
  memory::TlbPort* const tlb =
      translation_unit_
          ? &tlb_ports_.emplace_back(engine_, "TLB " + std::to_string(sm_number), &sm, *translation_, hertz,
                                     *translation_unit_, pool_, address_space_.page_bytes())
          : nullptr;
  place(l1, config_.l1, number, ports.to_l1, ports.from_l1, tlb);
  if (tlb != nullptr) {
    auto& from_sm = channels_.emplace_back(config_.l1.queue_entries, &sm, tlb);
    tlb->connect(from_sm, *ports.to_l1);
    ports.to_l1 = &from_sm;
  }
  if (config_.l1_prefetch.prefetcher == "stride")
    l1.prefetch_by(config_.l1_prefetch, address_space_.memory());
  memory::Cache& constants =
      constant_caches_.emplace_back(engine_, "constant cache " + std::to_string(sm_number), "constant_cache",
                                    &sm, 0, config_.constant_cache, hertz, pool_);
  place(constants, config_.constant_cache, static_cast<std::uint16_t>(number + 1), ports.to_constant_cache,
        ports.from_constant_cache);
  // A command that has not begun yet does for a later one, too.
  auto& to_l1 = commands_.emplace_back(kCommands, nullptr, &l1);
  auto& to_constants = commands_.emplace_back(kCommands, nullptr, &constants);
  l1.connect_commands(to_l1, nullptr);
  constants.connect_commands(to_constants, nullptr);
  ports.invalidate_caches = [&to_l1, &to_constants, last = kNever](Picoseconds now) mutable {
    if (std::exchange(last, now) == now) return;
    for (auto* commands : {&to_l1, &to_constants})
      if (commands->can_push(now)) commands->push(now, memory::CacheCommand{});  // all that is clean
  };
  ports.invalidate_l1 = [&to_l1, last = kNever](Picoseconds now) mutable {
    if (std::exchange(last, now) != now && to_l1.can_push(now)) to_l1.push(now, memory::CacheCommand{});
  };
  ports.instructions.number = static_cast<std::uint16_t>(number + 2);
  const Way to_code = way(sm, config_.instruction_cache.line_bytes, ports.instructions.number);
  ports.instructions.to_memory = to_code.requests;
  ports.instructions.from_memory = to_code.responses;
  ports.instructions.destinations = &destinations_;
}

MemorySystem::EnginePorts MemorySystem::connect_copy_engine(sim::Component& engine, std::uint64_t ports) {
  memory::RequestCrossbar& requests = levels_.front().requests();
  memory::ResponseCrossbar& responses = levels_.front().responses();
  EnginePorts result;
  result.number = static_cast<std::uint16_t>(config_.sm.count * kNumbersOfSm + numbers_of_engines_);
  const auto connect = [&](PortPair port) {
    const auto number = static_cast<std::uint16_t>(result.number + result.requests.size());
    result.requests.push_back(&requests.add_input(port.requests, &engine));
    result.responses.push_back(&responses.add_output(port.responses, number, &engine));
    ++numbers_of_engines_;
  };
  connect({requests.add_input_port(), responses.add_output_port()});
  while (engine_ports_.size() + 1 < ports)
    engine_ports_.push_back({requests.add_input_port(), responses.add_output_port()});
  for (std::uint64_t i = 1; i < ports; ++i) connect(engine_ports_[i - 1]);
  return result;
}

std::vector<MemorySystem::CommandPorts> MemorySystem::connect_commander(sim::Component& commander) {
  std::vector<CommandPorts> ports;
  for (memory::Cache& slice : levels_.front().caches()) {
    CommandPorts& port = ports.emplace_back();
    port.commands = &commands_.emplace_back(kCommands, &commander, &slice);
    port.done = &commands_done_.emplace_back(kCommands, &slice, &commander);
    slice.connect_commands(*port.commands, port.done);
  }
  return ports;
}

void MemorySystem::connect_link(sim::Queue<memory::Packet>& to_link, sim::Queue<memory::Packet>& from_link) {
  CacheLevel& l2 = levels_.front();
  bridge_.connect(to_link, from_link);
  bridge_.connect_client(l2.requests().add_output(static_cast<std::uint16_t>(l2.slices()), &bridge_),
                         l2.responses().add_input(l2.responses().add_input_port(), &bridge_));
}

void MemorySystem::write_back(PhysicalAddress physical, Bytes bytes) {
  // The newest bytes last, which lie nearest to the SMs.
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
    level->flush_range(physical, bytes, store_into(address_space_.memory()));
}

void MemorySystem::write_back_all() {
  constexpr Bytes kAll = Bytes{1} << 62;
  write_back(PhysicalAddress(0), kAll);
  for (memory::Cache& l1 : l1_) l1.flush_range(PhysicalAddress(0), kAll, store_into(address_space_.memory()));
  for (memory::LevelPort& port : ports_) port.forget(PhysicalAddress(0), kAll);
}

void MemorySystem::warm(const std::vector<Sector>& latest_first) {
  std::vector<const Sector*> held;
  const auto warm = [&](const Sector& sector) {
    return levels_.front().warm(sector.address, address_space_.memory().bytes(sector.address),
                                sector.cacheability);
  };
  for (const Sector& sector : latest_first)
    if (warm(sector)) held.push_back(&sector);
  // Once more in the order of their use, so that the last one counts as used last.
  for (auto sector = held.rbegin(); sector != held.rend(); ++sector) warm(**sector);
}

std::vector<PhysicalAddress> MemorySystem::held_by_l2() {
  std::vector<std::pair<std::uint64_t, PhysicalAddress>> held;
  for (const memory::Cache& slice : levels_.front().caches())
    slice.for_each_held([&](std::uint64_t when, PhysicalAddress sector) { held.emplace_back(when, sector); });
  std::sort(held.begin(), held.end());
  std::vector<PhysicalAddress> sectors;
  for (const auto& [when, sector] : held) sectors.push_back(sector);
  return sectors;
}

void MemorySystem::settle(PhysicalAddress physical, Bytes bytes) {
  write_back(physical, bytes);
  for (memory::DramController& controller : controllers_) controller.reset_bits(physical, bytes);
}

std::optional<std::byte> MemorySystem::peek(std::uint32_t sm, PhysicalAddress physical) const {
  if (const auto byte = l1_[sm].dirty_byte(physical)) return byte;
  if (memory::in_l2(address_space_.memory().map().home_of(physical)))
    for (const CacheLevel& level : levels_)
      if (const auto byte = level.dirty_byte(physical)) return byte;
  const std::byte* backing = address_space_.memory().bytes(physical);
  return backing == nullptr ? std::nullopt : std::optional(*backing);
}

void MemorySystem::empty_bits(PhysicalAddress physical, Bytes bytes) {
  for (PhysicalAddress line = physical; line < physical + bytes; line += memory::kLineBytes)
    controllers_[map_.place(line).channel].empty_bits(
        line, static_cast<unsigned>(std::min<Bytes>(memory::kLineBytes, physical + bytes - line)));
}

std::vector<memory::WaitingRequest> MemorySystem::waiting_requests(bool also_before) {
  std::vector<memory::WaitingRequest> result;
  for (const memory::DramController& controller : controllers_)
    for (const memory::WaitingRequest& waiting : controller.waiting_requests()) result.push_back(waiting);
  if (!also_before) return result;
  // What has joined a fetch that waits in a queue is said with the fetch.
  std::set<std::pair<std::uint64_t, memory::Agent>> queued;
  for (const memory::WaitingRequest& waiting : result)
    queued.emplace(waiting.address / memory::kLineBytes, waiting.agent);
  pool_.for_each_in_use([&](memory::RequestHandle, const memory::Request& request) {
    if (!request.tracked || request.trigger == memory::Trigger::None) return;
    const memory::WaitingRequest waiting =
        controllers_[map_.place(request.address).channel].describe(request);
    if (!queued.contains({waiting.address / memory::kLineBytes, waiting.agent})) result.push_back(waiting);
  });
  return result;
}

}  // namespace duet::machine
