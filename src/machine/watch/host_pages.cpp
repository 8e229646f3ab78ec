#include "machine/watch/host_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace duet::machine {

namespace {

constexpr Bytes kPageBytes = 4_KiB;  // of the processor

void protect(VirtualAddress first, Bytes bytes, int access) { mprotect(pointer_of(first), bytes, access); }

}  // namespace

HostPages::HostPages(driver::Driver& driver, Told told) : driver_(driver), told_(std::move(told)) {
  driver_.on_host_learns([this] {
    if (!closed_.empty()) open_if([this](const Closed& one) { return driver_.known_to_host(one.id); });
  });
}

std::byte* HostPages::allocate(Bytes bytes, Bytes whole, std::byte*& backing) {
  const memory::TwoViews views = memory::map_two_views("pinned", whole);
  if (views.program == nullptr) return nullptr;
  backing = views.simulator;
  ranges_[virtual_address(views.program)] = {views, bytes, whole};
  return views.program;
}

bool HostPages::release(VirtualAddress base) {
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return false;
  const Range range = found->second;
  std::erase_if(closed_, [&](const Closed& one) { return one.first - base < range.whole; });
  ranges_.erase(found);
  memory::unmap(range.views, range.whole);
  return true;
}

HostPages::Ranges::const_iterator HostPages::range_of(VirtualAddress address) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return ranges_.end();
  const auto found = std::prev(after);
  return address - found->first < found->second.whole ? found : ranges_.end();
}

std::byte* HostPages::backing(const std::byte* host) const {
  const VirtualAddress address = virtual_address(host);
  const auto range = range_of(address);
  return range == ranges_.end() ? nullptr : range->second.views.simulator + (address - range->first);
}

// The last page of an allocation has bytes that are nobody's.
void HostPages::written_by(driver::CommandId id, VirtualAddress first, Bytes bytes) {
  const auto range = range_of(first);
  if (range == ranges_.end()) return;
  const VirtualAddress base = range->first;
  const Bytes from = round_up(first - base, kPageBytes), end = first - base + bytes;
  const Bytes to = end >= range->second.bytes ? range->second.whole : end / kPageBytes * kPageBytes;
  if (from >= to) return;
  closed_.push_back({id, base + from, to - from});
  protect(base + from, to - from, PROT_NONE);
}

// Pages of others stay closed.
template <typename F>
void HostPages::open_if(const F& f) {
  const auto opened =
      std::partition(closed_.begin(), closed_.end(), [&](const Closed& one) { return !f(one); });
  if (opened == closed_.end()) return;
  for (auto one = opened; one != closed_.end(); ++one)
    protect(one->first, one->bytes, PROT_READ | PROT_WRITE);
  closed_.erase(opened, closed_.end());
  for (const Closed& one : closed_) protect(one.first, one.bytes, PROT_NONE);
}

// Another thread may have opened it meanwhile.
bool HostPages::touched(VirtualAddress first, Bytes bytes, const Touch& touch) {
  if (closed_.empty()) return range_of(first) != ranges_.end();
  const auto meets = [&](const Closed& one) {
    return first < one.first + one.bytes && one.first < first + bytes;
  };
  const auto writer = std::find_if(closed_.begin(), closed_.end(), meets);
  if (writer == closed_.end()) return range_of(first) != ranges_.end();
  const Closed told = *writer;
  open_if(meets);
  if (!touch.in_call) told_(told.id, std::max(first, told.first), touch);
  return true;
}

void HostPages::open_all() {
  open_if([](const Closed&) { return true; });
}

void HostPages::around_host_function(const std::function<void()>& function) {
  const std::vector<Closed> later = closed_;
  open_all();
  function();
  for (const Closed& one : later) {
    if (range_of(one.first) == ranges_.end() || driver_.known_to_host(one.id)) continue;
    closed_.push_back(one);
    protect(one.first, one.bytes, PROT_NONE);
  }
}

}  // namespace duet::machine
