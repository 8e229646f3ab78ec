// A machine for component tests: gtx580's numbers, the board of front end, link, memories and driver, and SMs
// that only take time (MockSm). Expected values in the tests come from formulas of their own.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "host/native_thread.h"
#include "machine/build/board.h"
#include "sim/clock_domain.h"
#include "sim/event_sink.h"

namespace duet::test {

inline config::Machine gtx580() {
  config::Machine machine;
  machine.gpu.l2.line_bytes = 128;
  machine.name = "gtx580";
  auto& gpu = machine.gpu;
  gpu.core_clock_khz = 772'000;
  gpu.sm.count = 16;
  gpu.sm.warp_width = 32;
  gpu.sm.max_warps = 48;
  gpu.sm.max_blocks = 8;
  gpu.sm.max_threads = 1536;
  gpu.sm.max_threads_per_block = 1024;
  gpu.sm.registers = 32768;
  gpu.sm.shared_bytes = 48_KiB;
  gpu.front_end.hardware_channels = 1;
  gpu.front_end.push_buffer_bytes = 4096;
  gpu.front_end.queue_width = 16;
  gpu.front_end.queue_depth = 4;
  gpu.front_end.reference_counters = 16;
  gpu.front_end.decode_cycles_per_command = 4;
  gpu.front_end.dispatch_cycles_per_block = 2;
  gpu.copy_engines.count = 2;
  gpu.copy_engines.outstanding_packets = 64;
  gpu.copy_engines.bit_engines = 1;
  gpu.copy_engines.bit_lines_outstanding = 64;
  gpu.dram.bytes = 256_MiB;
  gpu.dram.page_bytes = 4096;
  gpu.dram.channels = 1;  // together 192.4 GB/s
  gpu.dram.command_clock_khz = 100'000;
  gpu.dram.burst_cycles = 1;
  gpu.dram.burst_bytes = 1924;
  gpu.functional.dram_latency_ps = 100'000;
  machine.link.payload_mb_per_s_to_gpu = 6800;
  machine.link.payload_mb_per_s_to_host = 6800;
  machine.link.packet_payload_bytes = 128;
  machine.link.latency_ns = 120;
  machine.link.queue_packets = 64;
  auto& driver = machine.driver;
  driver.memcpy_sync = {1200, 4800, 1000};
  driver.memcpy_async = {1200, 6000, 0};
  driver.memset = {1200, 6000, 0};
  driver.launch = {1500, 3000, 0};
  driver.stream_synchronize = {1000, 0, 1000};
  driver.device_synchronize = {1000, 0, 1000};
  driver.event_synchronize = {1000, 0, 1000};
  driver.event_record = {500, 500, 0};
  driver.stream_wait_event = {500, 500, 0};
  driver.host_function = {500, 500, 0};
  driver.queue_commands = 1024;
  machine.host.dram_latency_ns = 60;
  return machine;
}

// A block of 32 threads is a warp, one block needs nothing but its warps and the kernel's registers.
inline gpu::Occupancy test_occupancy(const config::Sm& sm, const ptx::Kernel& kernel, std::uint64_t threads,
                                     Bytes shared) {
  gpu::Occupancy result;
  result.warps_per_block = static_cast<unsigned>((threads + 31) / 32);
  result.registers_per_block = static_cast<unsigned>(kernel.registers * threads);
  result.shared_per_block = shared;
  std::uint64_t fit = std::min(sm.max_blocks, sm.max_warps / result.warps_per_block);
  if (result.registers_per_block != 0) fit = std::min(fit, sm.registers / result.registers_per_block);
  if (shared != 0) fit = std::min(fit, sm.shared_bytes / shared);
  result.blocks_per_sm = static_cast<unsigned>(fit);
  return result;
}

// Keeps every block for the time that `duration` says and logs when it came and went.
class MockSm : public sim::Component {
 public:
  struct Log {
    const gpu::Grid* grid;
    std::uint64_t block;
    std::uint32_t sm;
    Picoseconds begin, end;
  };
  MockSm(sim::Engine& engine, const sim::Component* parent, std::uint32_t number)
      : Component(engine, "mock SM " + std::to_string(number), parent, 1, sim::Role::ProcessingElement),
        number_(number) {}
  void connect(sim::Queue<gpu::BlockLaunch>& launches, sim::Queue<gpu::BlockDone>& done) {
    launches_ = &launches;
    done_ = &done;
  }
  Picoseconds tick(Picoseconds now) override {
    while (launches_->can_pop(now)) {
      const gpu::BlockLaunch launch = launches_->pop(now);
      running_.emplace(now + duration(*launch.grid, launch.block), launch);
      begin_[{launch.grid, launch.block}] = now;
      most_resident = std::max(most_resident, running_.size());
    }
    while (!running_.empty() && running_.begin()->first <= now && done_->can_push(now)) {
      const gpu::BlockLaunch launch = running_.begin()->second;
      running_.erase(running_.begin());
      const bool fault = at_end && at_end(*launch.grid, launch.block);
      if (fault) launch.grid->fault = {gpu::FaultKind::IllegalAddress, "mock fault"};
      log.push_back({launch.grid, launch.block, number_, begin_[{launch.grid, launch.block}], now});
      done_->push(now, {launch.grid, launch.block, number_, fault});
    }
    return running_.empty() || running_.begin()->first <= now ? kNever : running_.begin()->first;
  }

  std::function<Picoseconds(const gpu::Grid&, std::uint64_t)> duration = [](const gpu::Grid&, std::uint64_t) {
    return Picoseconds{1'000'000};
  };
  std::function<bool(gpu::Grid&, std::uint64_t)> at_end;  // true: the block faults
  std::vector<Log> log;
  std::size_t most_resident = 0;

 private:
  std::uint32_t number_;
  sim::Queue<gpu::BlockLaunch>* launches_ = nullptr;
  sim::Queue<gpu::BlockDone>* done_ = nullptr;
  std::multimap<Picoseconds, gpu::BlockLaunch> running_;
  std::map<std::pair<const gpu::Grid*, std::uint64_t>, Picoseconds> begin_;
};

// Keeps what it is told.
class EventLog : public sim::EventSink {
 public:
  struct Entry : sim::Event {
    std::string text;  // of the name
  };
  void take(const sim::Event& event) override {
    Entry& entry = entries.emplace_back();
    static_cast<sim::Event&>(entry) = event;
    entry.text = event.name;
  }
  std::vector<Entry> entries;
};

class PlainHost : public memory::HostPort {
 public:
  void read(const std::byte* host, std::byte* to, Bytes bytes) override { std::memcpy(to, host, bytes); }
  void write(std::byte* host, const std::byte* from, Bytes bytes) override { std::memcpy(host, from, bytes); }
};

struct Rig : driver::CommandWatcher {
  explicit Rig(const config::Machine& machine = gtx580(), std::uint64_t seed = 0, bool two_threads = false)
      : config(machine),
        engine(seed, two_threads),
        physical(config.gpu.dram.bytes, config.gpu.dram.page_bytes),
        memory(physical),
        board(engine, config, memory, host, test_occupancy, {}),
        thread(engine, board.driver(), config.driver) {
    kernel.name = "k";
    driver().create_stream({driver::StreamOrder::Barrier, 0, "the default stream"});
    for (std::uint32_t i = 0; i < config.gpu.sm.count; ++i) {
      auto& sm = *sms.emplace_back(std::make_unique<MockSm>(engine, &board.gpu(), i));
      const auto queues = board.connect_sm(sm);
      sm.connect(queues.launches, queues.done);
    }
    board.driver().watch(*this);
  }

  void completed(const driver::CommandRecord& record) override {
    records[record.id] = record;
    if (also_on_complete) also_on_complete(record);
  }

  driver::Driver& driver() { return board.driver(); }
  VirtualAddress device(Bytes bytes) {
    return memory.allocate_device(bytes, memory::AllocationKind::Device)->base;
  }
  std::byte* bytes_of(VirtualAddress address) { return memory.bytes(address); }

  driver::Command copy_in(VirtualAddress to, const void* from, Bytes bytes, driver::StreamId stream = 0) {
    driver::Command command;
    command.kind = driver::CommandKind::Copy;
    command.cost = &config.driver.memcpy_async;
    command.stream = stream;
    command.copy.to.address = to;
    command.copy.from = {true, virtual_address(from), 0, 0};
    command.copy.width_bytes = bytes;
    return command;
  }
  driver::Command copy_out(void* to, VirtualAddress from, Bytes bytes, driver::StreamId stream = 0) {
    driver::Command command = copy_in(VirtualAddress(), nullptr, bytes, stream);
    command.copy.to = {true, virtual_address(to), 0, 0};
    command.copy.from = {false, from, 0, 0};
    return command;
  }
  driver::Command launch(std::uint32_t blocks, driver::StreamId stream = 0, std::uint32_t threads = 32) {
    driver::Command command;
    command.kind = driver::CommandKind::Launch;
    command.cost = &config.driver.launch;
    command.stream = stream;
    command.grid = std::make_unique<gpu::Grid>();
    command.grid->kernel = &kernel;
    command.grid->grid = {blocks, 1, 1};
    command.grid->block = {threads, 1, 1};
    return command;
  }
  driver::Command event(driver::CommandKind kind, driver::EventId event, driver::StreamId stream) {
    driver::Command command;
    command.kind = kind;
    command.cost = kind == driver::CommandKind::EventRecord ? &config.driver.event_record
                                                            : &config.driver.stream_wait_event;
    command.stream = stream;
    command.event = event;
    return command;
  }
  driver::CommandId submit(driver::Command command) { return thread.submit(std::move(command)); }
  void finish() {
    thread.stage_one(config.driver.device_synchronize);
    thread.wait(config.driver.device_synchronize, [this] { return driver().all_idle(); });
  }

  // Whether there was a moment at which each of the commands had begun and none had ended.
  bool all_ran_at_once(const std::vector<driver::CommandId>& commands) const {
    Picoseconds last_start = 0, first_end = kNever;
    for (const auto id : commands) {
      last_start = std::max(last_start, records.at(id).start_ps);
      first_end = std::min(first_end, records.at(id).end_ps);
    }
    return last_start < first_end;
  }

  const config::Machine config;
  sim::Engine engine;
  memory::PhysicalMemory physical;
  memory::AddressSpace memory;
  PlainHost host;
  machine::Board board;
  host::NativeThread thread;
  ptx::Kernel kernel;
  std::vector<std::unique_ptr<MockSm>> sms;
  std::map<driver::CommandId, driver::CommandRecord> records;
  std::function<void(const driver::CommandRecord&)> also_on_complete;
};

inline std::vector<std::byte> pattern_bytes(std::size_t bytes, unsigned seed = 1) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 131 + seed * 17 + (i >> 8)) & 255);
  return data;
}

}  // namespace duet::test
