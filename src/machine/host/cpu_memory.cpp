#include "machine/host/cpu_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"

namespace duet::machine {

namespace {

constexpr std::size_t kBelow = 64;       // requests between directory, L3 and DRAM
constexpr std::size_t kMessages = 1024;  // more than a core ever has on its way, unless it gives up all lines

// Frames of host DRAM are reached where they lie.
class NoPort final : public memory::HostPort {
 public:
  void read(const std::byte*, std::byte*, Bytes) override {}
  void write(std::byte*, const std::byte*, Bytes) override {}
};

memory::HostPort& no_port() {
  static NoPort port;
  return port;
}

config::Cache l3_of(const config::Cpu& cpu) {
  config::Cache cache = cpu.l3;
  cache.line_bytes = cache.sector_bytes = cpu.line_bytes;
  cache.mshr_targets = 8;
  cache.queue_entries = kBelow;
  cache.write_back = cache.write_allocate = true;
  cache.atomic_words_per_cycle = 1;
  cache.attribute = config::PageAttribute::Cpu;
  return cache;
}

// cpu::Core::drop_lines.
std::size_t lines_of_a_core(const config::Cpu& cpu) {
  std::size_t lines = 0;
  for (const config::Cpu::Cache* const cache : {&cpu.instruction_cache, &cpu.l1, &cpu.l2})
    lines += cache->sets * cache->ways;
  return lines;
}

}  // namespace

CpuMemory::CpuMemory(sim::Engine& engine, const config::Cpu& cpu, const config::Host& dram,
                     const SharedMemory* shared)
    : engine_(engine),
      line_bytes_(cpu.line_bytes),
      requests_of_agent_(kMessages + (shared != nullptr ? lines_of_a_core(cpu) : 0)),
      shared_(shared == nullptr ? std::nullopt : std::optional(*shared)),
      physical_(shared != nullptr
                    ? shared->space.memory()
                    : own_physical_.emplace(rv64::kPageBytes, rv64::kPageBytes, dram.dram_bytes)),
      pool_(shared != nullptr ? &shared->requests : nullptr),
      node_(engine, "processor", nullptr, 2),
      directory_(engine, &node_, cpu.clock_khz * 1000, cpu.line_bytes, cpu.from_directory_cycles, pool_) {
  directory_.look_below_by([this](PhysicalAddress line, std::byte* bytes) {
    peek_below(line, static_cast<unsigned>(line_bytes_), bytes);
  });
  if (shares_level())
    connect_level();
  else if (shared_)
    connect_fabric(cpu);
  else
    connect_own(cpu, dram);
}

void CpuMemory::connect_own(const config::Cpu& cpu, const config::Host& dram) {
  dram_.emplace(engine_, "host memory", &node_, 2,
                memory::SimpleMemoryConfig{dram.dram_latency_ns * kPicosecondsPerNanosecond,
                                           dram.dram_bandwidth_mb_per_s, 0, "host_memory"},
                pool_, physical_, no_port());
  if (cpu.l3.sets == 0) {
    requests_.emplace(kBelow, &directory_, &*dram_);
    answers_.emplace(kBelow, &*dram_, &directory_);
    dram_->connect(requests_->of(memory::TrafficClass::NonTriggered), *answers_);
  } else {
    build_l3(cpu);
    requests_of_l3_.emplace(kBelow, &*l3_, &*dram_);
    answers_to_l3_.emplace(kBelow, &*dram_, &*l3_);
    l3_->connect_below(*requests_of_l3_, *answers_to_l3_, 0, nullptr);
    dram_->connect(requests_of_l3_->of(memory::TrafficClass::NonTriggered), *answers_to_l3_);
  }
  dram_->tick_on_thread_of(directory_);
  // What is written back was there for all to see before.
  dram_->tell_before_writes([this](const memory::Request& request) {
    if (request.kind != memory::RequestKind::WriteBack)
      others_write(request.address, request.bytes, physical_.bytes(request.address));
  });
  directory_.connect_below(requests_->of(memory::TrafficClass::NonTriggered), *answers_);
}

void CpuMemory::build_l3(const config::Cpu& cpu) {
  l3_.emplace(engine_, "L3", "l3", &node_, 2, l3_of(cpu), cpu.clock_khz * 1000, pool_);
  requests_.emplace(kBelow, &directory_, &*l3_);
  answers_.emplace(kBelow, &*l3_, &directory_);
  l3_->connect_above(*requests_, *answers_);
  l3_->tick_on_thread_of(directory_);
}

void CpuMemory::connect_fabric(const config::Cpu& cpu) {
  MemoryFabric& fabric = *shared_->fabric;
  if (cpu.l3.sets == 0) {
    const CacheLevel::Client way = fabric.connect_client(directory_);
    directory_.connect_below(way.requests->of(memory::TrafficClass::NonTriggered), *way.responses, way.number,
                             &fabric.destinations());
  } else {
    build_l3(cpu);
    const CacheLevel::Client way = fabric.connect_client(*l3_);
    l3_->connect_below(*way.requests, *way.responses, way.number, &fabric.destinations());
    directory_.connect_below(requests_->of(memory::TrafficClass::NonTriggered), *answers_);
  }
  tell_changes_below();
  directory_.note_writes();
  // What cores write back was there for all to see before, but not what they write past their caches.
  const auto written = [this](const memory::Request& request) {
    if (request.agent != memory::Agent::Host || request.kind != memory::RequestKind::WriteBack)
      others_write(request.address, request.bytes, physical_.bytes(request.address));
  };
  for (memory::DramController& controller : shared_->controllers) {
    controller.tell_before_writes(written);
    controller.tick_on_thread_of(directory_);
  }
}

void CpuMemory::connect_level() {
  CacheLevel& level = *shared_->level;
  if (line_bytes_ > level.line_bytes())
    throw Error(fmt::format("{}: line_bytes = {} is less than cpu.line_bytes = {}", level.name(),
                            level.line_bytes(), line_bytes_));
  const CacheLevel::Client client = level.connect_client(directory_);
  directory_.connect_below(client.requests->of(memory::TrafficClass::NonTriggered), *client.responses,
                           client.number, &level.destinations());
  tell_changes_below();
  use_.emplace(directory_, level.statistics_prefix());
  for (memory::Cache& slice : level.caches()) {
    slice.connect_observer(*this);
    slice.connect_observer(*use_);
    slice.tick_on_thread_of(directory_);
  }
  for (memory::DramController& controller : shared_->controllers) controller.tick_on_thread_of(directory_);
}

// What a look at a line finds does not depend on who is ticked first: others write there too.
void CpuMemory::tell_changes_below() {
  directory_.tell_changes([this](PhysicalAddress line, const std::byte* before, const std::byte* after) {
    if (std::memcmp(before, after, line_bytes_) != 0)
      others_write(line, static_cast<unsigned>(line_bytes_), before);
  });
}

// A write of somebody into a line that nobody of the domain holds.
void CpuMemory::observe(const memory::CacheEvent& event) {
  if (event.kind != memory::CacheEvent::Kind::Store || event.by.agent == memory::Agent::Host) return;
  std::array<std::byte, memory::kLineBytes> old;
  const auto bytes = static_cast<unsigned>(shared_->level->line_bytes());
  peek_below(event.line, bytes, old.data());
  others_write(event.line, bytes, old.data());
  if (remembers_gpu_writes_) remember_gpu_write(event.line);
}

void CpuMemory::remember_gpu_write(PhysicalAddress line) {
  GpuWrites& writes = gpu_writes_[line.value()];
  if (writes.last == engine_.now()) return;
  writes.before = writes.last;
  writes.last = engine_.now();
}

CpuMemory::Held CpuMemory::state_of_held(VirtualAddress address, const std::byte* bytes,
                                         const HeldLine& held) {
  if (!remembers_gpu_writes_ || address < memory::kDeviceVirtualBase) return Held::Coherent;
  const auto known = gpu_writes_.find(held.line.aligned_down(shared_->level->line_bytes()).value());
  if (known == gpu_writes_.end()) return Held::Fresh;
  const GpuWrites& writes = known->second;
  if ((writes.last < engine_.now() ? writes.last : writes.before) <= held.brought) return Held::Fresh;
  std::array<std::byte, memory::kLineBytes> below;
  const auto count = static_cast<unsigned>(line_bytes_);
  peek_below(held.line, count, below.data());
  undo_writes_of_now(held.line, count, below.data(), held.core);
  return std::memcmp(below.data(), bytes, count) == 0 ? Held::Stale : Held::Wrong;
}

void CpuMemory::connect(cpu::Core& core) {
  const Agent agent = connect_agent(core);
  core.connect(*agent.requests, *agent.answers, pool_);
  if (shares_dram()) core.tell_writes();
  cores_.push_back(&core);
}

CpuMemory::Agent CpuMemory::connect_agent(sim::Component& agent) {
  auto& requests = messages_.emplace_back(requests_of_agent_, &agent, &directory_);
  auto& answers = messages_.emplace_back(kMessages, &directory_, &agent);
  directory_.connect_cache(requests, answers);
  agent.tick_on_thread_of(directory_);  // agents look at bytes that are there, and L3, and DRAM
  frames_.emplace_back();
  fill_frames();
  return {&requests, &answers, agents_++};
}

std::optional<CpuMemory::CommandPort> CpuMemory::connect_commander(sim::Component& commander) {
  if (!l3_) return std::nullopt;
  constexpr std::size_t kCommands = 4;  // that it has not taken yet
  commands_to_l3_.emplace(kCommands, &commander, &*l3_);
  commands_done_.emplace(kCommands, &*l3_, &commander);
  l3_->connect_commands(*commands_to_l3_, &*commands_done_);
  return CommandPort{&*commands_to_l3_, &*commands_done_};
}

CpuMemory::DevicePort CpuMemory::connect_device(sim::Component& device) {
  to_device_.emplace(kBelow, &directory_, &device);
  from_device_.emplace(kBelow, &device, &directory_);
  directory_.connect_device(*to_device_, *from_device_);
  return {&*to_device_, &*from_device_};
}

std::vector<PhysicalAddress> CpuMemory::held_lines() const {
  std::vector<PhysicalAddress> lines;
  directory_.for_each_line([&](PhysicalAddress line) { lines.push_back(line); });
  std::sort(lines.begin(), lines.end());
  return lines;
}

Picoseconds CpuMemory::others_ask_from(Picoseconds now) {
  Picoseconds first = kNever;
  for (const AsksFrom& agent : agents_ask_from_) first = std::min(first, agent(now));
  return first;
}

rv64::Page CpuMemory::page_of(VirtualAddress address, rv64::Access access, unsigned core) {
  const unsigned before = std::exchange(touches_, core);
  const bool in_programs = core < sees_programs_.size() && sees_programs_[core];
  const rv64::Page page = in_programs ? programs_.find_page(address, access) : find_page(address, access);
  touches_ = before;
  return page;
}

std::byte* CpuMemory::take_frame() {
  const bool outside = touches_ == kNobody;
  std::deque<std::byte*>& frames = outside ? frames_of_nobody_ : frames_[touches_];
  if (frames.empty()) {
    if (outside && to_fill_) fill_frames();  // a system call of now: who was ticked first does not matter
    fill(frames);
  }
  std::byte* const frame = frames.front();
  frames.pop_front();
  if (!outside && frames.size() < kFewFrames && !std::exchange(to_fill_, true))
    engine_.after_ticks([this] {
      if (to_fill_) fill_frames();
    });
  return frame;
}

void CpuMemory::fill_frames() {
  to_fill_ = false;
  for (std::deque<std::byte*>& frames : frames_)
    if (frames.size() < kFewFrames) fill(frames);
}

void CpuMemory::fill(std::deque<std::byte*>& frames) {
  for (std::size_t i = 0; i < kFrames; ++i) frames.push_back(new_frame());
}

PhysicalAddress CpuMemory::place_of(VirtualAddress address, unsigned agent, rv64::MemoryType* type) {
  const rv64::Page page = page_of(address, rv64::Access::Load, agent);
  if (page.bytes == nullptr)
    throw Error(
        fmt::format("a copy, or the GPU, accesses {:#x}, where the program has no memory", address.value()));
  if (type != nullptr) *type = page.type;
  return physical_of(page.bytes) + address % rv64::kPageBytes;
}

void CpuMemory::others_write(PhysicalAddress address, unsigned bytes, const std::byte* old) {
  remember(address, bytes, old, kNobody);
}

void CpuMemory::let_cores_write() {
  cores_write_ = true;
  written_lines_.resize(cores_.size());
  directory_.keep_masks();
}

std::vector<PhysicalAddress> CpuMemory::take_written_lines(unsigned core) {
  std::vector<PhysicalAddress> lines;
  for (const std::uint64_t line : std::exchange(written_lines_[core], {})) lines.emplace_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<PhysicalAddress> CpuMemory::device_lines() const {
  std::vector<PhysicalAddress> lines = held_lines();
  std::erase_if(
      lines, [this](PhysicalAddress line) { return !physical_.map().is_at(memory::Home::DeviceDram, line); });
  return lines;
}

void CpuMemory::about_to_write(PhysicalAddress address, unsigned bytes, const std::byte* old, unsigned core) {
  if (cores_write_ || shares_dram()) directory_.wrote(address, bytes);
  if (cores_write_ && core < written_lines_.size() &&
      physical_.map().is_at(memory::Home::DeviceDram, address))
    written_lines_[core].insert(address.aligned_down(line_bytes_).value());
  remember(address, bytes, old, core);
}

void CpuMemory::remember(PhysicalAddress address, unsigned bytes, const std::byte* old, unsigned writer) {
  if (overwritten_at_ != engine_.now()) {
    overwritten_at_ = engine_.now();
    overwritten_.clear();
  }
  Overwritten& made = overwritten_.emplace_back(address, bytes, writer);
  std::memcpy(made.old.data(), old, bytes);
}

void CpuMemory::peek(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned core) {
  peek_newest(address, bytes, to);
  undo_writes_of_now(address, bytes, to, core);
}

void CpuMemory::undo_writes_of_now(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned but_of) {
  if (overwritten_at_ != engine_.now()) return;
  for (auto write = overwritten_.rbegin(); write != overwritten_.rend(); ++write) {
    if (write->core == but_of) continue;
    const PhysicalAddress first = std::max(address, write->address);
    const PhysicalAddress end = std::min(address + bytes, write->address + write->bytes);
    if (first < end)
      std::memcpy(to + (first - address), write->old.data() + (first - write->address), end - first);
  }
}

void CpuMemory::peek_newest(PhysicalAddress address, unsigned bytes, std::byte* to) {
  if (const std::byte* const held = directory_.held(address.aligned_down(line_bytes_))) {
    std::memcpy(to, held + address % line_bytes_, bytes);
    return;
  }
  peek_below(address, bytes, to);
}

void CpuMemory::peek_below(PhysicalAddress address, unsigned bytes, std::byte* to) {
  std::memcpy(to, physical_.bytes(address), bytes);
  if (shares_level()) shared_->level->copy_dirty_bytes(address, bytes, to);
  if (l3_ && shared_)
    l3_->copy_held_bytes(address, bytes, to);  // memory may have newer ones
  else if (l3_)
    l3_->copy_dirty_bytes(address, bytes, to);
}

void CpuMemory::show_programs(unsigned core, bool on) {
  sees_programs_.resize(cores_.size());
  sees_programs_[core] = on;
}

PhysicalAddress CpuMemory::place_in_programs(VirtualAddress address) {
  const rv64::Page page = programs_.find_page(address, rv64::Access::Load);
  if (page.bytes == nullptr)
    throw Error(fmt::format("{:#x}: no pre-execution program has memory there", address.value()));
  return physical_of(page.bytes) + address % rv64::kPageBytes;
}

rv64::Page CpuMemory::Programs::find_page(VirtualAddress address, rv64::Access access) {
  if (!owner_.shares_level()) return PagedMemory::find_page(address, access);
  memory::AddressSpace& space = owner_.shared_->space;
  const bool cores_write = owner_.cores_write_;
  if (address < memory::kDeviceVirtualBase && !(cores_write && space.in_device_region(address)))
    return PagedMemory::find_page(address, access);
  memory::PageRun run = space.pages().find(address);
  if (run.bytes == 0 && cores_write) run = space.spare_page(address);
  if (run.bytes == 0) return {};
  const PhysicalAddress frame = run[address.aligned_down(rv64::kPageBytes)];
  // Host memory that kernels reach does not lie below the shared level.
  if (!owner_.physical_.map().is_at(memory::Home::DeviceDram, frame)) return {};
  const bool writes = cores_write && address < memory::kConstantVirtualBase;
  return {owner_.physical_.bytes(frame), {true, writes, false}};
}

void CpuMemory::Programs::settle(VirtualAddress first, Bytes bytes) {
  owner_.settle_place(owner_.place_in_programs(first), bytes);
}

// Code that cores have decoded is known by its address.
void CpuMemory::Programs::written(VirtualAddress first, Bytes bytes) {
  owner_.place_written(owner_.place_in_programs(first), bytes);
  owner_.bytes_changed(first, bytes);
}

PhysicalAddress CpuMemory::physical_of(const std::byte* page) {
  if (shared_)
    if (const auto device = physical_.device_address_of(page)) return *device;
  const auto& [chunk, physical] = *--chunks_.upper_bound(page);
  return physical + static_cast<Bytes>(page - chunk);
}

PhysicalAddress CpuMemory::table(VirtualAddress address, unsigned level) {
  const std::uint64_t number = address >> (21 + 9 * level);
  const auto [place, is_new] = tables_.try_emplace({level, number / kTables});
  if (is_new) {
    void* const bytes = std::calloc(kTables, rv64::kPageBytes);
    if (bytes == nullptr) throw std::bad_alloc();
    table_bytes_.emplace_back(static_cast<std::byte*>(bytes), &std::free);
    place->second = physical_.lend(table_bytes_.back().get(), kTables * rv64::kPageBytes);
  }
  return place->second + number % kTables * rv64::kPageBytes;
}

PhysicalAddress CpuMemory::page_table_entry(VirtualAddress address, unsigned level, unsigned core) {
  return write_entry(address, level, level == 0 ? page_of(address, rv64::Access::Load, core) : rv64::Page());
}

PhysicalAddress CpuMemory::device_table_entry(VirtualAddress address, unsigned level) {
  const bool there = level == 0 && has_frame(address);
  return write_entry(address, level, there ? find_page(address, rv64::Access::Load) : rv64::Page());
}

// What stands there: the frame that comes next, valid; of the last level the page's, with its rights.
PhysicalAddress CpuMemory::write_entry(VirtualAddress address, unsigned level, const rv64::Page& page) {
  constexpr std::uint64_t kValid = 1, kRead = 2, kWrite = 4, kExecute = 8, kUser = 16;
  constexpr unsigned kFrameShift = 10;
  std::uint64_t value = 0;
  if (level != 0) {
    value = (table(address, level - 1) >> rv64::kPageShift) << kFrameShift | kValid;
  } else if (page.bytes != nullptr) {
    value = (physical_of(page.bytes) >> rv64::kPageShift) << kFrameShift | kValid | kUser |
            (page.rights.read ? kRead : 0) | (page.rights.write ? kWrite : 0) |
            (page.rights.execute ? kExecute : 0);
  }
  const PhysicalAddress entry = table(address, level) + (address >> (12 + 9 * level) & 511) * sizeof value;
  std::byte* const place = physical_.bytes(entry);
  if (std::memcmp(place, &value, sizeof value) != 0) {
    std::memcpy(place, &value, sizeof value);
    engine_.after_ticks([this, entry] { replace_lines(entry, sizeof(std::uint64_t)); });
  }
  return entry;
}

// Brings what caches below the directory hold of these bytes to memory, and drops it.
template <typename F>
void CpuMemory::flush_below(PhysicalAddress first, Bytes bytes, F store) {
  if (l3_) l3_->flush_range(first, bytes, store);
  if (shares_level()) shared_->level->flush_range(first, bytes, store);
}

void CpuMemory::new_chunk(std::byte* chunk, Bytes bytes) { chunks_[chunk] = physical_.lend(chunk, bytes); }

void CpuMemory::frame_cleared(std::byte* frame) {
  const PhysicalAddress physical = physical_of(frame);
  // What caches still have of it is older.
  flush_below(physical, rv64::kPageBytes, [](PhysicalAddress, const std::byte*, const memory::ByteMask&) {});
  replace_lines(physical, rv64::kPageBytes);
}

void CpuMemory::settle(VirtualAddress first, Bytes bytes) { settle_place(place_of(first), bytes); }

void CpuMemory::settle_place(PhysicalAddress physical, Bytes bytes) {
  const PhysicalAddress line = physical.aligned_down(line_bytes_), end = physical + bytes;
  flush_below(line, (end + (line_bytes_ - 1)).aligned_down(line_bytes_) - line,
              [this](PhysicalAddress base, const std::byte* data, const memory::ByteMask& mask) {
                std::byte* const to = physical_.bytes(base);
                for (unsigned i = 0; i < memory::kLineBytes; ++i)
                  if (mask.test(i)) to[i] = data[i];
              });
  for (PhysicalAddress at = line; at < end; at += line_bytes_)
    if (is_newer_above(at)) std::memcpy(physical_.bytes(at), directory_.held(at), line_bytes_);
}

void CpuMemory::written(VirtualAddress first, Bytes bytes) { place_written(place_of(first), bytes); }

void CpuMemory::place_written(PhysicalAddress physical, Bytes bytes) {
  replace_lines(physical, bytes);
  for (PhysicalAddress at = physical.aligned_down(line_bytes_); at < physical + bytes; at += line_bytes_)
    for (cpu::Core* const core : cores_) core->line_rewritten(at);
}

void CpuMemory::replace_lines(PhysicalAddress first, Bytes bytes) {
  for (PhysicalAddress at = first.aligned_down(line_bytes_); at < first + bytes; at += line_bytes_)
    directory_.replace(at, physical_.bytes(at));
}

}  // namespace duet::machine
