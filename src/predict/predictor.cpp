#include "predict/predictor.h"

#include <algorithm>

#include "predict/other_models.h"
#include "predict/repeats.h"

namespace duet::predict {

namespace {

Changes without(Limit limit) {
  Changes changes;
  switch (limit) {
    case Limit::Dependencies:
      changes.no_dependencies = true;
      break;
    case Limit::Fetch:
      changes.code_there = true;
      break;
    case Limit::BankConflicts:
      changes.no_conflicts = true;
      break;
    case Limit::L1Misses:
      changes.l1_hits = true;
      break;
    case Limit::L2Misses:
      changes.l2_hits = true;
      break;
    case Limit::SharedRate:
      changes.no_shared_limits = true;
      break;
    case Limit::DramRate:
      changes.dram_rate = 2;
      break;
    case Limit::Atomics:
      changes.no_atomic_conflicts = true;
      break;
    case Limit::Calls:
      changes.no_calls = true;
      break;
    case Limit::ClockWaits:
      changes.no_clock_waits = true;
      break;
    case Limit::Count:
      break;
  }
  return changes;
}

}  // namespace

Predictor::Predictor(const config::Machine& machine, const memory::AddressSpace& address_space, bool sampled,
                     Tell tell)
    : machine_(machine),
      tell_(std::move(tell)),
      repeats_(std::make_unique<Repeats>()),
      recorder_(
          machine, address_space, sampled, [this](const gpu::Grid& grid) { return repeats_->starts(grid); },
          [this](KernelRecording& recording) { return finish(recording); }),
      model_(machine, recorder_.memory()) {}

Predictor::~Predictor() = default;

Picoseconds Predictor::in_time(double cycles) const {
  return static_cast<Picoseconds>(cycles * 1e9 / static_cast<double>(machine_.gpu.core_clock_khz));
}

std::uint32_t Predictor::doubts_of(const Prediction& prediction) const {
  std::uint32_t doubts = 0;
  const auto doubt = [&](Doubt which, bool holds) {
    doubts |= static_cast<std::uint32_t>(holds) << static_cast<unsigned>(which);
  };
  const KernelRecording& recording = *prediction.recording;
  doubt(Doubt::Truncated, prediction.times.computed_share < 0.9 && !prediction.times.steady());
  doubt(Doubt::FullEmptyBits, recording.has_tracked);
  doubt(Doubt::Barriers, prediction.times.forced_barrier);
  doubt(Doubt::Overlapped, recording.overlapped);
  doubt(Doubt::Waits, recording.grid->cooperative || recording.polls);
  doubt(Doubt::WrongData, recording.wrong_data);
  doubt(Doubt::HostRead, recording.host_read);
  bool clock = false;
  for (const ptx::MicroOp& op : recording.grid->kernel->code)
    clock |= op.opcode == ptx::Opcode::Nanosleep || ptx::reads_clock(op);
  doubt(Doubt::Clock, clock);
  std::uint64_t most = 0, all = 0;
  for (const auto& block : recording.kept) {
    most = std::max(most, block->executed);
    all += block->executed;
  }
  doubt(Doubt::Imbalanced, recording.blocks > recording.wave && most * recording.kept.size() > 4 * all);
  return doubts;
}

void Predictor::written_by_copy(PhysicalAddress first, Bytes bytes, std::uint64_t command) {
  repeats_->leave_in(memory());
  memory().copied(first, bytes, true);
  recorder_.skipped_data().written_by_copy(first, bytes, command);
}

Picoseconds Predictor::finish(KernelRecording& recording) {
  if (recording.repeated) {
    const Prediction prediction = repeats_->repeated(recording);
    // A grid of all SMs has left it there when it was computed.
    if (recording.blocks < machine_.gpu.sm.count) model_.has_code(recording, prediction.code);
    tell_(prediction);
    return prediction.time_ps;
  }
  repeats_->leave_in(memory());
  const MemoryModel::Moments before = memory().moments();
  const auto timed = gpu::make_timed_kernel(*recording.grid->kernel, machine_.gpu.sm);
  Prediction prediction;
  prediction.recording = &recording;
  prediction.times = model_.run(recording, *timed);
  prediction.load = &model_.load();
  prediction.code = model_.code();
  prediction.time_ps = in_time(prediction.times.cycles);
  prediction.roofline_ps = roofline(recording, model_.load(), prediction.times.computed_share, machine_);
  prediction.hong_kim_ps = hong_kim(recording, model_.blocks(), machine_);
  prediction.doubts = doubts_of(prediction);
  if (seen_.insert(identity(*recording.grid)).second)
    for (std::size_t i = 0; i < kLimits; ++i)
      prediction.without_ps[i] = in_time(model_.again(recording, *timed, without(static_cast<Limit>(i))));
  tell_(prediction);
  repeats_->computed(recording, prediction, memory(), before);
  return prediction.time_ps;
}

config::Gpu functional_gpu(config::Gpu gpu) {
  gpu.functional.block_start_cycles = 0;
  gpu.functional.milli_cycles_per_warp_instruction = 0;
  return gpu;
}

}  // namespace duet::predict
