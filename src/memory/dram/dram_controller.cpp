#include "memory/dram/dram_controller.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "memory/atomic_request.h"

namespace duet::memory {

DramController::DramController(sim::Engine& engine, std::string name, const sim::Component* parent,
                               const config::Dram& config, unsigned channel, const AddressMap& map,
                               RequestPool& pool, const AddressSpace& address_space,
                               const config::FullEmpty& full_empty)
    : Component(engine, std::move(name), parent, 1, sim::Role::Memory),
      config_(config),
      channel_(channel),
      map_(map),
      pool_(pool),
      address_space_(address_space),
      cursor_(config.command_clock_khz * 1000),
      clock_(config.command_clock_khz * 1000),
      full_empty_(full_empty),
      bits_(full_empty, map, channel),
      triggered_(full_empty),
      statistics_(*this, "dram."),
      full_empty_statistics_(*this, "full_empty."),
      requests_(kTrafficClasses * config.queue_entries, static_cast<unsigned>(config.banks)),
      scheduler_(config, requests_),
      entries_(config.queue_entries != 0 ? config.queue_entries : std::numeric_limits<std::size_t>::max()) {
  if (config.burst_bytes == 0 || config.burst_cycles == 0)
    throw Error(this->name() + ": gpu.dram.burst_bytes or gpu.dram.burst_cycles is 0");
  if (config.read_bytes > config.burst_bytes)
    throw Error(this->name() + ": gpu.dram.read_bytes exceeds gpu.dram.burst_bytes");
}

void DramController::connect(Channel& requests, sim::Queue<Packet>& responses) {
  if (clients_.size() == 64) throw Error(name() + " serves at most 64 clients");
  clients_.push_back({&requests, &responses});
  for (unsigned c = 0; c < kTrafficClasses; ++c) requests.of(c).mark_pushes(&arrivals_, 1ull << c);
}

Picoseconds DramController::tick(Picoseconds now) {
  const Cycle cycle = clock_.cycle_at(now);
  const Done done = work(now, cycle);
  return next_tick(cycle, done);
}

inline DramController::Done DramController::work(Picoseconds now, Cycle cycle) {
  catch_up(cycle);
  const bool admitted = arrivals_ != 0 && !refuses_all(cycle) && admit(now, cycle);
  const bool released = look_again_ && release_triggered(cycle);
  bool changed = (admitted || released) && scheduler_.outdated();
  if (blocked_ != 0) {
    unblock(now);
    changed = true;
  }
  if (changed) plan_ = scheduler_.choose(cycle);
  while (plan_.cycle == cycle) plan_ = scheduler_.choose(issue(now) ? cycle + 1 : cycle);
  const bool refuses = full_empty_.nack_cycles != 0 && !triggered_.empty();
  return {released, refuses ? refuse_late(now, cycle) : kNoCycle};
}

// At the planned command; when an entry or a place among the triggered requests is free for a waiting
// request; when a request has waited too long; or when another arrives.
inline Picoseconds DramController::next_tick(Cycle cycle, const Done& done) {
  Cycle next = std::min(plan_.cycle, done.next_refusal);
  for (std::uint64_t classes = refused_; classes != 0; classes &= classes - 1)
    if (used_[static_cast<unsigned>(std::countr_zero(classes))] < entries_) next = std::min(next, cycle + 1);
  if (look_again_ || (done.released && arrivals_ != 0)) next = std::min(next, cycle + 1);
  const Picoseconds next_time = next == kNoCycle ? kNever : clock_.next_edge(next);
  return next_time <= next_arrival_ ? next_time
                                    : std::min(next_time, cursor_.first_edge_after(next_arrival_));
}

// While nobody could use the channel it slept through its refreshes.
void DramController::catch_up(Cycle cycle) {
  if (plan_.cycle != kNoCycle) return;
  scheduler_.refresh_before(cycle, [this](const DramPlan& plan, std::uint64_t skipped) {
    statistics_.refreshes += skipped;
    log(plan);
  });
}

// Whether whoever is at the front still finds no entry, in each class in which something has arrived: then
// admit() would change nothing but what is counted here.
inline bool DramController::refuses_all(Cycle cycle) {
  if (arrivals_ != refused_) return false;
  for (std::uint64_t classes = refused_; classes != 0; classes &= classes - 1)
    if (used_[static_cast<unsigned>(std::countr_zero(classes))] != entries_) return false;
  next_arrival_ = kNever;
  statistics_.queue_full_cycles += cycle - full_since_;
  full_since_ = cycle;
  return true;
}

// Takes in whatever has arrived and finds an entry.
bool DramController::admit(Picoseconds now, Cycle cycle) {
  bool admitted = false;
  next_arrival_ = kNever;
  refused_ = 0;
  const std::size_t clients = clients_.size();
  for (std::uint64_t classes = arrivals_; classes != 0; classes &= classes - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(classes));
    bool more = false;
    std::size_t& turn = round_robin_[c];
    for (std::size_t empty = 0; empty < clients;) {
      sim::Queue<Packet>& queue = clients_[turn].requests->of(c);
      if (queue.can_pop(now)) {
        const Request& request = pool_[queue.front().request];
        if (request.tracked || full_empty_.queues == 1) {
          const unsigned kind = triggered_.queue_of(request);
          if (triggered_.keeps(kind)) {
            if (!triggered_.has_room(kind)) {
              more = true;  // release_triggered() comes here again
              break;
            }
            triggered_.push(kind, queue.pop(now), static_cast<std::uint8_t>(turn), cycle);
            look_again_ = true;
            empty = 0;
            if (++turn == clients) turn = 0;
            continue;
          }
        }
        if (used_[c] == entries_) {
          refused_ |= 1ull << c;
          more = true;
          break;
        }
        accept(queue.pop(now), turn);
        admitted = true;
        empty = 0;
      } else {
        ++empty;
        more |= !queue.empty();
        next_arrival_ = std::min(next_arrival_, queue.next_arrival(now));
      }
      if (++turn == clients) turn = 0;
    }
    if (!more) arrivals_ &= ~(1ull << c);
  }
  if (full_since_ != kNoCycle) statistics_.queue_full_cycles += cycle - full_since_;
  full_since_ = refused_ != 0 ? cycle : kNoCycle;
  return admitted;
}

void DramController::accept(const Packet& packet, std::size_t client) {
  Request& request = pool_[packet.request];
  if (request.tracked && request.operation == Operation::SetBits && request.action == Action::None)
    override_triggers(request);
  else if (request.tracked)
    apply_action(request);
  else if (request.trigger != Trigger::None || request.action != Action::None)
    throw Error(name() + ": a trigger or an action on memory without full/empty bits");
  else if (request.operation != Operation::Read && request.operation != Operation::Write &&
           request.operation != Operation::Atomic)
    throw Error(name() + " performs reads, writes and atomics only: cache maintenance belongs to caches");
  if (request.bytes == 0 ||
      request.address >> line_shift_ != (request.address + (request.bytes - 1)) >> line_shift_)
    throw Error(name() + ": a request of " + std::to_string(request.bytes) + " bytes at " +
                std::to_string(request.address.value()) + " is empty or leaves its line");
  const MemoryMap& homes = address_space_.memory().map();
  if (!homes.is_at(Home::DeviceDram, request.address) && !homes.is_at(Home::SharedDram, request.address) &&
      !homes.is_at(Home::OneDram, request.address))
    throw Error(name() + ": physical address " + std::to_string(request.address.value()) +
                " is not in device memory");
  const DramPlace place = map_.place(request.address);
  if (place.channel != channel_)
    throw Error(name() + ": physical address " + std::to_string(request.address.value()) +
                " belongs to channel " + std::to_string(place.channel));
  const std::uint32_t index = requests_.allocate();
  DramEntry& entry = requests_[index];
  entry.packet = packet;
  entry.request = &request;
  entry.line = request.address >> line_shift_;
  entry.row = place.row;
  entry.bank = static_cast<std::uint8_t>(place.bank);
  entry.client = static_cast<std::uint8_t>(client);
  entry.traffic_class = static_cast<std::uint8_t>(packet.traffic_class);
  entry.direction = request.operation == Operation::Read || request.operation == Operation::Atomic
                        ? Direction::Read
                        : Direction::Write;
  const Bytes used = used_of_burst(entry.direction);
  entry.bursts_left =
      static_cast<std::uint8_t>((request.address + request.bytes - 1) / used - request.address / used + 1);
  if (request.operation == Operation::SetBits) entry.bursts_left = 1;
  if (request.tracked && full_empty_.bits == "inline" && request.operation != Operation::SetBits)
    ++entry.bursts_left;
  ++used_[entry.traffic_class];
  scheduler_.admitted(index, requests_.admit(index));
}

void DramController::unblock(Picoseconds now) {
  std::uint64_t blocked = blocked_;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if ((blocked >> i & 1) && clients_[i].responses->can_push(now)) blocked &= ~(1ull << i);
  if (blocked == blocked_) return;
  blocked_ = blocked;
  scheduler_.block(blocked_);
}

// Issues the planned command; false when its client turns out to have no room for answers.
bool DramController::issue(Picoseconds now) {
  const DramPlan plan = plan_;
  const bool column = plan.command == DramCommand::Read || plan.command == DramCommand::Write;
  if (column) {
    const std::uint32_t client = requests_[plan.entry].client;
    if (!clients_[client].responses->can_push(now)) {
      blocked_ |= 1ull << client;
      scheduler_.block(blocked_);
      return false;
    }
  }
  scheduler_.issue(plan);
  log(plan);
  if (plan.entry == kNoEntry) return true;
  DramEntry& entry = requests_[plan.entry];
  if (!column) {
    (plan.command == DramCommand::Activate ? entry.activated : entry.precharged) = true;
    return true;
  }
  if (!entry.started) {
    entry.started = true;
    ++(entry.precharged  ? statistics_.row_conflicts
       : entry.activated ? statistics_.row_misses
                         : statistics_.row_hits);
  }
  statistics_.data_bus_busy_cycles += config_.burst_cycles;
  (entry.direction == Direction::Read ? statistics_.read_bytes : statistics_.written_bytes) +=
      used_of_burst(entry.direction);
  if (--entry.bursts_left == 0) finish(now, plan.entry);
  return true;
}

void DramController::finish(Picoseconds now, std::uint32_t index) {
  DramEntry& entry = requests_[index];
  const Operation operation = entry.request->operation;
  if (operation == Operation::Atomic && entry.direction == Direction::Read) return perform(index);
  if (operation == Operation::Read || operation == Operation::Write) move_data(*entry.request);
  const bool read = entry.direction == Direction::Read;
  ++(read ? statistics_.reads : statistics_.writes);
  const Cycle first_data = plan_.cycle + (read ? config_.timing.cl : config_.timing.wl);
  Packet packet = entry.packet;
  packet.kind = PacketKind::Response;
  packet.payload_bytes = answer_bytes(*entry.request);
  std::swap(packet.source, packet.destination);
  clients_[entry.client].responses->push(
      now, packet, clock_.edge(first_data + config_.burst_cycles + config_.controller_cycles));
  --used_[entry.traffic_class];
  look_again_ |= !triggered_.empty();
  requests_.remove(index);  // whatever was held for it has the same line, so the same bank
  scheduler_.removed(entry.bank);
}

void DramController::move_data(Request& request) {
  std::byte* bytes = address_space_.memory().bytes(request.address);
  if (before_write_ && request.operation == Operation::Write) before_write_(request);
  if (request.operation == Operation::Read) {
    std::memcpy(request.data.data(), bytes, request.bytes);
  } else if (request.mask.bits == ByteMask::first(request.bytes).bits) {
    std::memcpy(bytes, request.data.data(), request.bytes);
  } else {
    for (unsigned i = 0; i < request.bytes; ++i)
      if (request.mask.test(i)) bytes[i] = request.data[i];
  }
}

void DramController::log(const DramPlan& plan) {
  switch (plan.command) {
    case DramCommand::Activate:
      ++statistics_.activates;
      break;
    case DramCommand::Precharge:
      ++statistics_.precharges;
      break;
    case DramCommand::Refresh:
    case DramCommand::RefreshBank:
      ++statistics_.refreshes;
      break;
    default:
      break;
  }
  if (log_ != nullptr)
    log_->push_back(
        {plan.cycle, plan.command, plan.bank, plan.entry == kNoEntry ? 0 : requests_[plan.entry].row});
}

bool DramController::settle_statistics() {
  const Cycle cycle = clock_.cycle_at(engine().now());
  catch_up(cycle);
  if (full_since_ != kNoCycle) {
    statistics_.queue_full_cycles += cycle - full_since_;
    full_since_ = cycle;
  }
  full_empty_statistics_.most_waiting.at_least(triggered_.most_waiting());
  return true;
}

std::string DramController::waits_for() const {
  if (!triggered_.empty()) return "full/empty bits";  // whose, and for whom: waiting_requests()
  if (blocked_ != 0 && plan_.cycle == kNoCycle) return "room in a client's queue of answers";
  return {};
}

}  // namespace duet::memory
