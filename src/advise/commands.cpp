#include "advise/commands.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

namespace duet::advise {

namespace {
constexpr std::size_t kReplayed = 20'000, kReplayedAlone = 2'000;
constexpr std::uint32_t kDefaultStream = 0;  // the legacy default stream
constexpr unsigned kNoEngine = 3;            // copies and fills inside device memory
}  // namespace

Commands::Commands(const report::RunReport& report, const config::Machine& machine)
    : channels_(machine.gpu.front_end.hardware_channels), read_ahead_(machine.driver.read_ahead) {
  std::set<std::uint32_t> streams;
  report.for_each_kernel([&](const report::KernelResult& kernel) {
    const double blocks = static_cast<double>(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
    const double fit = static_cast<double>(std::max(1u, kernel.blocks_per_sm) * machine.gpu.sm.count);
    streams.insert(kernel.stream);
    // Without pointers it may touch anything.
    add(kernel, 0, kernel.pointers != 0 ? kernel.pointers : ~std::uint64_t{0}, std::min(1.0, blocks / fit));
  });
  const bool both = machine.gpu.copy_engines.count > 1;
  report.for_each_copy([&](const report::CopyRecord& copy) {
    const bool to_host = copy.kind == report::CopyKind::DeviceToHost;
    const bool of_link = to_host || copy.kind == report::CopyKind::HostToDevice;
    add(copy, !of_link ? kNoEngine : to_host && both ? 2 : 1, 0, 0);
  });
  streams_ = streams.size();
  std::sort(commands_.begin(), commands_.end(),
            [](const Command& a, const Command& b) { return a.number < b.number; });
  if (commands_.size() > kReplayed) commands_.resize(kReplayed);
  // What a command waited for on its way is no property of its own.
  Picoseconds least[2] = {kNever, kNever};
  for (const Command& one : commands_) least[one.kernel] = std::min(least[one.kernel], one.hand_over_ps);
  for (Command& one : commands_) one.hand_over_ps = least[one.kernel];
}

void Commands::add(const auto& record, unsigned engine, std::uint64_t pointers, double room) {
  const bool kernel = engine == 0;
  ++all_;
  if (++taken_[kernel] > kReplayed || record.start_ps < record.prepared_ps || record.end_ps < record.start_ps)
    return;
  commands_.push_back({record.command, record.stream, kernel, engine, pointers, record.queued_ps,
                       record.prepared_ps - record.driver_start_ps, record.start_ps - record.prepared_ps,
                       record.end_ps - record.start_ps, record.end_ps, room});
}

// Commands enter the driver one after the other: of the channels' heads the one that is ready first.
struct Commands::Replay {
  const Order& order;
  std::map<std::uint32_t, std::deque<const Command*>> channels;
  std::map<std::uint32_t, Picoseconds> streams;  // the end of the last command
  std::array<Picoseconds, 64> kernels{};         // by pointer: the end of the last one with it
  std::map<std::uint32_t, Picoseconds> copies;   // of each stream: the end of the last copy
  std::multimap<Picoseconds, double> running;    // the end, and the room
  std::array<Picoseconds, 4> engines{};          // each free from then on
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
    if (one.engine == 1 || one.engine == 2) start = std::max(start, engines[one.engine]);
    const Picoseconds its_end = start + one.run_ps;
    engines[one.engine] = its_end;
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
      Picoseconds least = ready(*best->second.front());
      for (auto head = std::next(best); head != channels.end(); ++head) {
        const Command &one = *head->second.front(), &other = *best->second.front();
        if (order.own_streams && one.queued_ps > least) break;  // and all behind it, by their numbers
        const Picoseconds its = ready(one);
        if (its > least || (its == least && one.number > other.number)) continue;
        best = head;
        least = its;
      }
      const Command* const next = best->second.front();
      best->second.pop_front();
      if (best->second.empty()) channels.erase(best);
      serve(*next);
    }
  }
};

// Of commands in their order.
void Commands::reorder(std::vector<Command>& commands, Issue issue) {
  for (auto begin = commands.begin(); begin != commands.end();) {
    Picoseconds ended = begin->end_ps;
    auto end = begin + 1;
    for (; end != commands.end() && end->queued_ps < ended; ++end) ended = std::max(ended, end->end_ps);
    std::map<std::uint32_t, std::size_t> streams, lengths;  // in the order of their first commands
    std::vector<std::pair<std::size_t, Command>> placed;
    std::vector<Picoseconds> queued;
    for (auto one = begin; one != end; ++one) {
      const std::size_t rank = streams.try_emplace(one->stream, streams.size()).first->second;
      const std::size_t place = lengths[one->stream]++;
      placed.emplace_back(issue == Issue::Pipeline ? place + rank : place, *one);
      queued.push_back(one->queued_ps);
    }
    // In a step of the pipeline the later stream, with its earlier command, comes first.
    std::stable_sort(placed.begin(), placed.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return issue == Issue::Pipeline && streams[a.second.stream] > streams[b.second.stream];
    });
    for (std::size_t i = 0; i < placed.size(); ++i, ++begin) {
      *begin = placed[i].second;
      begin->queued_ps = queued[i];
    }
  }
}

Picoseconds Commands::end_ps(const Order& order, std::size_t count) const {
  Replay replay{order, {}, {}, {}, {}, {}};
  std::vector<Command> commands(commands_.begin(), commands_.begin() + static_cast<std::ptrdiff_t>(count));
  if (order.issue != Issue::AsItIs) reorder(commands, order.issue);
  for (Command& one : commands) {
    one.number = static_cast<std::uint64_t>(&one - commands.data()) + 1;
    const std::uint64_t stream = order.own_streams ? one.number : one.stream;
    replay.channels[static_cast<std::uint32_t>(stream % (order.own_streams ? ~0u : channels_))].push_back(
        &one);
  }
  replay.all();
  return replay.end;
}

Picoseconds Commands::saved(const Order& order) const {
  const std::size_t count = order.own_streams ? std::min(commands_.size(), kReplayedAlone) : commands_.size();
  const Picoseconds now = end_ps({.read_ahead = read_ahead_}, count), then = end_ps(order, count);
  if (then >= now) return 0;
  const double share = static_cast<double>(all_) / static_cast<double>(std::max<std::size_t>(1, count));
  return static_cast<Picoseconds>(static_cast<double>(now - then) * std::max(1.0, share));
}

}  // namespace duet::advise
