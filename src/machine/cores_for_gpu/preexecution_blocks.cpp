// What the GPU forwards to programs as it dispatches blocks: their number, or, with blocks=forwarded, their
// ids too (yang2012, end of section 4.3): a line at a time, and then their number, which is the dispatched
// blocks and as many more as are active at a time. Here are the programs that need them, and the written ids.
// Events of one time come in no order, so a write follows from earlier events.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "machine/cores_for_gpu/preexecution.h"

namespace duet::machine {

using preexec::Context;

namespace {

// In a program's area.
constexpr Bytes kRingAt = 128_KiB, kActiveAt = 384_KiB;
constexpr std::uint32_t kRingIds = 64 * 1024, kMostConcurrent = kRingIds / 4;

}  // namespace

void Preexecution::Begun::count(Picoseconds time) {
  if (last != time) {
    before = now;
    last = time;
  }
  ++now;
}

Preexecution::Job* Preexecution::job_of(driver::CommandId command) {
  for (Job& job : waiting_)
    if (job.run.command == command) return &job;
  for (CoreState& core : cores_)
    if (core.job && core.job->run.command == command) return &*core.job;
  return nullptr;
}

void Preexecution::block_started(const gpu::Grid& grid) {
  if (!forwarder_) return;
  engine_.after_ticks([this, command = grid.command] {
    Job* const job = job_of(command);
    if (job == nullptr) return;  // its program has ended
    job->begun.count(engine_.now());
    forward_later();
  });
}

// Those that have been dispatched, and those that will be active when they have all gone.
std::uint32_t Preexecution::known_of(const Job& job, std::uint32_t begun) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      std::uint64_t{begun} + std::min(job.concurrent_blocks, kMostConcurrent), job.grid.count()));
}

void Preexecution::begin_blocks(std::size_t number, Context& context, const Job& job) {
  CoreState& state = cores_[number];
  state.told_begun = job.begun.at(engine_.now());
  context.begun_blocks = state.told_begun;
  state.told_known = state.ids = 0;
  if (!job.order) return;
  context.concurrent_blocks = std::min(context.concurrent_blocks, kMostConcurrent);
  context.ring = (area(number) + kRingAt).value();
  context.ring_mask = kRingIds - 1;
  context.active = (area(number) + kActiveAt).value();
  state.told_known = state.ids = known_of(job, state.told_begun);
  context.known_blocks = state.told_known;
  const std::uint32_t first = state.told_begun - std::min(state.told_begun, context.concurrent_blocks);
  for (std::uint32_t n = first; n < state.ids; ++n) {
    const auto id = static_cast<std::uint32_t>(job.order->block(n));
    write(area(number) + kRingAt + n % kRingIds * sizeof id, &id, sizeof id);
  }
}

void Preexecution::forward_all() {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    CoreState& state = cores_[i];
    if (!state.job || state.ended || state.writing()) continue;
    if (state.written == engine_.now()) {
      forward_later();
      continue;
    }
    const std::uint32_t begun = state.job->begun.at(engine_.now());
    // Counts after the ids that they stand for; ids that came while these were written go next.
    if (state.job->order && state.told_known == state.ids && forward_ids(i, known_of(*state.job, begun)))
      continue;
    if (state.told_begun != begun || state.told_known != state.ids) forward_counts(i, begun);
  }
}

// As many as are in one line.
bool Preexecution::forward_ids(std::size_t number, std::uint32_t known) {
  CoreState& state = cores_[number];
  if (state.ids >= known) return false;
  std::array<std::uint32_t, memory::kLineBytes / sizeof(std::uint32_t)> ids;
  const auto in_line = static_cast<std::uint32_t>(processor_.config().line_bytes / sizeof ids[0]);
  const std::uint32_t first = state.ids, count = std::min(known - first, in_line - first % in_line);
  for (std::uint32_t i = 0; i < count; ++i)
    ids[i] = static_cast<std::uint32_t>(state.job->order->block(first + i));
  state.ids += count;
  forward(number, memory_.place_in_programs(area(number) + kRingAt + first % kRingIds * sizeof ids[0]),
          std::as_bytes(std::span(ids.data(), count)));
  return true;
}

void Preexecution::forward_counts(std::size_t number, std::uint32_t begun) {
  CoreState& state = cores_[number];
  state.told_begun = begun;
  state.told_known = state.ids;
  const std::array<std::uint32_t, 2> counts{begun, state.ids};
  static_assert(offsetof(Context, known_blocks) == offsetof(Context, begun_blocks) + sizeof counts[0]);
  forward(number, memory_.place_in_programs(area(number) + offsetof(Context, begun_blocks)),
          std::as_bytes(std::span(counts)));
}

void Preexecution::forward(std::size_t number, PhysicalAddress place, std::span<const std::byte> bytes) {
  CoreState& state = cores_[number];
  state.written = kNever;
  ++state.job->run.block_writes;
  forwarder_->write(place, bytes, [this, number] {
    engine_.after_ticks([this, number] {
      cores_[number].written = engine_.now();
      forward_later();
      if (!cores_[number].job) start_waiting();
    });
  });
}

}  // namespace duet::machine
