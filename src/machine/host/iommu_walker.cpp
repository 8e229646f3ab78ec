#include "machine/host/iommu_walker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"

namespace duet::machine {

using memory::CoherenceKind;
using memory::CoherenceMessage;

namespace {

constexpr unsigned kRootLevel = 2;  // of Sv39
constexpr unsigned kLevelBits = 9;

}  // namespace

IommuWalker::IommuWalker(sim::Engine& engine, const sim::Component* parent, const config::Translation& config,
                         const memory::PageTable& pages)
    : Component(engine, "IOMMU", parent, 2, sim::Role::DataMovementElement),
      config_(config),
      pages_(pages),
      page_shift_(static_cast<unsigned>(std::countr_zero(pages.page_bytes()))),
      walk_cache_(config.iommu_walk_cache_entries, config.iommu_walk_cache_entries) {}

void IommuWalker::connect(CpuMemory& memory, const config::Cpu& cpu, memory::TranslationUnit& unit) {
  memory_ = &memory;
  agent_ = memory.connect_agent(*this);
  unit_ = unit.connect_walker(*this);
  line_bytes_ = cpu.line_bytes;
  constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
  to_directory_ps_ = cpu.to_directory_cycles * kPicosecondsTimesKilohertz / cpu.clock_khz;
  memory.agent_asks_from([this](Picoseconds now) { return asks_from(now); });
}

Picoseconds IommuWalker::asks_from(Picoseconds now) const {
  if (!walks_.empty() || unit_.walks->can_pop(now)) return now;
  // What is pushed now is there no sooner: the answer is the same before and after it.
  const Picoseconds arrival = unit_.walks->next_arrival(now);
  return (arrival != kNever ? arrival : now + config_.iommu_ns * kPicosecondsPerNanosecond) +
         to_directory_ps_;
}

Picoseconds IommuWalker::tick(Picoseconds now) {
  while (agent_.answers->can_pop(now)) {
    const CoherenceMessage message = agent_.answers->pop(now);
    if (message.kind == CoherenceKind::Grant) {
      granted(now, message);
      continue;
    }
    CoherenceMessage answer = message;  // a line goes back as soon as it has been read
    answer.kind = CoherenceKind::Answer;
    answer.bytes = nullptr;
    answer.dirty = answer.held = false;
    say(now, answer);
  }
  while (!page_requests_.empty() && page_requests_.front().answered <= now) {
    const std::uint64_t frame = page_requests_.front().frame;
    page_requests_.pop_front();
    static_cast<void>(memory_->place_of(walks_.at(frame).page, agent_.number));
    read(now, frame);
  }
  while (unit_.walks->can_pop(now)) begin(now, unit_.walks->pop(now));
  Picoseconds next = kNever;
  for (const Picoseconds arrival : {agent_.answers->next_arrival(now), unit_.walks->next_arrival(now)})
    if (arrival != kNever) next = std::min(next, next_opportunity(arrival));
  if (!page_requests_.empty()) next = std::min(next, page_requests_.front().answered);
  return next;
}

void IommuWalker::begin(Picoseconds now, std::uint64_t frame) {
  Walk& walk = walks_[frame];
  walk.page = program_page(frame);
  const bool near = walk_cache_.find(walk.page >> page_shift_ >> kLevelBits);
  if (near) ++statistics_.walk_cache_hits;
  walk.level = near ? 0 : kRootLevel;
  read(now, frame);
}

// The entry of its level.
void IommuWalker::read(Picoseconds now, std::uint64_t frame) {
  const Walk& walk = walks_.at(frame);
  ++statistics_.reads;
  const PhysicalAddress line = memory_->device_table_entry(walk.page, walk.level).aligned_down(line_bytes_);
  std::vector<std::uint64_t>& waiting = lines_[line.value()];
  waiting.push_back(frame);
  if (waiting.size() != 1) return;
  CoherenceMessage message;
  message.line = line;
  message.kind = CoherenceKind::GetShared;
  say(now, message);
}

void IommuWalker::granted(Picoseconds now, const CoherenceMessage& grant) {
  CoherenceMessage back;
  back.line = grant.line;
  back.kind = CoherenceKind::Put;
  say(now, back);
  const auto place = lines_.find(grant.line.value());
  const std::vector<std::uint64_t> waiting = std::move(place->second);
  lines_.erase(place);
  for (const std::uint64_t frame : waiting) {
    Walk& walk = walks_.at(frame);
    if (walk.level == 0) {
      engine().after_ticks([this, frame] { leaf_read(frame); });  // a core may touch the page now
    } else {
      --walk.level;
      read(now, frame);
    }
  }
}

void IommuWalker::leaf_read(std::uint64_t frame) {
  const Picoseconds now = engine().now();
  const Walk& walk = walks_.at(frame);
  if (config_.iommu_fault_ns == 0 || memory_->has_frame(walk.page)) return end(now, frame);
  ++statistics_.page_requests;
  last_answer_ = std::max(now + config_.iommu_fault_ns * kPicosecondsPerNanosecond,
                          last_answer_ + config_.iommu_fault_page_ns * kPicosecondsPerNanosecond);
  page_requests_.push_back({last_answer_, frame});
  engine().wake_after(*this, page_requests_.front().answered - 1);
}

void IommuWalker::end(Picoseconds now, std::uint64_t frame) {
  const auto walk = walks_.find(frame);
  walk_cache_.insert(walk->second.page >> page_shift_ >> kLevelBits);
  walks_.erase(walk);
  unit_.walked->push(now, frame);
}

void IommuWalker::say(Picoseconds now, const CoherenceMessage& message) {
  CoherenceMessage own = message;
  own.cache = agent_.number;
  agent_.requests->push(now, own, now + to_directory_ps_);
}

VirtualAddress IommuWalker::program_page(std::uint64_t frame) {
  const PhysicalAddress first(frame << page_shift_), last = first + (pages_.page_bytes() - 1);
  for (const bool again : {false, true}) {
    if (again || indexed_generation_ != pages_.generation()) index_pages();
    // The last run that begins in the page or before it.
    const auto after = by_frame_.upper_bound(last);
    if (after == by_frame_.begin()) continue;
    const memory::PageRun& run = std::prev(after)->second;
    if (run.physical + run.bytes > first)
      return (run.first + (std::max(first, run.physical) - run.physical)).aligned_down(pages_.page_bytes());
  }
  throw Error(
      fmt::format("{} is asked for frame {:#x}, of which the GPU has no page", name(), first.value()));
}

void IommuWalker::index_pages() {
  by_frame_.clear();
  indexed_generation_ = pages_.generation();
  pages_.for_each_run([this](const memory::PageRun& run) {
    if (run.attributes.translation == memory::Translation::Iommu) by_frame_[run.physical] = run;
  });
}

std::string IommuWalker::waits_for() const {
  if (!page_requests_.empty()) return fmt::format("answers to {} page requests", page_requests_.size());
  return lines_.empty() ? std::string() : fmt::format("the directory, for {} lines", lines_.size());
}

}  // namespace duet::machine
