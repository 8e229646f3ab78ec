#include "predict/sm_model.h"

#include <algorithm>

namespace duet::predict {

namespace {

// Most steps and requests to compute again for each limit, and fewest steps of each warp.
constexpr std::uint64_t kMostWork = 50'000, kFewestSteps = 128;

}  // namespace

SmModel::SmModel(const config::Machine& machine, MemoryModel& memory)
    : machine_(machine),
      memory_(memory),
      instructions_(machine.gpu.sm.count,
                    std::make_shared<TagArray>(machine.gpu.instruction_cache, nullptr)) {}

SmModel::~SmModel() = default;

SmModel::Code& SmModel::instructions_of(const KernelRecording& recording, std::uint64_t place) {
  return instructions_[(recording.first_sm + place) % instructions_.size()];
}

// The SM whose time is the kernel's. Where all blocks start at once: the SM with the most work, if possible
// among SMs that have not executed this kernel's code.
std::uint64_t SmModel::slowest(const KernelRecording& recording) {
  if (recording.blocks > recording.wave) return recording.own;
  const std::uint64_t sms = machine_.gpu.sm.count;
  std::vector<std::uint64_t> work(sms);
  for (const auto& block : recording.kept)
    if (block->keeps_steps) work[block->block % sms] += block->executed;
  const std::uint64_t most = *std::max_element(work.begin(), work.end());
  const std::uint64_t code = recording.grid->code_physical.value();
  const auto key = [&](std::uint64_t place) {
    const bool cold = 2 * work[place] >= most && !instructions_of(recording, place)->holds(code);
    return std::pair(cold, work[place]);
  };
  // Of SMs alike the one in the middle: the first ones may have an edge of the data.
  std::vector<std::uint64_t> best = {0};
  for (std::uint64_t place = 1; place < sms; ++place) {
    if (key(place) > key(best.front())) best.clear();
    if (best.empty() || key(place) == key(best.front())) best.push_back(place);
  }
  return best[best.size() / 2];
}

SmTimes SmModel::run(KernelRecording& recording, const gpu::TimedKernel& timed) {
  order_ = {};
  part_ = 0;
  order_.sm = slowest(recording);
  const std::uint64_t sms = machine_.gpu.sm.count;
  for (const auto& block : recording.kept)
    if (block->block % sms == order_.sm && block->keeps_steps) order_.blocks.push_back(block.get());
  if (order_.blocks.empty()) return {};
  instructions_before_ = instructions_of(recording, order_.sm);
  TagArray first = *instructions_before_;
  code_ = std::make_shared<TagArray>(first);
  run_sm(machine_, recording, timed, order_.blocks, nullptr, {}, memory_, first, &order_);
  load_ = play(recording, order_, machine_, memory_);
  has_code(recording, code_);
  return times_ = run_sm(machine_, recording, timed, order_.blocks, &load_, {}, memory_, *code_, nullptr);
}

void SmModel::has_code(const KernelRecording& recording, const Code& code) {
  for (std::uint64_t place = 0; place < std::min(instructions_.size(), recording.blocks); ++place)
    instructions_of(recording, place) = code;
}

// Whether a kernel may take another time with these.
bool SmModel::matters(const Changes& changes) const {
  // Code comes through L2, too.
  const bool any = changes.no_dependencies || changes.code_there || changes.no_shared_limits;
  const bool levels = changes.l1_hits || changes.l2_hits || changes.dram_rate != 1;
  return any || (levels && has_.accesses) || (changes.no_conflicts && has_.conflicts) ||
         (changes.no_atomic_conflicts && has_.atomics) || (changes.no_calls && has_.calls) ||
         (changes.no_clock_waits && has_.clock_waits);
}

double SmModel::again(const KernelRecording& recording, const gpu::TimedKernel& timed,
                      const Changes& changes) {
  if (order_.blocks.empty()) return 0;
  if (part_ == 0) {
    has_ = {};
    for (const Block* block : order_.blocks) {
      for (const Request& request : block->requests) {
        has_.accesses |= request.path == Path::L1 || request.path == Path::ConstantCache;
        has_.conflicts |= request.path == Path::Shared && request.passes > 1;
        has_.atomics |= request.atomic;
      }
      for (const auto& holds : block->holds)
        for (const auto& hold : holds) (hold.by_clock ? has_.clock_waits : has_.calls) = true;
    }
  }
  const auto computed = [&](const Changes& with) {
    TagArray code = *instructions_before_;
    return run_sm(machine_, recording, timed, order_.blocks, &load_, with, memory_, code, nullptr, part_)
        .cycles;
  };
  if (part_ == 0) {
    std::uint64_t work = 0, longest = 0;
    for (const Block* block : order_.blocks) {
      work += block->requests.size();
      for (const auto& steps : block->warps) {
        work += steps.size();
        longest = std::max<std::uint64_t>(longest, steps.size());
      }
    }
    part_ = std::max<std::uint64_t>(longest, 1);
    if (work > kMostWork) part_ = std::max<std::uint64_t>(longest * kMostWork / work, kFewestSteps);
    // By now L2 has the code.
    part_cycles_ = computed({});
  }
  if (!matters(changes)) return times_.cycles;
  return part_cycles_ == 0 ? 0 : times_.cycles * computed(changes) / part_cycles_;
}

}  // namespace duet::predict
