// Fetches that step aside, work outside simulated time, and reports.
#include "memory/cache/cache_steps.h"
#include "memory/cache/pending_requests.h"

namespace duet::memory {

// From now on only the waiting requests see this fetch, all of them reads. They see the bytes as they are now
// and as the fetch brings them.
void Cache::detach(std::uint32_t mshr) {
  MissTable::Register& miss = misses_[mshr];
  const std::uint32_t from = miss.line_index, to = lines_.side_line(mshr);
  lines_[to] = Line{};
  lines_[to].valid = lines_[from].valid;
  copy_masked(lines_.data(to), lines_.data(from), lines_[from].valid);
  miss.line_index = to;
  lines_[from].mshr = kNone;
  lines_.drop_bytes(from, {});
}

void Cache::tell(CacheEvent::Kind kind, PhysicalAddress line, const ByteMask& bytes, const Request* by) {
  CacheEvent event;
  event.kind = kind;
  event.operation = by == nullptr ? Operation::Invalidate : by->operation;
  if (by != nullptr) {
    event.by = user(*by);
    event.pc = by->pc;
    event.warp = by->warp;
    event.begins = by->begins;
    event.cacheability = by->cacheability;
  }
  event.time = engine().now();
  event.line = line;
  event.bytes = bytes;
  for (CacheObserver* observer : observers_) observer->observe(event);
  if (prefetcher_ != nullptr) look_for_wanted();
}

// Drops bytes of a held line, and hides a fetch on its way from later requests.
void Cache::forget(std::uint32_t index, const ByteMask& bytes) {
  if (const std::uint32_t mshr = lines_[index].mshr; mshr != kNone) {
    if (misses_[mshr].ordered == 0) {
      detach(mshr);
    } else {
      misses_.append(misses_[mshr], CacheEntry{}, true);
    }
  }
  drop(index, bytes, nullptr);
}

bool Cache::warm(PhysicalAddress address, const std::byte* data, unsigned bytes,
                 const Cacheability& cacheability) {
  if (data == nullptr || memory_ != nullptr || !rules_.may_hold(cacheability)) return false;
  const PhysicalAddress line = lines_.line_of(address);
  std::uint32_t index = lines_.find(line);
  if (index == kNone) {
    index = lines_.free_way_for(line);
    if (index == kNone) return false;
    lines_.reserve(index, line);
    lines_[index].cacheability = cacheability;
  }
  const auto offset = static_cast<unsigned>(address - line);
  const ByteMask brought = moved_up(ByteMask::first(bytes), offset) & ~lines_[index].valid;
  copy_masked(lines_.data(index) + offset, data, moved_down(brought, offset));
  lines_[index].valid = lines_[index].valid | brought;
  lines_.touch(index);
  return true;
}

bool Cache::idle() const {
  for (const LookupPipeline& pipeline : pipelines_)
    if (pipeline.size() != 0) return false;
  if (pending_ != nullptr && pending_->size() != 0) return false;
  return misses_.in_use() == 0 && transits_.size() == 0 && probes_.empty() && sweep_.idle();
}

std::optional<std::byte> Cache::dirty_byte(PhysicalAddress address) const {
  const unsigned at = static_cast<unsigned>(address % lines_.line_bytes());
  const std::uint32_t index = lines_.find(lines_.line_of(address));
  if (index != kNone && lines_[index].dirty.test(at)) return lines_.data(index)[at];
  std::optional<std::byte> latest;  // of the write-backs under way, oldest first
  transits_.for_each([&](const Transit& transit) {
    if (transit.own == kNoRequest) return;
    const Request& request = pool_[transit.own];
    const Bytes offset = address - request.address;
    if (offset < request.bytes && request.mask.test(static_cast<unsigned>(offset)))
      latest = request.data[offset];
  });
  return latest;
}

void Cache::copy_dirty_bytes(PhysicalAddress address, unsigned bytes, std::byte* to) const {
  transits_.for_each([&](const Transit& transit) {  // oldest first
    if (transit.own == kNoRequest || transit.line != lines_.line_of(address)) return;
    const Request& request = pool_[transit.own];
    for (unsigned at = 0; at < bytes; ++at) {
      const Bytes offset = address + at - request.address;
      if (offset < request.bytes && request.mask.test(static_cast<unsigned>(offset)))
        to[at] = request.data[offset];
    }
  });
  const std::uint32_t index = lines_.find(lines_.line_of(address));
  if (index == kNone) return;
  const auto first = static_cast<unsigned>(address % lines_.line_bytes());
  copy_masked(to, lines_.data(index) + first,
              moved_down(lines_[index].dirty, first) & ByteMask::first(bytes));
}

void Cache::copy_held_bytes(PhysicalAddress address, unsigned bytes, std::byte* to) const {
  copy_dirty_bytes(address, bytes, to);
  const std::uint32_t index = lines_.find(lines_.line_of(address));
  if (index == kNone) return;
  const auto first = static_cast<unsigned>(address % lines_.line_bytes());
  copy_masked(to, lines_.data(index) + first,
              moved_down(lines_[index].valid, first) & ByteMask::first(bytes));
}

const Line* Cache::find(PhysicalAddress address) {
  const std::uint32_t index = lines_.find(lines_.line_of(address));
  return index == kNone ? nullptr : &lines_[index];
}

// "3 fetched lines, 1 store": the requests below without an answer.
std::string Cache::on_their_way_below() const {
  enum What : std::size_t { Loads, Stores, Atomics, Others, WriteBacks, kWhat };
  constexpr const char* kNames[kWhat] = {"load", "store", "atomic", "change of bits or lines", "write-back"};
  std::array<std::size_t, kWhat> counts{};
  transits_.for_each([&](const Transit& transit) {
    const RequestHandle request = transit.entry.packet.request;
    if (transit.own != kNoRequest || request == kNoRequest) {
      ++counts[WriteBacks];
      return;
    }
    const Operation operation = pool_[request].operation;
    ++counts[operation == Operation::Read     ? Loads
             : operation == Operation::Write  ? Stores
             : operation == Operation::Atomic ? Atomics
                                              : Others];
  });
  std::string text;
  const auto add = [&](std::size_t count, const std::string& name) {
    if (count != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name + (count == 1 ? "" : "s");
  };
  add(misses_.in_use(), "fetched line");
  for (std::size_t what = 0; what < kWhat; ++what) add(counts[what], kNames[what]);
  return text;
}

std::string Cache::waits_for() const {
  if (misses_.first_ready() != kNone) return "room for answers above or for packets below";
  if (misses_.in_use() != 0 || transits_.size() != 0) return "answers from below: " + on_their_way_below();
  for (const LookupPipeline& pipeline : pipelines_)
    if (pipeline.size() != 0) return "room for the request at the head of its pipeline";
  return {};
}

}  // namespace duet::memory
