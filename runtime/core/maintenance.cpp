#include "core/maintenance.h"

#include <utility>

#include "config/names.h"
#include "core/runtime.h"
#include "machine/system.h"
#include "memory/allocation_methods.h"
#include "memory/cache/cache_command.h"

namespace duet::core {

using machine::CpuMaintenance;
using memory::has_word;

Maintenance::Words::Words(const std::string& words)
    : cpu{has_word(words, "clean-cpu"), has_word(words, "invalidate-cpu")},
      gpu{has_word(words, "clean-gpu"), has_word(words, "invalidate-gpu")},
      whole(has_word(words, "whole")),
      fill_table(has_word(words, config::kFillTable)) {}

void Maintenance::allocated(VirtualAddress base, Bytes bytes, const config::Method& method) {
  if (runtime_.process().system().functional()) return;
  if (method.translation == "table") runtime_.driver_work().allocated(base, bytes);
  if (method.at_copy.empty() && method.at_launch.empty() && method.at_end.empty() &&
      method.at_synchronize.empty())
    return;
  maintained_[base] = {bytes, Words(method.at_copy), Words(method.at_launch), Words(method.at_end),
                       Words(method.at_synchronize)};
}

void Maintenance::released(VirtualAddress base) {
  maintained_.erase(base);
  runtime_.driver_work().released(base);
}

std::vector<CpuMaintenance::Range> Maintenance::frames_of(VirtualAddress first, Bytes bytes) const {
  std::vector<CpuMaintenance::Range> frames;
  runtime_.space().for_each_run(first, bytes, [&](const memory::PageRun& run) {
    frames.push_back({run.physical, run.bytes});
  });
  return frames;
}

void Maintenance::add(const Words& words, VirtualAddress first, Bytes bytes,
                      std::vector<driver::CacheJob>& gpu, std::vector<CpuMaintenance::Job>& cores) const {
  if (words.gpu.clean || words.gpu.invalidate)
    gpu.push_back(
        {first, words.whole ? memory::CacheCommand::kWhole : bytes, words.gpu.clean, words.gpu.invalidate});
  if (words.cpu.clean || words.cpu.invalidate)
    cores.push_back(
        {words.whole ? std::vector<CpuMaintenance::Range>() : frames_of(first, bytes), words.cpu});
}

void Maintenance::maintain_cores(host::HostThread& host, std::vector<CpuMaintenance::Job> jobs) {
  CpuMaintenance* const cores = runtime_.process().system().cpu_maintenance();
  if (cores == nullptr || jobs.empty()) return;
  host.enter();
  std::uint64_t last = 0;
  for (CpuMaintenance::Job& job : jobs) last = cores->begin(std::move(job));
  static constexpr config::CallLatency kNothing{};
  host.wait(kNothing, [&] { return cores->complete(last); });
}

driver::Command Maintenance::command_of(std::vector<driver::CacheJob> jobs, driver::StreamId stream) const {
  driver::Command command;
  command.kind = driver::CommandKind::CacheMaintenance;
  command.cost = &runtime_.cost(CallKind::Memset);
  command.stream = stream;
  command.caches_before = std::move(jobs);
  return command;
}

void Maintenance::submit(host::HostThread& host, std::vector<driver::CacheJob> jobs) {
  if (jobs.empty()) return;
  driver::Driver& driver = runtime_.driver();
  if (!std::exchange(has_stream_, true)) stream_ = driver.create_stream({});
  const driver::CommandId id = host.submit_further(command_of(std::move(jobs), stream_));
  static constexpr config::CallLatency kNothing{};
  host.wait(kNothing, [&] { return driver.complete(id); });
}

void Maintenance::before_launch(host::HostThread& host, driver::Command& command) {
  if (maintained_.empty()) return;
  std::vector<CpuMaintenance::Job> cores, none;
  std::vector<VirtualAddress> tables;
  for (const auto& [base, range] : maintained_) {
    add(range.at_launch, base, range.bytes, command.caches_before, cores);
    add(range.at_end, base, range.bytes, command.caches_after, none);
    if (range.at_launch.fill_table) tables.push_back(base);
  }
  // Meanwhile other threads may release memory.
  for (const VirtualAddress base : tables) runtime_.driver_work().fill(host, base);
  maintain_cores(host, std::move(cores));
}

void Maintenance::before_copy(host::HostThread& host, driver::Command& command) {
  if (maintained_.empty()) return;
  std::vector<CpuMaintenance::Job> cores;
  const driver::CopyJob& job = command.copy;
  for (const driver::Endpoint* const end : {&job.from, &job.to}) {
    const auto above = maintained_.upper_bound(end->address);
    if (above == maintained_.begin()) continue;
    const auto& [base, range] = *std::prev(above);
    if (end->address - base >= range.bytes) continue;
    const Bytes bytes =
        (job.slices - 1) * end->slice_pitch + (job.rows - 1) * end->row_pitch + job.width_bytes;
    Words before = range.at_copy, after = before;
    before.gpu.clean = after.gpu.invalidate = false;
    after.cpu = {};
    add(before, end->address, bytes, command.caches_before, cores);
    add(after, end->address, bytes, command.caches_after, cores);
  }
  maintain_cores(host, std::move(cores));
}

void Maintenance::synchronized(host::HostThread& host) {
  if (maintained_.empty() || runtime_.driver().last_submitted() == synchronized_) return;
  std::vector<CpuMaintenance::Job> cores;
  std::vector<driver::CacheJob> gpu;
  for (const auto& [base, range] : maintained_) add(range.at_synchronize, base, range.bytes, gpu, cores);
  submit(host, std::move(gpu));
  maintain_cores(host, std::move(cores));
  synchronized_ = runtime_.driver().last_submitted();
}

void Maintenance::ahead_of_host_function(host::HostThread& host, driver::StreamId stream) {
  std::vector<CpuMaintenance::Job> with_the_function;
  std::vector<driver::CacheJob> gpu;
  for (const auto& [base, range] : maintained_)
    add(range.at_synchronize, base, range.bytes, gpu, with_the_function);
  if (!gpu.empty()) host.submit_further(command_of(std::move(gpu), stream));
}

void Maintenance::around_host_function(host::HostThread& host, Words Range::*words) {
  std::vector<CpuMaintenance::Job> cores;
  std::vector<driver::CacheJob> with_commands;
  for (const auto& [base, range] : maintained_) add(range.*words, base, range.bytes, with_commands, cores);
  maintain_cores(host, std::move(cores));
}

void Maintenance::flush_cpu(host::HostThread& host, VirtualAddress first, Bytes bytes) {
  CpuMaintenance::Job job;
  if (bytes != 0) job.ranges = frames_of(first, bytes);
  job.operations = {true, true};
  maintain_cores(host, {std::move(job)});
}

void Maintenance::flush_gpu(host::HostThread& host, VirtualAddress first, Bytes bytes) {
  if (runtime_.process().system().functional() || !runtime_.config().memory_fabric) return;
  submit(host, {{first, bytes == 0 ? memory::CacheCommand::kWhole : bytes, true, true}});
}

}  // namespace duet::core
