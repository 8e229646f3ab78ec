#include "advise/commands.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

namespace duet::advise {

namespace {
constexpr std::size_t kReplayed = 20'000;
constexpr std::uint32_t kDefaultStream = 0;  // the legacy default stream
}  // namespace

Commands::Commands(const report::RunReport& report, const config::Machine& machine)
    : channels_(machine.gpu.front_end.hardware_channels), read_ahead_(machine.driver.read_ahead) {
  std::set<std::uint32_t> streams;
  report.for_each_kernel([&](const report::KernelResult& kernel) {
    const double blocks = static_cast<double>(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
    const double fit = static_cast<double>(std::max(1u, kernel.blocks_per_sm) * machine.gpu.sm.count);
    streams.insert(kernel.stream);
    // Without pointers it may touch anything.
    add(kernel, true, kernel.pointers != 0 ? kernel.pointers : ~std::uint64_t{0},
        std::min(1.0, blocks / fit));
  });
  report.for_each_copy([&](const report::CopyRecord& copy) { add(copy, false, 0, 0); });
  streams_ = streams.size();
  std::sort(commands_.begin(), commands_.end(),
            [](const Command& a, const Command& b) { return a.number < b.number; });
  if (commands_.size() > kReplayed) commands_.resize(kReplayed);
  // What a command waited for on its way is no property of its own.
  Picoseconds least[2] = {kNever, kNever};
  for (const Command& one : commands_) least[one.kernel] = std::min(least[one.kernel], one.hand_over_ps);
  for (Command& one : commands_) one.hand_over_ps = least[one.kernel];
}

void Commands::add(const auto& record, bool kernel, std::uint64_t pointers, double room) {
  ++all_;
  if (++taken_[kernel] > kReplayed || record.start_ps < record.prepared_ps || record.end_ps < record.start_ps)
    return;
  commands_.push_back({record.command, record.stream, kernel, pointers, record.queued_ps,
                       record.prepared_ps - record.driver_start_ps, record.start_ps - record.prepared_ps,
                       record.end_ps - record.start_ps, room});
}

// Commands enter the driver one after the other: of the channels' heads the one that is ready first.
struct Commands::Replay {
  const Order& order;
  std::map<std::uint32_t, std::deque<const Command*>> channels;
  std::map<std::uint32_t, Picoseconds> streams;  // the end of the last command
  std::array<Picoseconds, 64> kernels{};         // by pointer: the end of the last one with it
  std::map<std::uint32_t, Picoseconds> copies;   // of each stream: the end of the last copy
  std::multimap<Picoseconds, double> running;    // the end, and the room
  Picoseconds driver_free = 0, end = 0;

  // When the commands that it follows have ended. Stream 0 waits for all, and all wait for it.
  Picoseconds follows(const Command& one) {
    if (!order.own_streams || !one.kernel)
      return one.stream == kDefaultStream ? end : std::max(streams[one.stream], streams[kDefaultStream]);
    Picoseconds result = std::max(copies[one.stream], copies[kDefaultStream]);
    for (std::size_t bit = 0; bit < kernels.size(); ++bit)
      if ((one.pointers >> bit & 1) != 0) result = std::max(result, kernels[bit]);
    return result;
  }
  Picoseconds ready(const Command& one) {
    if (!order.read_ahead) return std::max(one.queued_ps, follows(one));
    Picoseconds result = one.queued_ps;
    for (const auto& [stream, its_end] : streams)
      if (one.stream == kDefaultStream && stream != kDefaultStream) result = std::max(result, its_end);
    return result;
  }
  // When the SMs have room for it.
  Picoseconds with_room(Picoseconds start, double room) {
    running.erase(running.begin(), running.upper_bound(start));
    double taken = room;
    for (const auto& [its_end, its_room] : running) taken += its_room;
    for (const auto& [its_end, its_room] : running) {
      if (taken <= 1) break;
      start = its_end;
      taken -= its_room;
    }
    return start;
  }
  void serve(const Command& one) {
    driver_free = std::max(driver_free, ready(one)) + one.prepare_ps;
    Picoseconds start = std::max(driver_free + one.hand_over_ps, follows(one));
    if (one.kernel) start = with_room(start, one.room);
    const Picoseconds its_end = start + one.run_ps;
    end = std::max(end, its_end);
    streams[one.stream] = std::max(streams[one.stream], its_end);
    if (one.kernel) {
      running.emplace(its_end, one.room);
      for (std::size_t bit = 0; bit < kernels.size(); ++bit)
        if ((one.pointers >> bit & 1) != 0) kernels[bit] = std::max(kernels[bit], its_end);
    } else {
      copies[one.stream] = its_end;
    }
  }
  void all() {
    while (!channels.empty()) {
      auto best = channels.begin();
      for (auto head = channels.begin(); head != channels.end(); ++head) {
        const Picoseconds its = ready(*head->second.front()), least = ready(*best->second.front());
        if (its < least || (its == least && head->second.front()->number < best->second.front()->number))
          best = head;
      }
      const Command* const next = best->second.front();
      best->second.pop_front();
      if (best->second.empty()) channels.erase(best);
      serve(*next);
    }
  }
};

Picoseconds Commands::end_ps(const Order& order) const {
  Replay replay{order, {}, {}, {}, {}, {}};
  for (const Command& one : commands_) {
    const std::uint64_t stream = order.own_streams ? one.number : one.stream;
    const auto channel = static_cast<std::uint32_t>(order.own_queues ? stream : stream % channels_);
    replay.channels[channel].push_back(&one);
  }
  replay.all();
  return replay.end;
}

Picoseconds Commands::saved(const Order& order) const {
  const Picoseconds now = end_ps({.read_ahead = read_ahead_}), then = end_ps(order);
  if (then >= now) return 0;
  const double share =
      static_cast<double>(all_) / static_cast<double>(std::max<std::size_t>(1, commands_.size()));
  return static_cast<Picoseconds>(static_cast<double>(now - then) * std::max(1.0, share));
}

}  // namespace duet::advise
