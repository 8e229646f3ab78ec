#include "gpu/sm/texture_unit.h"

#include <algorithm>

namespace duet::gpu {

template <unsigned W>
TextureUnit<W>::TextureUnit(const memory::AddressSpace& address_space, unsigned max_warps)
    : address_space_(address_space), outstanding_(max_warps) {}

template <unsigned W>
bool TextureUnit<W>::issue(std::uint32_t warp, ptx::Warp<W>& registers, const ptx::MicroOp& op,
                           std::uint64_t lanes, const WarpMemory& memory, InstructionCounts* counts) {
  auto free = std::find_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return !job->active; });
  if (free == jobs_.end()) free = jobs_.insert(free, std::make_unique<Job>());
  Job& job = **free;
  if (!job.access.start(registers, op, lanes, address_space_)) {
    fault_ = job.access.fault();
    return false;
  }
  job.registers = &registers;
  job.op = &op;
  job.memory = &memory;
  job.counts = counts;
  job.warp = warp;
  job.sent = job.answered = 0;
  job.ready = 0;
  job.active = true;
  ++in_flight_;
  ++outstanding_[warp];
  queue_.push_back(&job);
  return true;
}

template <unsigned W>
Cycle TextureUnit<W>::tick(Cycle cycle, LoadStoreUnit<W>& load_store) {
  while (!queue_.empty()) {
    Job& job = *queue_.front();
    const Cycle due = std::max(job.start, free_at_);
    if (due > cycle) return due;
    const auto& taps = job.access.taps();
    if (job.sent < taps.size()) {
      const auto& tap = taps[job.sent];
      if (!load_store.can_issue()) return cycle + 1;
      const auto issue =
          load_store.issue(job.warp, job.access.scratch(), tap.op, tap.lanes, *job.memory, job.counts, true);
      if (issue == LoadStoreUnit<W>::Issue::Later) return cycle + 1;
      ++job.sent;
      if (issue == LoadStoreUnit<W>::Issue::Faulted) {
        faults_.push_back({job.warp, tap.op, load_store.fault()});
        // It is not wanted any more: its last tap on the way ends it.
        job.answered += taps.size() - job.sent + 1;
        job.sent = taps.size();
      } else {
        load_store.start_at(cycle);
        // The samples of a pass share the cycles of its addresses.
        const std::size_t sharing = std::min<std::size_t>(taps.size(), kSamplesPerPass);
        free_at_ = cycle + std::max<Cycle>(job.registers->width / kLanesPerCycle / sharing, 1);
      }
      if (job.sent < taps.size()) continue;
    }
    queue_.pop_front();
    if (job.answered == taps.size()) finish(job, cycle);
  }
  return ~Cycle{0};
}

template <unsigned W>
bool TextureUnit<W>::take(const typename LoadStoreUnit<W>::Completion& completion, Cycle cycle) {
  if (in_flight_ == 0) return false;
  for (const auto& job : jobs_) {
    const auto& taps = job->access.taps();
    if (!job->active ||
        std::none_of(taps.begin(), taps.end(), [&](const auto& tap) { return &tap.op == completion.op; }))
      continue;
    job->ready = std::max(job->ready, completion.ready);
    if (++job->answered == taps.size() && job->sent == taps.size()) finish(*job, cycle);
    return true;
  }
  return false;
}

// A job complete before all of its taps are sent is still in the queue, and tick() finishes it.
template <unsigned W>
void TextureUnit<W>::finish(Job& job, Cycle cycle) {
  job.access.finish(*job.registers);
  completions_.push_back({job.warp, job.op, std::max(job.ready, cycle + 1) + kFilterCycles});
  job.active = false;
  --in_flight_;
  --outstanding_[job.warp];
}

template class TextureUnit<32>;
template class TextureUnit<64>;

}  // namespace duet::gpu
