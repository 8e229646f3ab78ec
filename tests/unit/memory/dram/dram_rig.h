// A DRAM channel with clients for its tests: gtx580's numbers, one channel unless a test says otherwise, and
// components that send what a test gives them and note when answers come. Expected values in the tests come
// from formulas of their own.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/dram/dram_controller.h"
#include "sim/clock_domain.h"

namespace duet::test {

inline config::Gpu gtx580_dram(unsigned channels = 1) {
  config::Gpu gpu;
  gpu.l2_slices = 2 * channels;
  gpu.l2.line_bytes = 128;
  auto& dram = gpu.dram;
  dram.bytes = 64_MiB * channels;
  dram.page_bytes = 4096;
  dram.channels = channels;
  dram.command_clock_khz = 1'002'000;
  dram.burst_cycles = 2;
  dram.burst_bytes = 64;
  dram.banks = 16;
  dram.bank_groups = 4;
  dram.row_bytes = 4096;
  dram.queue_entries = 64;
  dram.controller_cycles = 100;
  dram.scheduler = "fr-fcfs";
  dram.refresh = false;
  dram.interleave_bytes = 256;
  auto& t = dram.timing;
  t.rcd = 12;
  t.rp = 12;
  t.ras = 28;
  t.rc = 40;
  t.rrd = 6;
  t.faw = 23;
  t.cl = 12;
  t.wl = 4;
  t.ccd = 2;
  t.ccd_l = 3;
  t.wtr = 5;
  t.wr = 12;
  t.rtp = 2;
  t.rtw = 12;
  t.rfc = 65;
  t.refi = 1904;
  return gpu;
}

inline config::Gpu with_full_empty(unsigned channels = 1) {
  config::Gpu gpu = gtx580_dram(channels);
  auto& bits = gpu.full_empty;
  bits.granule_bytes = 4;
  bits.queues = 3;
  bits.queue_entries = 8;
  bits.look_ahead = 1;
  bits.bits = "sideband";
  bits.narrow_store = "fill";
  bits.valid_masks = true;
  return gpu;
}

class DramClient : public sim::Component {
 public:
  using Packet = memory::Packet;
  struct Answer {
    Packet packet;
    Picoseconds time;
  };
  DramClient(sim::Engine& engine, const std::string& name)
      : Component(engine, name, nullptr, 1, sim::Role::Memory) {}
  void connect(memory::Channel& requests, sim::Queue<Packet>& responses) {
    requests_ = &requests;
    responses_ = &responses;
  }
  // Sent when there is room, in order.
  void send(const Packet& packet) {
    waiting_.push_back(packet);
    engine().wake(*this, engine().now() + 1);
  }
  Picoseconds tick(Picoseconds now) override {
    while (takes_answers && responses_->can_pop(now)) {
      answers.push_back({responses_->pop(now), now});
      if (on_answer) on_answer(answers.back().packet);
    }
    while (!waiting_.empty() && requests_->can_push(now, waiting_.front().traffic_class)) {
      requests_->push(now, waiting_.front());
      waiting_.pop_front();
    }
    const Picoseconds arrival = responses_->next_arrival(now);
    return !takes_answers || arrival == kNever ? kNever : next_opportunity(arrival);
  }
  bool done() const { return waiting_.empty(); }

  std::vector<Answer> answers;
  std::function<void(const Packet&)> on_answer;
  bool takes_answers = true;

 private:
  memory::Channel* requests_ = nullptr;
  sim::Queue<Packet>* responses_ = nullptr;
  std::deque<Packet> waiting_;
};

struct DramRig {
  explicit DramRig(const config::Gpu& gpu = gtx580_dram(), unsigned clients = 1, std::size_t entries = 64,
                   std::uint64_t seed = 0)
      : config(gpu),
        engine(seed),
        map(gpu.dram),
        physical(gpu.dram.bytes, gpu.dram.page_bytes),
        space(physical),
        unit(engine, "dram 0", nullptr, gpu.dram, 0, map, pool, space, gpu.full_empty),
        clock(gpu.dram.command_clock_khz * 1000) {
    space.allocate_device(gpu.dram.bytes, memory::AllocationKind::Device);
    for (unsigned i = 0; i < clients; ++i) {
      ends.push_back(std::make_unique<End>(engine, "client " + std::to_string(i), entries, unit));
      unit.connect(ends.back()->requests, ends.back()->responses);
    }
    unit.record_commands(&commands);
  }

  memory::RequestHandle send(memory::Operation operation, Address address, unsigned bytes = 128,
                             unsigned client = 0,
                             memory::TrafficClass traffic_class = memory::TrafficClass::NonTriggered) {
    memory::Packet packet;
    packet.request = pool.allocate();
    packet.source = 9;
    packet.destination = 3;
    packet.traffic_class = traffic_class;
    memory::Request& request = pool[packet.request];
    request.operation = operation;
    request.address = PhysicalAddress(address);
    request.bytes = static_cast<std::uint16_t>(bytes);
    request.mask = memory::ByteMask::first(bytes);
    request.traffic_class = traffic_class;
    ends[client]->client.send(packet);
    return packet.request;
  }
  memory::RequestHandle read(Address address, unsigned bytes = 128, unsigned client = 0) {
    return send(memory::Operation::Read, address, bytes, client);
  }
  memory::RequestHandle write(Address address, unsigned bytes = 128, unsigned client = 0) {
    return send(memory::Operation::Write, address, bytes, client);
  }
  // Until everything sleeps.
  void run() {
    engine.run_while_not([] { return false; });
  }
  DramClient& client(unsigned number = 0) { return ends[number]->client; }
  std::vector<memory::RequestHandle> order(unsigned number = 0) {
    std::vector<memory::RequestHandle> result;
    for (const auto& answer : client(number).answers) result.push_back(answer.packet.request);
    return result;
  }
  std::byte* bytes(Address address) { return space.memory().bytes(PhysicalAddress(address)); }
  // An address of the only channel, without hashing: 256 bytes, 2 bits of group, 4 of column, 2 of bank, row.
  static Address at(unsigned bank, unsigned row, unsigned column_bytes = 0) {
    return static_cast<Address>(row) << 16 | static_cast<Address>(bank >> 2) << 14 |
           static_cast<Address>(column_bytes >> 8) << 10 | static_cast<Address>(bank & 3) << 8 |
           (column_bytes & 255);
  }

  struct End {
    End(sim::Engine& engine, const std::string& name, std::size_t entries, sim::Component& unit)
        : client(engine, name), requests(entries, &client, &unit), responses(entries, &unit, &client) {
      client.connect(requests, responses);
    }
    DramClient client;
    memory::Channel requests;
    sim::Queue<memory::Packet> responses;
  };
  const config::Gpu config;
  sim::Engine engine;
  memory::RequestPool pool;
  memory::AddressMap map;
  memory::PhysicalMemory physical;
  memory::AddressSpace space;
  memory::DramController unit;
  sim::ClockDomain clock;
  std::vector<std::unique_ptr<End>> ends;
  std::vector<memory::IssuedCommand> commands;
};

// A generator whose numbers are the same everywhere.
struct Random {
  std::uint64_t state = 1;
  std::uint64_t operator()(std::uint64_t range) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % range;
  }
};

}  // namespace duet::test
