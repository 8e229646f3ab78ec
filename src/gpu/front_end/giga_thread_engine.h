// The GigaThread engine, TU of level 1 (hu2016 §3.2): fetches push-buffer bytes from host memory across the
// link, decodes one command at a time, creates the context of a task from each push-buffer stream, and hands
// it to the work distributor through its channel's queue. A channel whose queue is full holds up its own
// commands only. Left out: fetching from device memory (streams written by SMs).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/front_end/gpu_port.h"
#include "gpu/front_end/task.h"
#include "memory/packet.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct GigaThreadStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter doorbells{*this, "doorbells", "doorbells", "doorbells that have arrived"};
  sim::Counter fetched_bytes{*this, "fetched_bytes", "bytes", "push-buffer bytes fetched from host memory"};
  sim::Counter commands{*this, "commands", "commands", "push-buffer commands decoded"};
  sim::Counter tasks{*this, "tasks", "tasks", "tasks handed to the work distributor"};
};

class GigaThreadEngine : public sim::Component {
 public:
  GigaThreadEngine(sim::Engine& engine, const sim::Component* parent, const config::Gpu& config,
                   GpuPort& port, TaskPool& tasks, std::uint8_t host_memory_number);

  // Lines that one channel may have fetched and not yet decoded; decides what the host memory must take.
  static constexpr std::size_t kFetchAheadLines = 8;

  void connect_link(sim::Queue<memory::Packet>& to_host, sim::Queue<memory::Packet>& from_host);
  void connect_channel(sim::Queue<TaskReady>& tasks);  // once per hardware channel, in order

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  static constexpr std::size_t kNoChannel = ~std::size_t{0};
  struct Channel {
    sim::Queue<TaskReady>* output = nullptr;
    std::uint64_t put = 0;         // bytes written by the driver, as its doorbells say
    std::uint64_t requested = 0;   // bytes asked for
    std::uint64_t decoded = 0;     // bytes decoded
    std::uint64_t reported = 0;    // get pointer that the driver has been told
    std::vector<std::byte> bytes;  // fetched and not yet decoded, from `head`
    std::size_t head = 0;
    bool in_task = false;
    TaskHandle task = 0;
  };

  std::size_t after(std::size_t channel) const { return channel + 1 == channels_.size() ? 0 : channel + 1; }
  void receive(Picoseconds now);
  bool fetch(Picoseconds now);
  void report_get_pointers(Picoseconds now);
  bool command_complete(const Channel& channel) const;
  bool start_decoding(Picoseconds now);
  void finish_decoding(Picoseconds now);
  void build(Channel& channel, const PushBufferCommand& command);
  [[noreturn]] void refuse(const Channel& channel, const std::string& what) const;

  sim::ClockCursor clock_;
  Cycle decode_cycles_;
  GpuPort& port_;
  memory::RequestPool requests_;
  TaskPool& tasks_;
  std::uint8_t host_memory_number_;
  sim::Queue<memory::Packet>* to_host_ = nullptr;
  sim::Queue<memory::Packet>* from_host_ = nullptr;
  std::vector<Channel> channels_;
  std::size_t fetch_round_robin_ = 0, decode_round_robin_ = 0;
  std::size_t decoding_ = kNoChannel;  // the channel whose command is being decoded
  Picoseconds decode_end_ps_ = 0;
  bool decoded_more_ = false;  // since get pointers were last looked at
  std::uint64_t next_age_ = 1;
  GigaThreadStatistics statistics_{*this, "front_end."};
};

}  // namespace duet::gpu
