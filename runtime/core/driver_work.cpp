#include "core/driver_work.h"

#include <vector>

#include "core/driver_handlers.h"
#include "core/runtime.h"

namespace duet::core {

namespace {

constexpr Bytes kHead = round_up(sizeof(PageTableWork), sizeof(FrameRecord));

// Of an allocation: what it is about, its frames' records, the entries of the process's table, and addresses.
Bytes work_bytes(std::uint64_t pages) {
  return kHead + pages * (sizeof(FrameRecord) + 2 * sizeof(std::uint64_t));
}

process::ProgramSide::Function handler(std::uint64_t number, const void* first, const void* second) {
  return {reinterpret_cast<const void*>(number),
          {number, virtual_address(first).value(), virtual_address(second).value()}};
}

}  // namespace

bool DriverWork::is_code() const {
  return runtime_.config().driver.handlers.on_cores && runtime_.program().side() != nullptr;
}

void DriverWork::take(host::HostThread& host, std::uint64_t ns) const {
  if (ns != 0) host.stage_one({.call_ns = ns});
}

void DriverWork::allocated(VirtualAddress base, Bytes bytes) {
  Range& range = ranges_[base];
  const Bytes page_bytes = runtime_.space().page_bytes();
  range.pages = round_up(bytes, page_bytes) / page_bytes;
  if (is_code()) prepare(range, base);
  fill(*runtime_.program().thread().host, base);
}

// Without room for the arrays its work takes time alone.
void DriverWork::prepare(Range& range, VirtualAddress base) const {
  process::Program& program = runtime_.program();
  const Bytes page_bytes = runtime_.space().page_bytes();
  auto* const work = static_cast<std::byte*>(program.allocate_memory(work_bytes(range.pages)));
  if (work == nullptr) return;
  void* const gpu_entries = program.allocate_memory(range.pages * sizeof(std::uint64_t), true);
  if (gpu_entries == nullptr) return program.release_memory(work, work_bytes(range.pages));
  std::byte* const entries = work + kHead + range.pages * sizeof(FrameRecord);
  std::vector<std::uint64_t> words(range.pages);
  for (std::uint64_t page = 0; page < range.pages; ++page) {
    const std::uint64_t frame = runtime_.process().frame_of(base + page * page_bytes).value() / page_bytes;
    words[page] = (frame << kEntryFrameBit) | kEntryValid;
  }
  const PageTableWork about{reinterpret_cast<const std::uint64_t*>(entries),
                            reinterpret_cast<FrameRecord*>(work + kHead),
                            reinterpret_cast<std::uint64_t*>(entries) + range.pages,
                            static_cast<std::uint64_t*>(gpu_entries), range.pages};
  program.write_memory("a call", work, &about, sizeof about);
  program.write_memory("a call", entries, words.data(), words.size() * sizeof(std::uint64_t));
  range.work = work;
  range.gpu_entries = gpu_entries;
}

void DriverWork::released(VirtualAddress base) {
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return;
  const Range& range = found->second;
  if (range.work != nullptr) {
    runtime_.program().release_memory(range.work, work_bytes(range.pages));
    runtime_.program().release_memory(range.gpu_entries, range.pages * sizeof(std::uint64_t));
  }
  ranges_.erase(found);
}

void DriverWork::fill(host::HostThread& host, VirtualAddress base) {
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return;
  const Range& range = found->second;
  runtime_.driver().filled_pages(range.pages);
  if (range.work == nullptr)
    take(host, range.pages * runtime_.config().driver.handlers.page_ns);
  else
    runtime_.program().side()->call(handler(kFillPageTable, range.work, nullptr));
}

void DriverWork::interrupt(host::HostThread& host) {
  const config::Driver::Handlers& config = runtime_.config().driver.handlers;
  if (!config.on_cores && config.interrupt_ns == 0) return;
  if (runtime_.process().system().functional()) return;
  runtime_.driver().interrupted();
  if (!is_code()) return take(host, config.interrupt_ns);
  process::Program& program = runtime_.program();
  if (ring_ == nullptr) {
    ring_ = program.allocate_memory(sizeof(InterruptRing));
    registers_ = program.allocate_memory(sizeof(std::uint64_t), true);
  }
  if (ring_ == nullptr || registers_ == nullptr) return take(host, config.interrupt_ns);
  // What the GPU writes.
  const std::uint64_t words[] = {++interrupts_, kFenceSource, interrupts_};
  program.write_memory("a call", ring_, words, sizeof words);
  program.side()->call(handler(kServeInterrupt, ring_, registers_));
}

}  // namespace duet::core
