// Cores (core_rig.h), a root complex beside them, and a device at the other end of a link: it sends requests
// at given times, or one after the other, and notes what comes back and when.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "component/statistic_of.h"
#include "core_rig.h"
#include "machine/host/root_complex.h"
#include "memory/simple_memory.h"

namespace duet::test {

// The other end of the link, which takes kLinkLatency.
class Device final : public sim::Component {
 public:
  static constexpr Picoseconds kLinkLatency = 120'000;

  Device(sim::Engine& engine, memory::RequestPool& pool)
      : Component(engine, "device", nullptr, 2, sim::Role::None), pool_(pool) {}
  void connect(sim::Queue<memory::Packet>& out, sim::Queue<memory::Packet>& in) {
    out_ = &out;
    in_ = &in;
  }

  struct Answer {
    std::size_t number = 0;  // of the request
    Picoseconds time = 0;    // when the link has it
    std::array<std::byte, memory::kLineBytes> data{};
    std::uint64_t word(unsigned at = 0) const {
      std::uint64_t value;
      std::memcpy(&value, data.data() + at, sizeof value);
      return value;
    }
  };
  struct Sent {
    Picoseconds at = 0;  // it is on the link from then on, or when what came before it has been answered
    bool in_turn = false;
    std::function<void(memory::Request&)> fill;
  };

  // Returns its number.
  std::size_t send(Picoseconds at, std::function<void(memory::Request&)> fill, bool in_turn = false) {
    to_send_.push_back({at, in_turn, std::move(fill)});
    engine().wake_after(*this, engine().now());
    return to_send_.size() - 1;
  }
  bool done() const { return answers.size() == to_send_.size(); }
  const Answer& answer(std::size_t number) const {
    for (const Answer& one : answers)
      if (one.number == number) return one;
    throw std::runtime_error("no answer");
  }

  Picoseconds tick(Picoseconds now) override {
    while (in_->can_pop(now)) {
      const memory::Packet packet = in_->pop(now);
      Answer& made = answers.emplace_back();
      made.number = packet.argument;
      made.time = now - 1;  // it is seen strictly after
      made.data = pool_[packet.request].data;
      pool_.release(packet.request);
    }
    Picoseconds next = kNever;
    while (next_ < to_send_.size() && out_->can_push(now)) {
      const Sent& sent = to_send_[next_];
      if (sent.in_turn && answers.size() < next_) break;
      if (sent.at > now) {
        next = sent.at;
        break;
      }
      memory::Packet packet;
      packet.request = pool_.allocate();
      packet.argument = next_;
      sent.fill(pool_[packet.request]);
      out_->push(now, packet, now + kLinkLatency);
      ++next_;
    }
    if (const Picoseconds arrival = in_->next_arrival(now); arrival != kNever)
      next = std::min(next, next_opportunity(arrival));
    return next;
  }

  std::vector<Answer> answers;  // in the order in which they came

 private:
  memory::RequestPool& pool_;
  sim::Queue<memory::Packet>*out_ = nullptr, *in_ = nullptr;
  std::vector<Sent> to_send_;
  std::size_t next_ = 0;
};

inline constexpr std::uint64_t kRootData = CoreRig::kData;
inline constexpr Picoseconds kMicrosecond = 1'000'000;

inline std::vector<std::byte> bytes_of(unsigned count, unsigned value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

class NobodysPort final : public memory::HostPort {
 public:
  void read(const std::byte*, std::byte*, Bytes) override { ADD_FAILURE() << "the program's memory"; }
  void write(std::byte*, const std::byte*, Bytes) override { ADD_FAILURE() << "the program's memory"; }
};

struct RootRig {
  static constexpr std::uint64_t kData = CoreRig::kData;
  static constexpr unsigned kLines = CoreRig::kDataBytes / 64;
  static constexpr Picoseconds kOwnLatency = 60'000;

  // `answers`: that the link has room for.
  explicit RootRig(const std::vector<std::string>& sets = {}, unsigned cores = 1, std::uint64_t seed = 0,
                   std::size_t answers = 1024)
      : cpu(sets, cores, seed),
        own(cpu.engine, "host memory", nullptr, 2, {kOwnLatency, 0, 1}, pool, lent, port),
        root(cpu.engine, nullptr, pool, lent, 1),
        device(cpu.engine, pool),
        from_link(256, &device, &root),
        to_link(answers, &root, &device),
        to_memory(64, &root, &own),
        from_memory(64, &own, &root) {
    root.connect({&from_link, &to_link, &to_memory, &from_memory});
    own.connect(to_memory, from_memory);
    root.connect(cpu.memory, cpu.config(), Device::kLinkLatency);
    device.connect(from_link, to_link);
    programs = lent.lend(reinterpret_cast<std::byte*>(kData), CoreRig::kDataBytes, 0, true);
    code = lent.lend(reinterpret_cast<std::byte*>(CoreRig::kCode), CoreRig::kCodeStep * cores, 0, true);
    drivers = lent.lend(drivers_bytes.data(), drivers_bytes.size(), 0, false);
  }

  // Where the device finds what the program has at an address of its data.
  PhysicalAddress at(std::uint64_t address) const {
    return address < kData ? code + (address - CoreRig::kCode) : programs + (address - kData);
  }

  std::size_t read(Picoseconds time, PhysicalAddress address, unsigned bytes = 8, bool in_turn = false) {
    return device.send(
        time,
        [=](memory::Request& request) {
          request.operation = memory::Operation::Read;
          request.address = address;
          request.bytes = static_cast<std::uint16_t>(bytes);
          request.mask = memory::ByteMask::first(bytes);
        },
        in_turn);
  }
  std::size_t write(Picoseconds time, PhysicalAddress address, std::vector<std::byte> bytes,
                    const memory::ByteMask& mask, bool in_turn = false) {
    return device.send(
        time,
        [=, bytes = std::move(bytes)](memory::Request& request) {
          request.operation = memory::Operation::Write;
          request.address = address;
          request.bytes = static_cast<std::uint16_t>(bytes.size());
          request.mask = mask;
          std::copy(bytes.begin(), bytes.end(), request.data.begin());
        },
        in_turn);
  }
  std::size_t write(Picoseconds time, PhysicalAddress address, std::uint64_t word, bool in_turn = false) {
    std::vector<std::byte> bytes(sizeof word);
    std::memcpy(bytes.data(), &word, sizeof word);
    return write(time, address, std::move(bytes), memory::ByteMask::first(sizeof word), in_turn);
  }
  std::size_t add(Picoseconds time, PhysicalAddress address, std::uint64_t word, bool in_turn = false) {
    return device.send(
        time,
        [=](memory::Request& request) {
          request.operation = memory::Operation::Atomic;
          request.atomic_operation = AtomicOperation::Add;
          request.atomic_type = AtomicType::U64;
          request.address = address;
          request.bytes = sizeof word;
          request.mask = memory::ByteMask::first(sizeof word);
          std::memcpy(request.data.data(), &word, sizeof word);
        },
        in_turn);
  }

  // Until the device has all its answers.
  void finish_device() {
    EXPECT_TRUE(cpu.engine.run_while_not([this] { return device.done(); }, cpu.engine.now() + 20'000'000'000))
        << cpu.engine.waiting_report();
    rest();
  }
  // Until what is still on its way has arrived.
  void rest() { cpu.engine.run_until(cpu.engine.now() + 10'000'000); }

  // Of all components: "directory.fetches".
  std::uint64_t count(const std::string& name) {
    sim::Statistics statistics(cpu.engine);
    return statistic_of(statistics, name);
  }

  CoreRig cpu;
  memory::RequestPool pool;
  memory::PhysicalMemory lent{1_MiB, 4096};
  NobodysPort port;
  memory::SimpleMemory own;
  machine::RootComplex root;
  Device device;
  sim::Queue<memory::Packet> from_link, to_link, to_memory, from_memory;
  std::array<std::byte, 4096> drivers_bytes{};
  PhysicalAddress programs, code, drivers;
};

}  // namespace duet::test
