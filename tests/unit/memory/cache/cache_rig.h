// Around caches under test: clients that play scripts, and a flat memory with a fixed latency. Everything has
// one clock of 1 GHz, so edge k lies at 1000 k picoseconds.
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "memory/cache/cache.h"

namespace duet::memory::test {

inline constexpr std::uint64_t kHertz = 1'000'000'000;
inline constexpr Picoseconds kPeriod = 1000;

class Clocked : public sim::Component {
 public:
  Clocked(sim::Engine& engine, std::string name)
      : Component(engine, std::move(name), nullptr, 0, sim::Role::None) {}
  Picoseconds next_opportunity(Picoseconds time) const override { return (time / kPeriod + 1) * kPeriod; }
};

// Takes one request a cycle and binds its value then; the answer arrives `latency` cycles later, so a cache
// that sends at edge n sees it at edge n + 2 + latency.
class FlatMemory : public Clocked {
 public:
  struct Seen {
    Picoseconds edge;
    Request request;
    Packet packet;
  };
  FlatMemory(sim::Engine& engine, RequestPool& pool, std::size_t bytes, unsigned latency)
      : Clocked(engine, "memory"), bytes(bytes), pool_(pool), latency_(latency) {}
  void connect(Channel& requests, sim::Queue<Packet>& responses) { ends_.push_back({&requests, &responses}); }
  Picoseconds tick(Picoseconds now) override {
    bool left = false, taken = false;
    for (auto& [requests, responses] : ends_)
      for (unsigned c = 0; c < kTrafficClasses; ++c) {
        if (held[c] || !requests->of(c).can_pop(now)) continue;
        if (taken) {
          left = true;
          continue;
        }
        if (!responses->can_push(now)) continue;
        taken = true;
        Packet packet = requests->of(c).pop(now);
        left |= requests->of(c).can_pop(now);
        Request& request = pool_[packet.request];
        log.push_back({now / kPeriod, request, packet});
        request.released = releases;
        for (unsigned i = 0; i < request.bytes; ++i) {
          if (!request.mask.test(i)) continue;
          if (request.operation == Operation::Read) request.data[i] = bytes.at(request.address.value() + i);
          if (request.operation == Operation::Write) bytes.at(request.address.value() + i) = request.data[i];
        }
        packet.kind = PacketKind::Response;
        packet.payload_bytes = request.operation == Operation::Read ? request.bytes : 0;
        std::swap(packet.source, packet.destination);
        responses->push(now, packet, now + latency_ * kPeriod);
      }
    return left ? now + kPeriod : kNever;
  }
  void release(unsigned traffic_class) {
    held[traffic_class] = false;
    engine().wake(*this, next_opportunity(engine().now()));
  }

  std::vector<std::byte> bytes;
  std::vector<Seen> log;
  std::array<bool, kTrafficClasses> held{};  // classes that are not served
  bool releases = false;                     // every request, as an override does

 private:
  struct End {
    Channel* requests;
    sim::Queue<Packet>* responses;
  };
  RequestPool& pool_;
  unsigned latency_;
  std::vector<End> ends_;
};

// Sends what it is told, in order within a class, from the given edge on, and remembers every answer.
class Requester : public Clocked {
 public:
  struct Answer {
    Picoseconds edge;
    Request request;
    Packet packet;
  };
  // `server`: a cache, or a port.
  template <typename Server>
  Requester(sim::Engine& engine, RequestPool& pool, std::size_t capacity, Server& server,
            std::uint16_t number)
      : Clocked(engine, "requester"),
        channel(capacity, this, &server),
        responses(capacity, &server, this),
        number_(number),
        pool_(pool) {
    server.connect_above(channel, responses);
  }
  // Returns the index of its answer.
  std::size_t send(Picoseconds edge, const Request& request) {
    const RequestHandle handle = pool_.allocate();
    pool_[handle] = request;
    Packet packet;
    packet.request = handle;
    packet.traffic_class = request.traffic_class;
    packet.source = number_;
    packet.destination = 77;
    packet.tag = 4242;
    packet.argument = answers.size();
    packet.payload_bytes = request.operation == Operation::Write ? request.bytes : 0;
    answers.push_back({kNever, request, {}});
    waiting_[static_cast<unsigned>(request.traffic_class)].push_back({edge * kPeriod, packet});
    engine().wake(*this, std::max(edge * kPeriod, engine().now()));
    return answers.size() - 1;
  }
  Picoseconds tick(Picoseconds now) override {
    while (responses.can_pop(now)) {
      const Packet packet = responses.pop(now);
      answers[packet.argument] = {now / kPeriod, pool_[packet.request], packet};
      order.push_back(packet.argument);
      pool_.release(packet.request);
    }
    Picoseconds next = kNever;
    for (auto& waiting : waiting_) {
      if (waiting.empty()) continue;
      if (waiting.front().first <= now && now % kPeriod == 0 &&
          channel.can_push(now, waiting.front().second.traffic_class)) {
        channel.push(now, waiting.front().second, now + wire_cycles * kPeriod);
        waiting.pop_front();
        if (waiting.empty()) continue;
        next = std::min(next, std::max(waiting.front().first, now + kPeriod));
      } else if (waiting.front().first > now) {
        next = std::min(next, waiting.front().first);
      } else if (now % kPeriod != 0) {
        next = std::min(next, next_opportunity(now));
      }
    }
    return next;
  }

  Channel channel;
  sim::Queue<Packet> responses;
  std::vector<Answer> answers;
  std::vector<std::size_t> order;  // in which answers came
  unsigned wire_cycles = 0;        // that a request takes to the cache

 private:
  std::uint16_t number_;
  RequestPool& pool_;
  std::array<std::deque<std::pair<Picoseconds, Packet>>, kTrafficClasses> waiting_;
};

// Gives commands, and remembers when each was done.
class Commander : public Clocked {
 public:
  Commander(sim::Engine& engine, Cache& cache)
      : Clocked(engine, "commander"), commands(8, this, &cache), done(8, &cache, this) {
    cache.connect_commands(commands, &done);
  }
  void send(Picoseconds edge, Operation operation, Address base = 0, Bytes bytes = CacheCommand::kWhole) {
    waiting_.push_back(
        {edge * kPeriod,
         {operation, static_cast<std::uint32_t>(done_at.size()), PhysicalAddress(base), bytes}});
    done_at.push_back(kNever);
    engine().wake(*this, std::max(edge * kPeriod, engine().now()));
  }
  // Outside a tick.
  void send_now(Operation operation) {
    commands.push(engine().now(), {operation, static_cast<std::uint32_t>(done_at.size()), {}});
    done_at.push_back(kNever);
  }
  Picoseconds tick(Picoseconds now) override {
    while (done.can_pop(now)) done_at[done.pop(now)] = now / kPeriod;
    while (!waiting_.empty() && waiting_.front().first <= now && commands.can_push(now)) {
      commands.push(now, waiting_.front().second);
      waiting_.pop_front();
    }
    return waiting_.empty() ? kNever : std::max(waiting_.front().first, next_opportunity(now));
  }

  sim::Queue<CacheCommand> commands;
  sim::Queue<std::uint32_t> done;
  std::vector<Picoseconds> done_at;  // edges

 private:
  std::deque<std::pair<Picoseconds, CacheCommand>> waiting_;
};

// Sends probes from the given edges on, and remembers every answer.
class Prober : public Clocked {
 public:
  Prober(sim::Engine& engine, RequestPool& pool, Cache& cache)
      : Clocked(engine, "prober"), probes(8, this, &cache), responses(8, &cache, this), pool_(pool) {
    cache.connect_prober(probes, responses);
  }
  void send(Picoseconds edge, Operation operation, Address address, unsigned bytes) {
    const RequestHandle handle = pool_.allocate();
    pool_[handle].operation = operation;
    pool_[handle].address = PhysicalAddress(address);
    pool_[handle].bytes = static_cast<std::uint16_t>(bytes);
    Packet packet;
    packet.request = handle;
    packet.argument = answers.size();
    answers.push_back({kNever, {}, {}});
    waiting_.push_back({edge * kPeriod, packet});
    engine().wake(*this, std::max(edge * kPeriod, engine().now()));
  }
  Picoseconds tick(Picoseconds now) override {
    while (responses.can_pop(now)) {
      const Packet packet = responses.pop(now);
      answers[packet.argument] = {now / kPeriod, pool_[packet.request], packet};
      pool_.release(packet.request);
    }
    while (!waiting_.empty() && waiting_.front().first <= now && probes.can_push(now)) {
      probes.push(now, waiting_.front().second);
      waiting_.pop_front();
    }
    return waiting_.empty() ? kNever : std::max(waiting_.front().first, next_opportunity(now));
  }

  sim::Queue<Packet> probes, responses;
  std::vector<Requester::Answer> answers;

 private:
  RequestPool& pool_;
  std::deque<std::pair<Picoseconds, Packet>> waiting_;
};

inline Request make(Operation operation, Address address, unsigned bytes) {
  Request request;
  request.address = PhysicalAddress(address);
  request.bytes = static_cast<std::uint16_t>(bytes);
  request.operation = operation;
  request.agent = Agent::Sm;
  request.mask = ByteMask::first(bytes);
  return request;
}
inline Request read(Address address, unsigned bytes) { return make(Operation::Read, address, bytes); }
inline Request write(Address address, unsigned bytes, int value) {
  Request request = make(Operation::Write, address, bytes);
  std::memset(request.data.data(), value, bytes);
  return request;
}
template <typename T>
Request atomic(Address address, AtomicOperation operation, AtomicType type, std::vector<T> operands) {
  Request request = make(Operation::Atomic, address, static_cast<unsigned>(operands.size() * sizeof(T)));
  request.atomic_operation = operation;
  request.atomic_type = type;
  std::memcpy(request.data.data(), operands.data(), request.bytes);
  return request;
}
template <typename T>
T value(const Requester::Answer& answer, unsigned element = 0) {
  T result;
  std::memcpy(&result, answer.request.data.data() + element * sizeof(T), sizeof(T));
  return result;
}

inline config::Cache l1_config() {
  config::Cache config;
  config.sets = 4;
  config.ways = 2;
  config.line_bytes = 128;
  config.sector_bytes = 128;
  config.latency_cycles = 5;
  config.mshrs = 4;
  config.mshr_targets = 4;
  config.queue_entries = 8;
  config.attribute = config::PageAttribute::GpuL1;
  return config;
}
inline config::Cache l2_config() {
  config::Cache config = l1_config();
  config.sector_bytes = 32;
  config.write_back = config.write_allocate = true;
  config.atomic_words_per_cycle = 1;
  config.attribute = config::PageAttribute::GpuL2;
  return config;
}

// One cache between `clients` requesters and a memory whose byte i holds i * 7 + i / 256.
struct Rig {
  explicit Rig(const config::Cache& config, unsigned clients = 1, unsigned latency = 20,
               std::uint64_t seed = 0)
      : engine(seed),
        cache(engine, "cache", "cache", nullptr, 1, config, kHertz, pool),
        memory(engine, pool, 64 * 1024, latency),
        below(config.queue_entries, &cache, &memory),
        from_below(config.queue_entries, &memory, &cache) {
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] = initial(i);
    map.add({"low", PhysicalAddress(0), 256, Home::DeviceDram});
    map.add({"high", PhysicalAddress(256), 1_GiB, Home::HostDram});
    destinations.send(Home::DeviceDram, 1);
    destinations.send(Home::HostDram, 2);
    cache.connect_below(below, from_below, 9, &destinations);
    memory.connect(below, from_below);
    for (unsigned i = 0; i < clients; ++i)
      requesters.push_back(
          std::make_unique<Requester>(engine, pool, config.queue_entries, cache, std::uint16_t(i)));
  }
  static std::byte initial(std::size_t i) { return static_cast<std::byte>(i * 7 + i / 256); }
  Requester& client(unsigned i = 0) { return *requesters[i]; }
  void run() { engine.run_until(engine.now() + 1'000'000 * kPeriod); }
  Picoseconds edge() const { return engine.now() / kPeriod; }

  sim::Engine engine;
  RequestPool pool;
  MemoryMap map;
  Destinations destinations{map};
  Cache cache;
  FlatMemory memory;
  Channel below;
  sim::Queue<Packet> from_below;
  std::vector<std::unique_ptr<Requester>> requesters;
};

}  // namespace duet::memory::test
